// Addresses that are never dialled when they come from a cluster object (R20-184): who may write an EndpointSlice must
// not be able to point the proxy at itself, its node or a metadata service.
import { buildCidrSet, type CidrSet, ipFamily, parseHostPort } from '../lib/ip.ts'

export interface DialRules {
  /** However the address is written: IPv4 in an IPv6 address, mapped or by NAT64, is judged as what it is. */
  mayDial(host: string, port: number): boolean
}

/** Unspecified, loopback, link-local, multicast, broadcast. */
const DENIED_V4 = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32']
/** The same, and the IPv6 address of the EC2 metadata service. */
const DENIED_V6 = ['::/128', '::1/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128']

/** The rules, with `own` as `address:port` of listeners of ours that are not for traffic. */
export function buildDialRules(own: Iterable<string> = []): DialRules {
  const denied = buildCidrSet([...DENIED_V4, ...DENIED_V4.map(translated), ...DENIED_V6])
  const ownByPort = buildOwnAddresses(own)
  return {
    mayDial: (host, port) => !denied.contains(host) && ownByPort.get(port)?.contains(host) !== true,
  }
}

/** By port. An entry that is no IP address with a port is left out: nobody could dial it either. */
function buildOwnAddresses(own: Iterable<string>): ReadonlyMap<number, CidrSet> {
  const hosts = [...own].flatMap((text) => {
    const parsed = parseHostPort(text)
    return parsed.ok && ipFamily(parsed.value.host) !== undefined ? [parsed.value] : []
  })
  const byPort = Map.groupBy(hosts, ({ port }) => port)
  return new Map([...byPort].map(([port, entries]) => [port, buildCidrSet(entries.flatMap(spellings))] as const))
}

function spellings({ host }: { readonly host: string }): readonly string[] {
  return ipFamily(host) === 4 ? [`${host}/32`, translated(`${host}/32`)] : [host]
}

/** The network inside 64:ff9b::/96, which a NAT64 gateway translates to this IPv4 network (RFC 6052, section 2.1). */
function translated(network: string): string {
  const [address = '', bits = '32'] = network.split('/')
  return `64:ff9b::${address}/${96 + Number(bits)}`
}
