// What became of a connect that failed, by the names that the system and we ourselves have for it.
import type { ConnectFailure } from '../errors.ts'

/** TCP keep-alive of every upstream socket (R20-120). */
export const KEEP_ALIVE_MS = 30_000

/** In place of a system's name: the peer took the connection, and no TLS that can be trusted came of it (R21-34). */
export const TLS_FAULT = 'TLS'

const FAILURES: ReadonlyMap<string, ConnectFailure> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['ECONNABORTED', 'reset'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
  [TLS_FAULT, 'tls'],
])

/** The class of a connect error by its system code; `other` for what is not listed. */
export function connectFailureOf(error: Error): ConnectFailure {
  return connectFailureOfCode(codeOf(error))
}

/** The class of a connect error by the system's name of it, such as `ECONNREFUSED`; `other` for what is not listed. */
export function connectFailureOfCode(code: string): ConnectFailure {
  // OpenSSL's own, of a handshake that the peer gave up when we had done our part.
  return FAILURES.get(code) ?? (code.startsWith('ERR_SSL_') ? 'tls' : 'other')
}

/** The system's name of what an error tells, or that of its class. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
