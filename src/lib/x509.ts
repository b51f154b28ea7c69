// The door to OpenSSL for certificates: what one says about itself, and whether it can serve with its key.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
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
/**
 * Each name is looked for among all, which OpenSSL reads anew each time: names times their characters. All of 300 names
 * are less; 8,000 without a bound took a minute.
 */
const MAX_NAME_WORK = 4_000_000
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The facts of the first certificate of a PEM chain that can serve with this key. The error is the end of a sentence
 * about the material, and never holds any of it: `has no certificate`, `has a key that does not belong to the
 * certificate`.
 */
export function readKeyPair(chainPem: string, keyPem: string): Result<CertificateFacts, string> {
  if (chainPem.length > MAX_PEM_BYTES || keyPem.length > MAX_PEM_BYTES) return err('is larger than 256 KiB')
  const chain = readChain(chainPem)
  if (!chain.ok) return chain
  const key = readKey(keyPem)
  if (!key.ok) return key
  const [leaf] = chain.value
  if (!leaf.checkPrivateKey(key.value)) return err('has a key that does not belong to the certificate')
  return canServe(chainPem, keyPem) ? ok(factsOf(leaf)) : err('is refused by OpenSSL, as too weak a key is')
}

/** Reports whether every block of a PEM bundle of authorities can be read, and how many there are. */
export function countAuthorities(bundlePem: string): Result<number, string> {
  if (bundlePem.length > MAX_PEM_BYTES) return err('is larger than 256 KiB')
  const chain = readChain(bundlePem)
  return chain.ok ? ok(chain.value.length) : chain
}

// What a worker would refuse must not reach it: it would refuse a whole generation for one Secret (R21-13, R30-10).
function canServe(cert: string, key: string): boolean {
  try {
    // Without authorities: nobody is verified here.
    createSecureContext({ cert, key, ca: [] })
    return true
  } catch {
    return false
  }
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
    return err(`has a private key that ${ENCRYPTED.test(pem) ? 'needs a passphrase' : 'cannot be read'}`)
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
  const text = leaf.subjectAltName ?? ''
  const candidates = [...text.matchAll(/DNS:([^\s,"]+)/g)]
  const names = candidates.slice(0, MAX_NAME_WORK / text.length).flatMap(([, candidate = '']) => {
    const host = parseRuleHost(candidate)
    return host.ok && leaf.checkHost(asked(host.value)) !== undefined ? [host.value] : []
  })
  return [...new Set(names)].toSorted()
}

// A wildcard stands for any one label.
function asked(host: string): string {
  return host.startsWith('*.') ? `any${host.slice(1)}` : host
}

function keyTypeOf({ asymmetricKeyType }: KeyObject): KeyType {
  if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss') return 'rsa'
  return asymmetricKeyType === 'ec' ? 'ec' : 'other'
}
