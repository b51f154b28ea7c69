// The header that a load balancer writes before a client's bytes: versions 1 and 2 of the PROXY protocol of HAProxy
// (its doc/proxy-protocol.txt, sections 2.1 and 2.2; R20-160 to R20-163).
import { bytesOf } from '../lib/bytes-of.ts'
import { ipFamily } from '../lib/ip.ts'
import { CR, LF, latin1 } from './h1-bytes.ts'
import { wordAt } from './word-at.ts'

/** The connection that the load balancer speaks for. */
export interface ProxiedConnection {
  /** The client, without brackets. */
  readonly address: string
  readonly port: number
  /** The port that the client dialled. */
  readonly localPort: number
}

/** `Signature`: no header of either version. `Tlv`: what stands behind the addresses does not fit the length. */
export type ProxyHeaderFault = 'Signature' | 'TooLong' | 'Version' | 'Address' | 'Tlv'

export type ProxyHeaderParse =
  | { readonly kind: 'need-more' }
  | {
      readonly kind: 'done'
      /** `undefined`: the header is of the load balancer's own connection, or does not say whose; the peer stays. */
      readonly connection: ProxiedConnection | undefined
      /** How many bytes the header has; what is behind them is the client's. */
      readonly length: number
    }
  | { readonly kind: 'invalid'; readonly fault: ProxyHeaderFault }

const SIGNATURE_1 = bytesOf('PROXY ')
const SIGNATURE_2 = bytesOf('\r\n\r\n\0\r\nQUIT\n')
/** The longest header of version 1, line end included. */
const MAX_1 = 107
const FIXED_2 = 16
/** The longest header of version 2 that is taken (R20-162). */
const MAX_2 = 536
const MAX_PORT = 65_535

const NEED_MORE: ProxyHeaderParse = { kind: 'need-more' }

/**
 * Reads the header that `bytes[from, to)` must begin with. To be called again with more bytes after `need-more`; it
 * needs 536 at most.
 */
export function parseProxyHeader(bytes: Uint8Array, from: number, to: number): ProxyHeaderParse {
  if (beginsWith(bytes, from, to, SIGNATURE_2)) return parseVersion2(bytes, from, to)
  if (beginsWith(bytes, from, to, SIGNATURE_1)) return parseVersion1(bytes, from, to)
  return invalid('Signature')
}

/** Whether the bytes are, as far as there are any, those of `signature`. */
function beginsWith(bytes: Uint8Array, from: number, to: number, signature: Uint8Array): boolean {
  const length = Math.min(to - from, signature.length)
  for (let index = 0; index < length; index += 1) if (bytes[from + index] !== signature[index]) return false
  return true
}

function parseVersion1(bytes: Uint8Array, from: number, to: number): ProxyHeaderParse {
  const limit = Math.min(to, from + MAX_1)
  let at = from
  while (at < limit && bytes[at] !== CR && bytes[at] !== LF) at += 1
  if (at + 1 >= from + MAX_1) return invalid('TooLong')
  if (at + 1 >= to) return at < to && bytes[at] === LF ? invalid('Address') : NEED_MORE
  if (bytes[at] !== CR || bytes[at + 1] !== LF) return invalid('Address')
  const length = at + 2 - from
  const [family, source = '', destination = '', sourcePort = '', destinationPort = '', ...more] = latin1(
    bytes,
    from + SIGNATURE_1.length,
    at,
  ).split(' ')
  // Whatever stands behind the word is not to be read.
  if (family === 'UNKNOWN') return { kind: 'done', connection: undefined, length }
  const wanted = family === 'TCP4' ? 4 : 6
  const port = parsePort(sourcePort)
  const localPort = parsePort(destinationPort)
  const isWrong = more.length > 0 || ipFamily(source) !== wanted || ipFamily(destination) !== wanted
  if ((family !== 'TCP4' && family !== 'TCP6') || isWrong || port < 0 || localPort < 0) return invalid('Address')
  return { kind: 'done', connection: { address: source, port, localPort }, length }
}

/** -1 for what is no port as the protocol writes one: without leading zeros. */
function parsePort(text: string): number {
  if (!/^(?:0|[1-9]\d{0,4})$/.test(text)) return -1
  const port = Number(text)
  return port <= MAX_PORT ? port : -1
}

const LOCAL = 0x20
const PROXY = 0x21
const FAMILY_V4 = 0x1
const FAMILY_V6 = 0x2
const STREAM = 0x1

function parseVersion2(bytes: Uint8Array, from: number, to: number): ProxyHeaderParse {
  if (to - from < FIXED_2) return NEED_MORE
  const command = bytes[from + 12] ?? 0
  if (command !== LOCAL && command !== PROXY) return invalid('Version')
  const length = FIXED_2 + wordAt(bytes, from + 14)
  if (length > MAX_2) return invalid('TooLong')
  if (to - from < length) return NEED_MORE
  const family = bytes[from + 13] ?? 0
  // The block of a LOCAL header is not looked into, whatever family it names.
  if (command === LOCAL) return { kind: 'done', connection: undefined, length }
  return readAddresses(bytes, from, length, family)
}

function readAddresses(bytes: Uint8Array, from: number, length: number, family: number): ProxyHeaderParse {
  const end = from + length
  const block = from + FIXED_2
  if (family >> 4 === 0) return { kind: 'done', connection: undefined, length }
  const size = addressSize(family)
  if (size === 0 || block + size * 2 + 4 > end) return invalid('Address')
  if (!fitTlvs(bytes, block + size * 2 + 4, end)) return invalid('Tlv')
  const address = size === 4 ? v4At(bytes, block) : v6At(bytes, block)
  const ports = block + size * 2
  const connection = { address, port: wordAt(bytes, ports), localPort: wordAt(bytes, ports + 2) }
  return { kind: 'done', connection, length }
}

/** Bytes of one address; 0 for what is no TCP over IP. */
function addressSize(family: number): number {
  if ((family & 0xf) !== STREAM) return 0
  if (family >> 4 === FAMILY_V4) return 4
  return family >> 4 === FAMILY_V6 ? 16 : 0
}

/** Whether the fields behind the addresses end where the header does. */
function fitTlvs(bytes: Uint8Array, from: number, end: number): boolean {
  let at = from
  while (at + 3 <= end) at += 3 + wordAt(bytes, at + 1)
  return at === end
}

function v4At(bytes: Uint8Array, at: number): string {
  return bytes.subarray(at, at + 4).join('.')
}

/** In the form of RFC 5952; an IPv4-mapped address keeps its dotted tail, as sockets show it. */
function v6At(bytes: Uint8Array, at: number): string {
  const groups = Array.from({ length: 8 }, (_none, index) => wordAt(bytes, at + index * 2))
  if (groups.every((group, index) => index >= 6 || group === (index === 5 ? 0xffff : 0))) {
    return `::ffff:${v4At(bytes, at + 12)}`
  }
  const { start, length } = longestZeros(groups)
  const texts = groups.map((group) => group.toString(16))
  if (length < 2) return texts.join(':')
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === 0) continue
    if (index - start > best.length) best = { start, length: index - start }
    start = index + 1
  }
  return best
}

function invalid(fault: ProxyHeaderFault): ProxyHeaderParse {
  return { kind: 'invalid', fault }
}
