// What is known of header field names, for everyone who reads, drops or writes fields (R20-30 to R20-47). Names are
// given in lower case.

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Fields that belong to one connection and are never forwarded as they are (RFC 9110, section 7.6.1; R20-41). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])
const TRUSTED: ReadonlySet<string> = new Set(['forwarded', 'x-real-ip', 'x-scheme'])
const OURS: ReadonlySet<string> = new Set(['x-request-id', 'proxy'])
const KEPT: ReadonlySet<string> = new Set(['host', 'content-length', 'authorization', 'cookie'])
// The last one belongs to a connection, and HTTP/2 refuses it (RFC 9113, section 8.2.2).
const NO_TRAILER: ReadonlySet<string> = new Set(['host', 'authorization', 'cookie', 'http2-settings'])

/** Reports whether `name` is a token, as every field name must be (RFC 9110, section 5.6.2). Any case. */
export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** Reports whether `value`, as latin1, can stand in a field line: nothing in it ends a line or a message. */
export function isFieldValue(value: string): boolean {
  return FIELD_VALUE.test(value)
}

/**
 * Reports whether `name` is of the forwarded set: believed from a trusted peer as a whole, and replaced as a whole
 * when anyone else sends it (R20-51).
 */
export function isForwardedField(name: string): boolean {
  return TRUSTED.has(name) || name.startsWith('x-forwarded-') || name.startsWith('x-original-')
}

/** Reports whether `name` is a request field that is ours to set or to remove (R20-30 to R20-37). */
export function isManagedRequest(name: string): boolean {
  return OURS.has(name) || isForwardedField(name)
}

/** Reports whether a client's `Connection` cannot take the field `name` away (R20-45). */
export function isProtectedFromConnection(name: string): boolean {
  return KEPT.has(name) || name.startsWith('x-forwarded-')
}

/** Reports whether the field `name` is dropped where it comes as a trailer (R20-46). */
export function isForbiddenTrailer(name: string): boolean {
  return NO_TRAILER.has(name) || isOurs(name)
}

/**
 * The name of ours that `name` would be taken for by a server that reads `_` or `.` as `-`: `x-forwarded-for` for
 * `x_forwarded.for` (R20-38, R20-39, R70-34). `undefined` where there is none, and for that name itself.
 */
export function managedAlias(name: string): string | undefined {
  if (!name.includes('_') && !name.includes('.')) return undefined
  const plain = name.replaceAll(/[_.]/g, '-')
  return isOurs(plain) ? plain : undefined
}

function isOurs(name: string): boolean {
  return isManagedRequest(name) || HOP_BY_HOP.has(name) || FRAMING.has(name)
}
