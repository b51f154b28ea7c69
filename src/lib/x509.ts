// The door to node:crypto for certificates: what one says about itself, and whether a key belongs to it.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { parseRuleHost } from './host-name.ts'
import { err, ok, type Result } from './result.ts'

/** What a certificate of a server says. */
export interface CertificateFacts {
  /** The DNS names that it is good for, each in the one form of a host; a wildcard as `*.example`. */
  readonly names: readonly string[]
  /** Milliseconds since 1970. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Of its public key. */
  readonly keyType: KeyType
}

/** Two certificates of one name serve beside each other where these differ (R21-12). */
export type KeyType = 'rsa' | 'ec' | 'other'

const MAX_PEM_BYTES = 256 * 1024
const MAX_NAMES = 1000
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The facts of the first certificate of a PEM chain. The error is the end of a sentence about the material, and never
 * holds any of it: `has no certificate`, `has a key that does not belong to the certificate`.
 */
export function readKeyPair(chainPem: string, keyPem: string): Result<CertificateFacts, string> {
  if (chainPem.length > MAX_PEM_BYTES || keyPem.length > MAX_PEM_BYTES) return err('is larger than 256 KiB')
  const chain = readChain(chainPem)
  if (!chain.ok) return chain
  const key = readKey(keyPem)
  if (!key.ok) return key
  const [leaf] = chain.value
  if (!leaf.checkPrivateKey(key.value)) return err('has a key that does not belong to the certificate')
  return ok(factsOf(leaf))
}

/** Reports whether every block of a PEM bundle of authorities can be read, and how many there are. */
export function countAuthorities(bundlePem: string): Result<number, string> {
  if (bundlePem.length > MAX_PEM_BYTES) return err('is larger than 256 KiB')
  const chain = readChain(bundlePem)
  return chain.ok ? ok(chain.value.length) : chain
}

/** Reports whether a certificate is good for a host in its one form (RFC 6125); names are never split by hand. */
export function isGoodFor(certificatePem: string, host: string): boolean {
  return new X509Certificate(certificatePem).checkHost(asked(host)) !== undefined
}

function readChain(pem: string): Result<readonly [X509Certificate, ...X509Certificate[]], string> {
  const blocks = pem.match(BLOCK) ?? []
  try {
    const [leaf, ...others] = blocks.map((block) => new X509Certificate(block))
    return leaf === undefined ? err('has no certificate') : ok([leaf, ...others])
  } catch {
    return err('has a certificate that cannot be read')
  }
}

function readKey(pem: string): Result<KeyObject, string> {
  if (!pem.includes('PRIVATE KEY-----')) return err('has no private key')
  try {
    return ok(createPrivateKey(pem))
  } catch {
    return err('has a private key that cannot be read')
  }
}

function factsOf(leaf: X509Certificate): CertificateFacts {
  return {
    names: namesOf(leaf),
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
    keyType: keyTypeOf(leaf.publicKey),
  }
}

// The text is only where candidates come from: a name counts where the certificate itself agrees (R21-29).
function namesOf(leaf: X509Certificate): readonly string[] {
  const names = new Set<string>()
  for (const [, candidate = ''] of (leaf.subjectAltName ?? '').matchAll(/DNS:([^\s,"]+)/g)) {
    const host = parseRuleHost(candidate)
    if (host.ok && leaf.checkHost(asked(host.value)) !== undefined) names.add(host.value)
    if (names.size === MAX_NAMES) break
  }
  return [...names].toSorted()
}

// A wildcard stands for any one label.
function asked(host: string): string {
  return host.startsWith('*.') ? `any${host.slice(1)}` : host
}

function keyTypeOf({ asymmetricKeyType }: KeyObject): KeyType {
  if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss') return 'rsa'
  return asymmetricKeyType === 'ec' ? 'ec' : 'other'
}
