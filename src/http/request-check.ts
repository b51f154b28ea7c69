// Whether the head of a request is one that we serve, and what it asks for (71 A to F, R20-62 to R20-72).
import { parseAuthority } from '../lib/host-name.ts'
import { canonicalPath } from '../lib/request-path.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { type Framing, requestFraming } from './framing.ts'
import { fieldBytes, HeaderIndex, type HeaderList } from './header-list.ts'
import { parseRequestTarget } from './request-target.ts'

/** A request head as a parser hands it on. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  readonly majorVersion: number
  readonly minorVersion: number
  readonly fields: HeaderList
}

export interface RequestLimits {
  readonly maxTargetBytes: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  readonly encodedSlash: 'keep' | 'reject'
}

/** Why a request is refused; named as the answer to it. */
export type RequestFault =
  | 'malformed'
  | 'method-not-allowed'
  | 'connect-refused'
  | 'target-too-long'
  | 'head-too-large'
  | 'too-many-fields'
  | 'coding-not-implemented'
  | 'version-not-supported'

/**
 * Whether a head with this fault was understood as far as its content type, so that the answer may have the form which
 * that wants. Any other was given up wherever its fault stood (R22-35).
 */
export function isTypeKnown(fault: RequestFault): boolean {
  return fault === 'method-not-allowed' || fault === 'too-many-fields'
}

export interface CheckedRequest {
  readonly method: string
  readonly minorVersion: number
  readonly index: HeaderIndex
  readonly framing: Framing
  /** In its one form, for look-up; empty where the request names no host. */
  readonly host: string
  /** As the client wrote it. */
  readonly authority: string
  /** Canonical, without the query. */
  readonly path: string
  /** With its `?`, byte for byte; may be empty. */
  readonly query: string
}

/** The request, or the one reason to refuse it. Sizes are judged first: what is too large is not looked into. */
export function checkRequest(raw: RawRequest, limits: RequestLimits): Result<CheckedRequest, RequestFault> {
  const fault = faultInLine(raw) ?? faultInSize(raw, limits)
  if (fault) return err(fault)
  const index = new HeaderIndex(raw.fields)
  const framing = requestFraming(index, raw.minorVersion)
  if (!framing.ok) return err(framing.error === 'coding' ? 'coding-not-implemented' : 'malformed')
  const target = parseRequestTarget(raw.target)
  if (target.kind === 'asterisk') return err(raw.method === 'OPTIONS' ? 'method-not-allowed' : 'malformed')
  if (target.kind === 'invalid') return err('malformed')
  const named = nameHost(index, raw.minorVersion, target.authority)
  const path = canonicalPath(target.path, limits)
  if (!named || !path.ok) return err('malformed')
  const { method, minorVersion } = raw
  return ok({ method, minorVersion, index, framing: framing.value, ...named, path: path.value, query: target.query })
}

// Methods are case-sensitive: `get` is none, and is never made one (71 #118).
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
])

function faultInLine({ method, majorVersion, minorVersion }: RawRequest): RequestFault | undefined {
  // A request line without a version is HTTP/0.9, and no well-formed line of a later one (71 #125).
  if (majorVersion === 0) return 'malformed'
  if (majorVersion !== 1 || minorVersion > 1) return 'version-not-supported'
  if (method === 'CONNECT') return 'connect-refused'
  if (!KNOWN_METHODS.has(method) && KNOWN_METHODS.has(method.toUpperCase())) return 'malformed'
  return method === 'TRACE' ? 'method-not-allowed' : undefined
}

// Of a head: the spaces and the version of its first line, and the empty line behind it.
const LINE_EXTRA = ' '.length * 2 + 'HTTP/1.1\r\n\r\n'.length

function faultInSize({ method, target, fields }: RawRequest, limits: RequestLimits): RequestFault | undefined {
  if (target.length > limits.maxTargetBytes) return 'target-too-long'
  if (fields.length / 2 > limits.maxHeaders) return 'too-many-fields'
  const bytes = method.length + target.length + LINE_EXTRA + fieldBytes(fields)
  return bytes > limits.maxHeaderBytes ? 'head-too-large' : undefined
}

/**
 * The host that a request names. `undefined`: none where HTTP/1.1 wants one, more than one, one that is no host, or a
 * `Host` that contradicts an absolute-form target (RFC 9112, section 3.2).
 */
function nameHost(
  index: HeaderIndex,
  minorVersion: number,
  targetAuthority: string | undefined,
): Pick<CheckedRequest, 'host' | 'authority'> | undefined {
  const fields = index.values('host')
  if (fields.length > 1 || (fields.length === 0 && minorVersion > 0)) return undefined
  const authority = fields[0] ?? targetAuthority ?? ''
  const host = parseAuthority(authority)
  if (host === undefined) return undefined
  const isContradicted = targetAuthority !== undefined && parseAuthority(targetAuthority) !== host
  return isContradicted ? undefined : { host, authority }
}
