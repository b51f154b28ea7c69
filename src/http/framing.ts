// Where a message's body ends (RFC 9112, section 6). What two parties could read in two ways is refused (71 A, J).
import { err, ok, type Result } from '../lib/result.ts'
import { type HeaderIndex, trimBlanks } from './header-list.ts'

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** Responses only: the body ends with the connection. */
  | { readonly kind: 'until-close' }

/** `coding`: a transfer coding that exists and is not implemented, answered 501 (R71-11). */
export type FramingFault = 'ambiguous' | 'coding'

const NONE: Framing = { kind: 'none' }
const CHUNKED: Framing = { kind: 'chunked' }
const UNTIL_CLOSE: Framing = { kind: 'until-close' }
const DIGITS = /^\d{1,16}$/
const GZIP = /(?:^|[\s,])(?:x-)?gzip(?:$|[\s,;])/i

/** How the body of a request ends. `minorVersion` is 0 for HTTP/1.0, which knows no transfer coding. */
export function requestFraming(index: HeaderIndex, minorVersion: number): Result<Framing, FramingFault> {
  const codings = index.values('transfer-encoding')
  const lengths = index.values('content-length')
  if (codings.length === 0) return lengths.length === 0 ? ok(NONE) : lengthFraming(lengths)
  if (minorVersion === 0 || lengths.length > 0) return err('ambiguous')
  if (isChunkedAlone(codings)) return ok(CHUNKED)
  return err(codings.some((coding) => GZIP.test(coding)) ? 'coding' : 'ambiguous')
}

/**
 * How the body of a response ends. `none` for what never has one, whatever its fields say: an answer to HEAD, 204 and
 * 304 (R20-55). An error is answered 502.
 */
export function responseFraming(index: HeaderIndex, status: number, method: string): Result<Framing, FramingFault> {
  const codings = index.values('transfer-encoding')
  const lengths = index.values('content-length')
  if (codings.length > 0 && (lengths.length > 0 || !isChunkedAlone(codings))) return err('ambiguous')
  const length = lengths.length > 0 ? lengthFraming(lengths) : undefined
  if (length && !length.ok) return length
  if (method === 'HEAD' || status === 204 || status === 304) return ok(NONE)
  if (length) return length
  return ok(codings.length > 0 ? CHUNKED : UNTIL_CLOSE)
}

function lengthFraming(lengths: readonly string[]): Result<Framing, FramingFault> {
  const [text = ''] = lengths
  if (lengths.length > 1 || !DIGITS.test(text)) return err('ambiguous')
  const bytes = Number(text)
  return Number.isSafeInteger(bytes) ? ok({ kind: 'length', bytes }) : err('ambiguous')
}

function isChunkedAlone(codings: readonly string[]): boolean {
  const [coding = ''] = codings
  return codings.length === 1 && trimBlanks(coding).toLowerCase() === 'chunked'
}
