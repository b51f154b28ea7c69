// The door to node:net for addresses: what is an IP address, and which network it belongs to.
import { isIP } from 'node:net'
import { err, ok, type Result } from './result.ts'

/** A network: its family and the leading bits that its addresses share. */
export interface Cidr {
  readonly family: 4 | 6
  /** 4 or 16 bytes; those past the prefix are 0. */
  readonly bytes: readonly number[]
  readonly prefixBits: number
}

/** Networks that can be asked whether an address lies in one of them. */
export interface CidrSet {
  /** False for what is no address. An IPv4-mapped IPv6 address is judged as the IPv4 address that it is. */
  contains(ip: string): boolean
}

/** An address of a listener or an endpoint, taken apart. */
export interface HostPort {
  /** Without brackets. An IP address or a name: the caller says which it takes. */
  readonly host: string
  readonly port: number
}

interface Address {
  readonly family: 4 | 6
  readonly bytes: readonly number[]
}

const MAPPED_BITS = 96
const MAX_PORT = 65_535

/** Reports whether `text` is an IP address without brackets, port or zone. */
export function isIp(text: string): boolean {
  return ipFamily(text) !== undefined
}

/** 4 or 6; `undefined` for what is no IP address, one with a zone (`fe80::1%eth0`) included. */
export function ipFamily(text: string): 4 | 6 | undefined {
  if (text.includes('%')) return undefined
  const family = isIP(text)
  return family === 4 || family === 6 ? family : undefined
}

/**
 * The network that `text` names: `10.0.0.0/8`, `2001:db8::/32`, or a bare address for itself alone. Bits past the
 * prefix are cleared, and a network inside ::ffff:0:0/96 is the IPv4 network that it maps. The error is part of a
 * sentence.
 */
export function parseCidr(text: string): Result<Cidr, string> {
  const slash = text.indexOf('/')
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash))
  if (!address) return err('is neither an IP address nor a network such as 10.0.0.0/8')
  const width = address.bytes.length * 8
  const prefix = slash < 0 ? width : parseDecimal(text.slice(slash + 1), width)
  if (prefix === undefined) return err(`has a prefix length that is not between 0 and ${width}`)
  return ok(unmapNetwork(address, prefix))
}

/** The set of these networks. Throws a RangeError for one that `parseCidr` does not take: check them first. */
export function buildCidrSet(cidrs: readonly string[]): CidrSet {
  const networks = cidrs.map((text) => {
    const parsed = parseCidr(text)
    if (parsed.ok) return parsed.value
    throw new RangeError(`"${text}" ${parsed.error}`)
  })
  return {
    contains(ip) {
      if (networks.length === 0) return false
      const address = parseAddress(withoutZone(ip))
      if (!address) return false
      const judged = unmapAddress(address)
      return networks.some((network) => covers(network, judged))
    },
  }
}

/** `192.0.2.1:80` or `[2001:db8::1]:80`: what endpoints are known by. */
export function endpointAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** `HOST:PORT` or `[V6]:PORT`, with a port from 0 to 65535 and a host that is not empty. The error is part of a sentence. */
export function parseHostPort(text: string): Result<HostPort, string> {
  const colon = text.lastIndexOf(':')
  if (colon < 0) return err('has no port')
  const port = parseDecimal(text.slice(colon + 1), MAX_PORT)
  if (port === undefined) return err(`has a port that is not between 0 and ${MAX_PORT}`)
  const host = text.slice(0, colon)
  if (host === '') return err('has no host')
  if (!host.startsWith('[')) return host.includes(':') ? err('needs [ ] around an IPv6 address') : ok({ host, port })
  const inner = host.slice(1, -1)
  return host.endsWith(']') && ipFamily(inner) === 6 ? ok({ host: inner, port }) : err('has no IPv6 address in its [ ]')
}

function parseAddress(text: string): Address | undefined {
  const family = ipFamily(text)
  if (family === undefined) return undefined
  return { family, bytes: family === 4 ? bytesOfV4(text) : bytesOfV6(text) }
}

function bytesOfV4(text: string): readonly number[] {
  return text.split('.').map(Number)
}

// `text` is known to be an IPv6 address, so at most one gap and at most one dotted tail are in it.
function bytesOfV6(text: string): readonly number[] {
  const [head = '', tail] = text.split('::')
  const before = bytesOfGroups(head)
  if (tail === undefined) return before
  const after = bytesOfGroups(tail)
  const gap = Array.from({ length: 16 - before.length - after.length }, () => 0)
  return [...before, ...gap, ...after]
}

function bytesOfGroups(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return bytesOfV4(group)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

function withoutZone(ip: string): string {
  const percent = ip.indexOf('%')
  return percent < 0 ? ip : ip.slice(0, percent)
}

function isMapped({ family, bytes }: Address): boolean {
  return family === 6 && bytes.every((byte, index) => index >= 12 || byte === (index < 10 ? 0 : 0xff))
}

function unmapAddress(address: Address): Address {
  return isMapped(address) ? { family: 4, bytes: address.bytes.slice(12) } : address
}

function unmapNetwork(address: Address, prefixBits: number): Cidr {
  const mapped = prefixBits >= MAPPED_BITS && isMapped(address)
  const { family, bytes } = mapped ? unmapAddress(address) : address
  const bits = mapped ? prefixBits - MAPPED_BITS : prefixBits
  return { family, bytes: bytes.map((byte, index) => byte & maskOf(bits - index * 8)), prefixBits: bits }
}

/** The mask of a byte of which `bits` leading bits count. */
function maskOf(bits: number): number {
  if (bits >= 8) return 0xff
  return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff
}

function covers(network: Cidr, address: Address): boolean {
  if (network.family !== address.family) return false
  return network.bytes.every(
    (byte, index) => byte === ((address.bytes[index] ?? 0) & maskOf(network.prefixBits - index * 8)),
  )
}

function parseDecimal(text: string, max: number): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined
  const value = Number(text)
  return value <= max ? value : undefined
}
