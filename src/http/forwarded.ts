// Who the client is and what the upstream is told of it (R20-30 to R20-36, R20-49 to R20-51).
import { isForwardedField } from '../lib/field-names.ts'
import { type CidrSet, isIp } from '../lib/ip.ts'
import { type HeaderIndex, trimBlanks } from './header-list.ts'

/** The other end of a client connection. Whether it is trusted is decided once, for the whole set (R20-51). */
export interface Peer {
  /** Without brackets; IPv4-mapped addresses in their IPv4 form. */
  readonly address: string
  readonly trusted: boolean
}

/** What this hop knows of a request. */
export interface Hop {
  readonly peer: Peer
  /** The request's authority as the client sent it; empty where it sent none. */
  readonly authority: string
  /** The port that clients dial. */
  readonly port: number
  readonly scheme: 'http' | 'https'
  /** 32 random hexadecimal digits, for a request that came without a usable id. */
  readonly freshId: string
  /** What the route sets as `X-Forwarded-Prefix`; absent: nothing (R20-35). */
  readonly prefix?: string | undefined
}

const REQUEST_ID = /^[A-Za-z0-9._~+/=-]{1,128}$/
const MAPPED = '::ffff:'

/** An address as we write it: IPv4 that came over an IPv6 socket is IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address
}

/**
 * The address of the client (R20-50). From a trusted peer: the right-most entry of `X-Forwarded-For` that is not
 * trusted itself, the left-most where all are, and the peer where an entry that is met is no address. Else the peer.
 */
export function clientAddress(index: HeaderIndex, peer: Peer, trusted: CidrSet): string {
  if (!peer.trusted) return peer.address
  const trail = index
    .values('x-forwarded-for')
    .flatMap((value) => value.split(','))
    .map(trimBlanks)
  for (let at = trail.length - 1; at >= 0; at -= 1) {
    const entry = trail[at] ?? ''
    if (!isIp(entry)) return peer.address
    if (at === 0 || !trusted.contains(entry)) return entry
  }
  return peer.address
}

/** Where load balancers of a cluster usually stand (RFC 1918, RFC 6598, RFC 4193). */
export const PRIVATE_RANGES: readonly string[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]

/**
 * Reports whether a trail was claimed by a peer that is not trusted and has a private address: most likely a load
 * balancer that `--trusted-proxies` forgot (R20-52).
 */
export function isForgottenProxy(index: HeaderIndex, peer: Peer, privateRanges: CidrSet): boolean {
  return !peer.trusted && index.has('x-forwarded-for') && privateRanges.contains(peer.address)
}

/**
 * The id of a request: the client's where it sent one that is fit to be logged and forwarded, else `freshId` (R20-30).
 */
export function requestId(index: HeaderIndex, freshId: string): string {
  const sent = index.values('x-request-id')
  const [first = ''] = sent
  return sent.length === 1 && REQUEST_ID.test(first) ? first : freshId
}

/**
 * Reports whether a field of the forwarded set that a trusted peer sent goes on as it came; `name` is in lower case.
 * What this hop writes anew in any case is not kept: ours would be the second of its name.
 */
export function isKeptFromTrusted(name: string, index: HeaderIndex): boolean {
  if (!isForwardedField(name)) return false
  if (REPLACED.has(name)) return false
  if (name === 'x-original-forwarded-for') return !index.has('x-forwarded-for')
  if (name === 'x-original-forwarded-host') return !index.has('x-forwarded-host')
  return true
}

/** The scheme that the client used, as far as who we trust says so (R20-51); else that of this hop. */
export function requestScheme(index: HeaderIndex, { peer, scheme }: Pick<Hop, 'peer' | 'scheme'>): Hop['scheme'] {
  const [claimed] = peer.trusted ? index.values('x-forwarded-proto') : []
  return claimed === 'https' || claimed === 'http' ? claimed : scheme
}

const REPLACED: ReadonlySet<string> = new Set(['x-real-ip', 'x-forwarded-for', 'forwarded'])

/**
 * The fields that this hop adds to a request, in the order in which they are written. `kept`: names, in lower case, of
 * the set that a trusted peer sent and that go on as they came.
 */
export function forwardedFields(
  index: HeaderIndex,
  hop: Hop,
  { client, kept }: { readonly client: string; readonly kept: ReadonlySet<string> },
): string[] {
  const fields = ['X-Request-Id', requestId(index, hop.freshId), 'X-Real-IP', client]
  const trail = index.values('x-forwarded-for').join(', ')
  fields.push('X-Forwarded-For', hop.peer.trusted && trail !== '' ? `${trail}, ${hop.peer.address}` : hop.peer.address)
  for (const [name, value] of ownFields(hop)) if (!kept.has(name.toLowerCase())) fields.push(name, value)
  if (hop.prefix !== undefined) fields.push('X-Forwarded-Prefix', hop.prefix)
  if (trail !== '') fields.push('X-Original-Forwarded-For', trail)
  const hosts = index.values('x-forwarded-host').join(', ')
  if (hosts !== '') fields.push('X-Original-Forwarded-Host', hosts)
  const forwarded = index.values('forwarded').join(', ')
  if (hop.peer.trusted && forwarded !== '') fields.push('Forwarded', `${forwarded}, ${forwardedElement(hop)}`)
  return fields
}

function ownFields(hop: Hop): readonly (readonly [name: string, value: string])[] {
  return [
    ...(hop.authority === '' ? [] : [['X-Forwarded-Host', hop.authority] as const]),
    ['X-Forwarded-Port', String(hop.port)],
    ['X-Forwarded-Proto', hop.scheme],
    ['X-Forwarded-Scheme', hop.scheme],
    ['X-Scheme', hop.scheme],
  ]
}

// RFC 7239, section 4: an IPv6 address and a host with a port are quoted.
function forwardedElement({ peer, authority, scheme }: Hop): string {
  const node = peer.address.includes(':') ? `"[${peer.address}]"` : peer.address
  const host = authority === '' ? '' : `;host="${authority}"`
  return `for=${node}${host};proto=${scheme}`
}
