import type { DetailedPeerCertificate } from 'node:tls'

/**
 * How many certificates stand between the leaf and the authority that is trusted, which is what OpenSSL calls the depth
 * of a chain (R21-39); counted no further than one above `limit`. `leaf`: what `getPeerCertificate(true)` gives.
 */
export function intermediatesOf(leaf: DetailedPeerCertificate, limit: number): number {
  let above = 0
  let below = leaf
  // The last one, which signed itself, is the authority.
  for (let next = leaf.issuerCertificate; above <= limit + 1 && isOther(next, below); next = next.issuerCertificate) {
    above += 1
    below = next
  }
  return Math.max(0, above - 1)
}

// A certificate that signed itself is its own issuer.
function isOther(next: DetailedPeerCertificate | undefined, below: DetailedPeerCertificate): boolean {
  return next !== undefined && next !== below && next.fingerprint256 !== below.fingerprint256
}
