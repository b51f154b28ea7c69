// Names with certificates that a client can shake hands for.
import {
  type Certificate,
  type CertificateTable,
  digestOfServerName,
  handleOf,
  type ServerName,
} from '../../src/model/certificate-table.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'

/** What a name of the table gets; without certificates and `passthrough` it is refused. */
export interface NameSpec {
  readonly pairs?: readonly KeyPair[]
  readonly policy?: ServerName['policy']
  readonly passthrough?: string
}

const pairs = new Map<string, KeyPair>()

/** A certificate for `host`, made once for all tests of a process. */
export function pairFor(host: string, keyType: 'ec' | 'rsa' = 'ec'): KeyPair {
  const key = `${keyType} ${host}`
  const known = pairs.get(key)
  if (known) return known
  const made = makeCertificate([host], { keyType })
  pairs.set(key, made)
  return made
}

/** The table in which these names have these certificates. */
export function certificateTableOf(names: Readonly<Record<string, NameSpec>>): CertificateTable {
  const certificates = new Map<string, Certificate>()
  const serverNames = new Map<string, ServerName>()
  for (const [host, { pairs: ofName = [], policy = {}, passthrough }] of Object.entries(names)) {
    const made = ofName.map(certificateOf)
    for (const one of made) certificates.set(one.handle, one)
    const entry = {
      host,
      certificates: made.map(({ handle }) => handle),
      policy,
      ...(passthrough !== undefined && { passthrough }),
    }
    serverNames.set(host, { ...entry, digest: digestOfServerName(entry) })
  }
  return { certificates, serverNames }
}

function certificateOf({ cert, key }: KeyPair): Certificate {
  const handle = handleOf(cert, key)
  return { handle, digest: handle, chain: cert, key, names: [], notBeforeMs: 0, notAfterMs: 1, keyType: 'ec' }
}
