// A response head that came by HTTP/2, written as HTTP/1.1 (RFC 9113, section 8.3.2).
import { isFieldValue, isToken } from '../lib/field-names.ts'
import { isHopByHop } from './connection-fields.ts'
import { namesGrpcType } from './grpc.ts'
import { type HeaderList, trimBlanks } from './header-list.ts'
import { reasonPhrase } from './reason-phrases.ts'

export interface H2ResponseParts {
  /** As they came, pseudo fields among them. */
  readonly fields: HeaderList
  /** Of the request: an answer to HEAD has no body, whatever its fields say. */
  readonly isHead: boolean
  /** Whether nothing follows the head. */
  readonly isWhole: boolean
}

export interface H1ResponseHead {
  readonly status: number
  /** Status line, fields and the empty line; one character a byte. */
  readonly text: string
  /** How the body is framed; `none`: by nothing, for there is none. */
  readonly body: 'none' | 'length' | 'chunked'
}

/** The head; `undefined` where it is none that could be relayed. */
export function h1ResponseHead({ fields, isHead, isWhole }: H2ResponseParts): H1ResponseHead | undefined {
  const status = statusOf(fields)
  // In HTTP/1.1 only chunks carry what follows a body, and a length is worth less than how a call of gRPC ended.
  const dropsLength = status < FIRST_FINAL || (!isWhole && mayHaveTrailers(fields))
  const lines = fieldLines(fields, dropsLength)
  if (status === 0 || !lines) return undefined
  const hasBody = status >= 200 && status !== NO_CONTENT && status !== NOT_MODIFIED && !isHead
  const hasLength = !dropsLength && hasField(fields, 'content-length')
  const body = bodyOf(hasBody, hasLength || isWhole)
  if (body === 'chunked') lines.push('Transfer-Encoding: chunked\r\n')
  else if (hasBody && !hasLength) lines.push('Content-Length: 0\r\n')
  return { status, text: `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${lines.join('')}\r\n`, body }
}

/** A trailer section behind the last chunk, its empty line included; `undefined` where it is none. */
export function h1TrailerSection(fields: HeaderList): string | undefined {
  const lines = fieldLines(fields, false)
  return lines && `${lines.join('')}\r\n`
}

const NO_CONTENT = 204
const NOT_MODIFIED = 304
const FIRST_FINAL = 200

function bodyOf(hasBody: boolean, hasLength: boolean): H1ResponseHead['body'] {
  if (!hasBody) return 'none'
  return hasLength ? 'length' : 'chunked'
}

function statusOf(fields: HeaderList): number {
  const at = fields.indexOf(':status')
  const text = at < 0 ? '' : (fields[at + 1] ?? '')
  return /^[1-5]\d\d$/.test(text) ? Number(text) : 0
}

// The name of every field is in lower case, or HTTP/2 would have refused it. White space around values may have come
// (R22-4) and is none of HTTP/1.1's either.
function fieldLines(fields: HeaderList, dropsLength: boolean): string[] | undefined {
  const lines: string[] = []
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    const value = trimBlanks(fields[at + 1] ?? '')
    if (name.startsWith(':') || isHopByHop(name, NONE_NAMED)) continue
    // An interim head frames nothing (RFC 9110, section 8.6).
    if (dropsLength && name === 'content-length') continue
    if (!isToken(name) || !isFieldValue(value)) return undefined
    lines.push(`${name}: ${value}\r\n`)
  }
  return lines
}

function mayHaveTrailers(fields: HeaderList): boolean {
  return hasField(fields, 'trailer') || namesGrpcType(fields)
}

function hasField(fields: HeaderList, wanted: string): boolean {
  return fields.some((name, at) => at % 2 === 0 && name === wanted)
}

const NONE_NAMED: ReadonlySet<string> = new Set()
