// Whether the head of an upstream's response is one that can be relayed (71 J).
import { type Framing, responseFraming } from './framing.ts'
import { HeaderIndex, type HeaderList } from './header-list.ts'

/** A response head as a parser hands it on. */
export interface RawResponse {
  readonly status: number
  readonly fields: HeaderList
  /** Of the request that it answers. */
  readonly method: string
}

export interface CheckedResponse {
  readonly index: HeaderIndex
  readonly framing: Framing
}

/**
 * The response with the end of its body, or `undefined` where it must be answered 502: a status that is no final one
 * (an unasked `101` among them), more fields than `maxFields`, or a framing that two parties could read in two ways.
 */
export function checkResponse({ status, fields, method }: RawResponse, maxFields: number): CheckedResponse | undefined {
  if (status < 200 || status > 599 || fields.length / 2 > maxFields) return undefined
  const index = new HeaderIndex(fields)
  const framing = responseFraming(index, status, method)
  return framing.ok ? { index, framing: framing.value } : undefined
}

/**
 * Whether a client that asked for a tunnel by HTTP/2 would take this status for an open one: any 2xx is (RFC 8441,
 * section 5; RFC 9110, section 9.3.6), and an upstream of HTTP/1.1 opens one by 101 alone.
 */
export function looksLikeTunnel(status: number): boolean {
  return status >= 200 && status < 300
}
