import { createSecureContext, type SecureContext } from 'node:tls'
import type { UpstreamTls } from '../../model/upstream-tls.ts'
import type { UpstreamWays } from './way.ts'

/** Identities whose contexts are kept at once; beyond it the one that is longest here is made anew when it is needed. */
const MAX_CONTEXTS = 1000

/** The keys and authorities of each identity as OpenSSL has them: parsed once, and let go of with the identity. */
export class SecureContexts {
  readonly #byDigest = new Map<string, SecureContext>()

  /** Throws where OpenSSL cannot use what the identity holds. */
  of(tls: UpstreamTls): SecureContext {
    const known = this.#byDigest.get(tls.digest)
    if (known) return known
    const context = contextOf(tls)
    const [oldest] = this.#byDigest.keys()
    if (this.#byDigest.size >= MAX_CONTEXTS && oldest !== undefined) this.#byDigest.delete(oldest)
    this.#byDigest.set(tls.digest, context)
    return context
  }

  /** Forgets every identity that no way has. */
  retain(ways: UpstreamWays): void {
    if (this.#byDigest.size === 0) return
    const digests = new Set([...ways.values()].map(({ tls }) => tls?.digest))
    for (const digest of this.#byDigest.keys()) if (!digests.has(digest)) this.#byDigest.delete(digest)
  }
}

function contextOf({ authorities, clientPair, minVersion, maxVersion, ciphers }: UpstreamTls): SecureContext {
  return createSecureContext({
    minVersion: `TLSv${minVersion ?? '1.2'}`,
    maxVersion: `TLSv${maxVersion ?? '1.3'}`,
    ...(authorities !== undefined && { ca: authorities }),
    ...(clientPair && { cert: clientPair.chain, key: clientPair.key }),
    ...(ciphers !== undefined && { ciphers }),
  })
}
