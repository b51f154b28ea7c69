// Why a handshake failed, by the closed set of the metric (R21-7, R34).
import type { ProcessField } from '../../model/counters.ts'

/** Our own choice of a certificate threw, or there was none where there must be one. */
export class ContextChoiceError extends Error {}

const FIELDS: ReadonlyMap<string, ProcessField> = new Map([
  ['ECONNRESET', 'tlsReset'],
  ['EPIPE', 'tlsReset'],
  ['ETIMEDOUT', 'tlsReset'],
  ['ECONNABORTED', 'tlsReset'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'tlsTimeout'],
  ['ERR_SSL_NO_APPLICATION_PROTOCOL', 'tlsNoProtocol'],
  ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'tlsClientCertificate'],
  ['ERR_SSL_CERTIFICATE_VERIFY_FAILED', 'tlsClientCertificate'],
])

/** The counter of what a TLS server says of a client. */
export function failureField(error: Error): ProcessField {
  if (error instanceof ContextChoiceError) return 'tlsCallback'
  return FIELDS.get('code' in error && typeof error.code === 'string' ? error.code : '') ?? 'tlsProtocol'
}
