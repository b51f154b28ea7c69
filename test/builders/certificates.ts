import {
  type Certificate,
  type CertificateTable,
  digestOfServerName,
  handleOf,
  type ServerName,
} from '../../src/model/certificate-table.ts'

/** A certificate whose material is no more than its name: for what never looks into it. */
export function certificateFor(host: string): Certificate {
  const [chain, key] = [`chain of ${host}`, `key of ${host}`]
  const handle = handleOf(chain, key)
  return { handle, digest: handle, chain, key, names: [host], notBeforeMs: 0, notAfterMs: 1, keyType: 'ec' }
}

/** Each of these names with a certificate of its own. */
export function certificateTable(hosts: readonly string[]): CertificateTable {
  const certificates = hosts.map(certificateFor)
  const serverNames = certificates.map(({ handle, names }): ServerName => {
    const entry = { host: names[0] ?? '', certificates: [handle], policy: {} }
    return { ...entry, digest: digestOfServerName(entry) }
  })
  return {
    certificates: new Map(certificates.map((certificate) => [certificate.handle, certificate])),
    serverNames: new Map(serverNames.map((name) => [name.host, name])),
  }
}
