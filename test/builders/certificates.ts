import type { TlsSecret } from '../../src/compiler/snapshot.ts'
import { err, ok } from '../../src/lib/result.ts'
import {
  type Certificate,
  type CertificateTable,
  digestOfServerName,
  handleOf,
  type ServerName,
} from '../../src/model/certificate-table.ts'

/** A certificate whose material is no more than its name: for what never looks into it. */
export function certificateFor(host: string): Certificate {
  return certificate(host)
}

/** The same with other facts; a certificate of another `content` is another one. */
export function certificate(
  content: string,
  facts: Partial<Pick<Certificate, 'names' | 'keyType' | 'notBeforeMs' | 'notAfterMs'>> = {},
): Certificate {
  const [chain, key] = [`chain of ${content}`, `key of ${content}`]
  const handle = handleOf(chain, key)
  return {
    handle,
    digest: handle,
    chain,
    key,
    names: [content],
    notBeforeMs: 0,
    notAfterMs: 1,
    keyType: 'ec',
    ...facts,
  }
}

/** A Secret that holds it. */
export function goodSecret(current: Certificate, isOpaque = false): TlsSecret {
  return { current: ok(current), isOpaque, lastGood: undefined }
}

/** One that is of no use, with what it held before. */
export function badSecret(problem: string, lastGood?: Certificate): TlsSecret {
  return { current: err(problem), isOpaque: false, lastGood }
}

/** Each of these names with a certificate of its own. */
export function certificateTable(hosts: readonly string[]): CertificateTable {
  const certificates = hosts.map(certificateFor)
  const serverNames = certificates.map(({ handle, names }): ServerName => {
    const entry = { host: names[0] ?? '', certificates: [handle], policy: {} }
    return { ...entry, digest: digestOfServerName(entry) }
  })
  return {
    certificates: new Map(certificates.map((one) => [one.handle, one])),
    serverNames: new Map(serverNames.map((name) => [name.host, name])),
  }
}
