// Certificates that are made when a test starts, with the system's openssl; nothing secret is in the repository.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface KeyPair {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  readonly keyType?: 'ec' | 'rsa' | 'ed25519'
  /** Of an RSA key. */
  readonly bits?: number
  /** Of an EC key. */
  readonly curve?: string
  readonly days?: number
  /** Signs it; where absent the certificate signs itself. */
  readonly issuer?: KeyPair
  readonly isAuthority?: boolean
  /** Further extensions, each as openssl's configuration writes it: `keyUsage=digitalSignature`. */
  readonly extensions?: readonly string[]
}

/** A certificate for these DNS names; a wildcard is `*.example`. */
export function makeCertificate(names: readonly string[], options: CertificateOptions = {}): KeyPair {
  const { days = 90, issuer, isAuthority = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const at = (file: string): string => join(folder, file)
  try {
    const alternatives = names.map((name) => `DNS:${name}`).join(',')
    const extensions = [
      ...(names.length > 0 ? ['-addext', `subjectAltName=${alternatives}`] : []),
      ...(isAuthority ? ['-addext', 'basicConstraints=critical,CA:TRUE'] : ['-addext', 'basicConstraints=CA:FALSE']),
      ...(options.extensions ?? []).flatMap((extension) => ['-addext', extension]),
    ]
    const signing: string[] = []
    if (issuer) {
      writeFileSync(at('ca.crt'), issuer.cert)
      writeFileSync(at('ca.key'), issuer.key)
      signing.push('-CA', at('ca.crt'), '-CAkey', at('ca.key'))
    }
    const request = [
      'req',
      '-x509',
      '-newkey',
      ...algorithmOf(options),
      '-nodes',
      '-days',
      String(days),
      '-subj',
      `/CN=${names[0] ?? 'test'}`,
    ]
    const files = ['-keyout', at('key.pem'), '-out', at('cert.pem')]
    execFileSync('openssl', [...request, ...extensions, ...signing, ...files], { stdio: 'pipe' })
    return { cert: readFileSync(at('cert.pem'), 'utf8'), key: readFileSync(at('key.pem'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function algorithmOf({ keyType = 'ec', bits = 2048, curve = 'P-256' }: CertificateOptions): readonly string[] {
  switch (keyType) {
    case 'ec':
      return ['ec', '-pkeyopt', `ec_paramgen_curve:${curve}`]
    case 'rsa':
      return [`rsa:${bits}`]
    case 'ed25519':
      return [keyType]
  }
}

/** `pair` as it was signed anew, by itself, to be over since yesterday. */
export function expire({ cert, key }: KeyPair): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const at = (file: string): string => join(folder, file)
  try {
    writeFileSync(at('cert.pem'), cert)
    writeFileSync(at('key.pem'), key)
    const files = ['-in', at('cert.pem'), '-signkey', at('key.pem'), '-out', at('expired.pem')]
    execFileSync('openssl', ['x509', '-days', '-1', ...files], { stdio: 'pipe' })
    return { cert: readFileSync(at('expired.pem'), 'utf8'), key }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
