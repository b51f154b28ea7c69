// Addresses that are never dialled when they come from a cluster object (R20-184): who may write an EndpointSlice must
// not be able to point the proxy at itself, its node or a metadata service.
import { buildCidrSet, type CidrSet } from '../lib/ip.ts'

const DENIED_V4 = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const

/** Unspecified, loopback, link-local, multicast, and the IPv6 address of the EC2 metadata service. */
const DENIED_V6 = ['::/128', '::1/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128'] as const

/** Bits of 64:ff9b::/96, which a NAT64 gateway translates to the IPv4 address in the last 32 (RFC 6052, section 2.1). */
const NAT64_BITS = 96

/** The set of denied addresses; an IPv4 address in an IPv6 one, mapped or by NAT64, is judged as what it is. */
export function buildDeniedAddresses(): CidrSet {
  const v4 = DENIED_V4.map(([address, bits]) => `${address}/${bits}`)
  const translated = DENIED_V4.map(([address, bits]) => `64:ff9b::${address}/${NAT64_BITS + bits}`)
  return buildCidrSet([...v4, ...translated, ...DENIED_V6])
}
