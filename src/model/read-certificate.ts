import { ok, type Result } from '../lib/result.ts'
import { readKeyPair } from '../lib/x509.ts'
import { type Certificate, handleOf } from './certificate-table.ts'

/** The certificate of a PEM chain and its key; the error is the end of a sentence about the material (R21-13). */
export function readCertificate(chain: string, key: string): Result<Certificate, string> {
  const facts = readKeyPair(chain, key)
  if (!facts.ok) return facts
  const handle = handleOf(chain, key)
  return ok({ ...facts.value, handle, digest: handle, chain, key })
}
