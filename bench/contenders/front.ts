// How a contender stands between its clients and its upstream: the same for all that are compared.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What clients speak: `h2` is HTTP/2 over TLS, `h2c` HTTP/2 in plaintext by prior knowledge. */
export type Speech = 'http' | 'https' | 'h2' | 'h2c'

/** What is asked for, and what the upstream speaks with it: HTTP/1.1, or HTTP/2 in plaintext with gRPC. */
export type Job = 'request' | 'grpc'

export interface Front {
  readonly speaks: Speech
  readonly job: Job
  /** What it shows to its clients; absent where nothing is encrypted. */
  readonly pair?: KeyPairFiles
}

export const PLAIN: Front = { speaks: 'http', job: 'request' }

/** Files with PEM in them. */
export interface KeyPairFiles {
  readonly cert: string
  readonly key: string
  /** Both of them, for programs that want one file. */
  readonly both: string
}

/** Makes a certificate for `shop.example` with a key on P-256, in files of `folder`. */
export function makeKeyPair(folder: string): KeyPairFiles {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), both: join(folder, 'both.pem') }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', files.key]
  const names = ['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example']
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '30', '-out', files.cert], { stdio: 'pipe' })
  writeFileSync(files.both, readFileSync(files.cert, 'utf8') + readFileSync(files.key, 'utf8'))
  return files
}

/** Whether clients speak TLS. */
export function isSecure({ speaks }: Pick<Front, 'speaks'>): boolean {
  return speaks === 'https' || speaks === 'h2'
}
