// A second parser of request heads, written for the tests only: slow, obvious, on strings. It shares no line with the
// scanner that it judges.

import type { RequestScanLimits } from '../../src/http/h1-request-scan.ts'
import type { RawRequest, RequestFault } from '../../src/http/request-check.ts'

export type ReferenceHead =
  /** `length`: of all that came before the body, empty lines included. */
  | { readonly kind: 'done'; readonly length: number; readonly raw: RawRequest }
  | { readonly kind: 'invalid'; readonly fault: RequestFault }
  | { readonly kind: 'need-more' }

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const TARGET = '[\\x21-\\x7e]*'
const BEGINNING = new RegExp(`^${TOKEN} (${TARGET})`)
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (${TARGET}) HTTP/(\\d)\\.(\\d)$`)
const FIELD = new RegExp(`^(${TOKEN}):[\\t ]*([\\t\\x20-\\x7e\\x80-\\xff]*)$`)

/** What `text`, one character a byte, begins with. A line is judged when it has ended. */
export function referenceRequest(text: string, limits: RequestScanLimits): ReferenceHead {
  const empty = /^(?:\r\n)*/.exec(text)?.[0].length ?? 0
  if (empty > 1024) return invalid('malformed')
  const head = text.slice(empty, empty + limits.maxHeaderBytes)
  const isCut = text.length - empty > limits.maxHeaderBytes
  const lines = head.split('\n')
  const whole = lines.slice(0, -1)
  const fault = faultInLine(lines[0] ?? '', whole.length > 0, limits)
  if (fault) return invalid(fault)
  const fields: string[] = []
  let length = (whole[0]?.length ?? 0) + 1
  for (const line of whole.slice(1)) {
    length += line.length + 1
    if (line === '\r') return finish(head, empty + length, fields, limits)
    // No field begins with CR, so such a line is not one too many.
    if (line.startsWith('\r')) return invalid('malformed')
    if (fields.length / 2 === limits.maxHeaders) return invalid('too-many-fields')
    const [, name, value] = (line.endsWith('\r') && FIELD.exec(line.slice(0, -1))) || []
    if (name === undefined || value === undefined) return invalid('malformed')
    fields.push(name, value.replace(/[\t ]+$/, ''))
  }
  if (!isCut) return { kind: 'need-more' }
  const inRest = faultInRest(lines.at(-1) ?? '', whole.length, fields.length / 2, limits)
  if (inRest) return invalid(inRest)
  return cutTarget(head, text.slice(empty), limits) ?? invalid('head-too-large')
}

/** Of a target that the limit of heads cuts: what its own limit says of it, if that is anything. */
function cutTarget(head: string, text: string, limits: RequestScanLimits): ReferenceHead | undefined {
  if (!new RegExp(`^${TOKEN} ${TARGET}$`).test(head)) return undefined
  const [upTo = '', target = ''] = BEGINNING.exec(text) ?? []
  if (target.length > limits.maxTargetBytes) return invalid('target-too-long')
  return upTo === text ? { kind: 'need-more' } : undefined
}

function faultInLine(line: string, isWhole: boolean, limits: RequestScanLimits): RequestFault | undefined {
  const target = BEGINNING.exec(line)?.[1]
  if (target !== undefined && target.length > limits.maxTargetBytes) return 'target-too-long'
  if (!isWhole) return undefined
  const [, , , major, minor] = (line.endsWith('\r') && REQUEST_LINE.exec(line.slice(0, -1))) || []
  if (major === undefined || target === '') return 'malformed'
  return major === '1' && (minor === '0' || minor === '1') ? undefined : 'version-not-supported'
}

/** What is wrong with the line that the limit cuts, as far as it goes. */
function faultInRest(rest: string, line: number, fields: number, limits: RequestScanLimits): RequestFault | undefined {
  if (line === 0) return canBegin(rest, [`${TOKEN} ${TARGET} HTTP/\\d.\\d\\r`]) ? undefined : 'malformed'
  if (rest === '' || rest === '\r') return undefined
  if (fields === limits.maxHeaders) return rest.startsWith('\r') ? 'malformed' : 'too-many-fields'
  return canBegin(rest, [`${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*\\r`]) ? undefined : 'malformed'
}

/** Whether more bytes could make `text` match one of `patterns`; each is a list of parts that may be cut anywhere. */
function canBegin(text: string, patterns: readonly string[]): boolean {
  const tails = ['', '\r', ':\r', 'a:\r', ' / HTTP/1.1\r', '/ HTTP/1.1\r', 'a / HTTP/1.1\r', ' HTTP/1.1\r']
  const versions = Array.from({ length: 10 }, (_none, index) => ' HTTP/1.1\r'.slice(index))
  return patterns.some((pattern) =>
    [...tails, ...versions].some((tail) => new RegExp(`^${pattern}$`).test(text + tail)),
  )
}

function finish(head: string, length: number, fields: readonly string[], limits: RequestScanLimits): ReferenceHead {
  const [, method = '', target = '', , minor = ''] = REQUEST_LINE.exec(head.slice(0, head.indexOf('\r'))) ?? []
  const lines = Array.from(
    { length: fields.length / 2 },
    (_none, index) => `${fields[2 * index]}: ${fields[2 * index + 1]}`,
  )
  const written = [`${method} ${target} HTTP/1.${minor}`, ...lines, '', ''].join('\r\n')
  if (written.length > limits.maxHeaderBytes) return invalid('head-too-large')
  return { kind: 'done', length, raw: { method, target, majorVersion: 1, minorVersion: Number(minor), fields } }
}

function invalid(fault: RequestFault): ReferenceHead {
  return { kind: 'invalid', fault }
}
