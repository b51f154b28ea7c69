import { err, ok, type Result } from '../../src/lib/result.ts'
import type { PemFiles } from '../../src/manifests/pem-files.ts'
import type { KeyPair } from '../fakes/certificates.ts'

/** PEM files as they were read: of each pair `NAME.pem` and `NAME-key.pem`, a file that is gone, and one that is no PEM. */
export function pemFiles(pairs: Readonly<Record<string, KeyPair>>): PemFiles {
  const files = new Map<string, Result<string, string>>()
  for (const [name, { cert, key }] of Object.entries(pairs)) {
    files.set(`${name}.pem`, ok(cert)).set(`${name}-key.pem`, ok(key))
  }
  return files.set('gone.pem', err('cannot be read: ENOENT')).set('text.pem', ok('hello'))
}
