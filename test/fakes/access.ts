import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterAccess, TlsMaterial } from '../../src/runtime/cluster-access.ts'
import type { TlsFiles } from './api-server.ts'

/** Access without credentials. */
export function plainAccess(server: URL): ClusterAccess {
  const tls: TlsMaterial = { ca: undefined, cert: undefined, key: undefined, servername: undefined, verify: true }
  return { server, source: 'a test', credentials: () => Promise.resolve({ headers: {}, tls }), expire: () => {} }
}

/** A self-signed certificate for 127.0.0.1. */
export function makeCertificate(name: string): TlsFiles {
  const folder = mkdtempSync(join(tmpdir(), 'ramjet-test-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]
    execFileSync('openssl', [...request, ...names], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
