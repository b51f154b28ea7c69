// What is known of each certificate that something names, for people: admin API, metrics, warnings. Never its key.
import type { Certificate } from './certificate-table.ts'
import type { ObjectRef } from './object-ref.ts'

/** One Secret that is named for TLS, one pair of a routes file, or the certificate that this process made. */
export interface CertificateRecord {
  readonly source: CertificateSource
  /** Of the Secret; empty where there is none. */
  readonly namespace: string
  /** Name of the Secret, or where the pair of a file stands; empty for the certificate that this process made. */
  readonly secret: string
  /** What serves by it; `undefined`: it holds nothing usable. */
  readonly serving: CertificateFacts | undefined
  /** Why its newest material does not serve; absent: it does. */
  readonly problem?: string
  /** The references to it. */
  readonly users: readonly CertificateUser[]
}

export type CertificateSource = 'ingress' | 'file' | 'default'

/** A certificate without its material. */
export type CertificateFacts = Pick<Certificate, 'handle' | 'names' | 'notBeforeMs' | 'notAfterMs'>

/** Who names it, and where. */
export interface CertificateUser {
  readonly object: ObjectRef
  readonly field: string
}

/** R32-14. */
export type CertificateState = 'ok' | 'expiring' | 'last-good' | 'rejected'

/** How long before its end a certificate is said to expire (R21-15). */
export const EXPIRING_MS: number = 21 * 24 * 3_600_000

/** How it stands with a record, and why. */
export function stateOfCertificate(
  { serving, problem }: Pick<CertificateRecord, 'serving' | 'problem'>,
  nowMs: number,
): { readonly state: CertificateState; readonly reason: string | undefined } {
  if (!serving) return { state: 'rejected', reason: problem }
  if (problem !== undefined) return { state: 'last-good', reason: problem }
  const { notAfterMs } = serving
  if (notAfterMs - nowMs > EXPIRING_MS) return { state: 'ok', reason: undefined }
  return { state: 'expiring', reason: `${notAfterMs > nowMs ? 'expires' : 'expired'} at ${timeText(notAfterMs)}` }
}

/** A moment as people read it: RFC 3339, UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
