// The head that the client receives: the upstream's fields in their order, without those of its hop (R20-53 to R20-56).
import { connectionTokens, isHopByHop } from './connection-fields.ts'
import type { Framing } from './framing.ts'
import type { HeaderIndex, HeaderList } from './header-list.ts'

export interface ResponseParts {
  readonly index: HeaderIndex
  readonly status: number
  /** How the upstream's body ends. */
  readonly framing: Framing
  /** 0 for an HTTP/1.0 client. */
  readonly clientMinorVersion: number
  /** Whether the client's connection ends with this response. */
  readonly closes: boolean
  /** The value of `Date` where the upstream sent none. */
  readonly date: string
}

export interface ResponseHead {
  readonly fields: HeaderList
  /** `close`: the end of the connection is the end of the body. */
  readonly body: 'none' | 'length' | 'chunked' | 'close'
}

/** The head for the client. An HTTP/1.0 client gets no chunks: its body ends with the connection. */
export function downstreamResponseHead(parts: ResponseParts): ResponseHead {
  const { index } = parts
  const body = bodyEnd(parts)
  const named = connectionTokens(index)
  const fields: string[] = []
  for (const [at, name] of index.names.entries()) {
    if (keepsField(name, parts, body) ?? !isHopByHop(name, named)) {
      fields.push(
        index.fields[2 * at] ?? '',
        name === 'transfer-encoding' ? 'chunked' : (index.fields[2 * at + 1] ?? ''),
      )
    }
  }
  if (!index.has('server')) fields.push('Server', 'ramjet')
  if (body === 'chunked' && !index.has('transfer-encoding')) fields.push('Transfer-Encoding', 'chunked')
  fields.push(...connectionField(parts, body))
  if (!index.has('date')) fields.push('Date', parts.date)
  return { fields, body }
}

/** The `Connection` field of a response of ours: needed where it says other than the version's default. */
export function connectionField(
  { closes, clientMinorVersion }: Pick<ResponseParts, 'closes' | 'clientMinorVersion'>,
  body: ResponseHead['body'],
): HeaderList {
  if (closes || body === 'close') return ['Connection', 'close']
  return clientMinorVersion === 0 ? ['Connection', 'keep-alive'] : []
}

function bodyEnd({ framing, clientMinorVersion }: ResponseParts): ResponseHead['body'] {
  switch (framing.kind) {
    case 'none':
      return 'none'
    case 'length':
      return 'length'
    case 'chunked':
    case 'until-close':
      return clientMinorVersion === 0 ? 'close' : 'chunked'
  }
}

/** Whether a framing field goes on; `undefined` for any other field. */
function keepsField(name: string, parts: ResponseParts, body: ResponseHead['body']): boolean | undefined {
  const { status, clientMinorVersion } = parts
  switch (name) {
    case 'transfer-encoding':
      // An answer to HEAD says what GET would have had; 204 and 304 have no coding (RFC 9112, section 6.1).
      return clientMinorVersion > 0 && (body === 'chunked' || (body === 'none' && status !== 204 && status !== 304))
    case 'content-length':
      return status !== 204
    case 'trailer':
      return body === 'chunked'
    default:
      return undefined
  }
}

/** The fields of an interim response for the client (R20-53, R20-55). It has no body, so nothing of framing either. */
export function interimFields(index: HeaderIndex): HeaderList {
  const named = connectionTokens(index)
  const fields: string[] = []
  for (const [at, name] of index.names.entries()) {
    if (isHopByHop(name, named) || name === 'content-length' || name === 'trailer') continue
    fields.push(index.fields[2 * at] ?? '', index.fields[2 * at + 1] ?? '')
  }
  return fields
}

/**
 * The fields of a `101` for the client: as the upstream sent them, the handshake and its options included (R20-155),
 * without those that can only be meant for the upstream's own hop.
 */
export function switchingFields(index: HeaderIndex): HeaderList {
  const fields: string[] = []
  for (const [at, name] of index.names.entries()) {
    if (HANDSHAKE.has(name) || (!isHopByHop(name, NONE_NAMED) && name !== 'content-length')) {
      fields.push(index.fields[2 * at] ?? '', index.fields[2 * at + 1] ?? '')
    }
  }
  return fields
}

const HANDSHAKE: ReadonlySet<string> = new Set(['connection', 'upgrade'])
const NONE_NAMED: ReadonlySet<string> = new Set()
