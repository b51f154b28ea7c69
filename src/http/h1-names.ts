// Field names that a scan of a head knows without making a string of them.
import { bytesOf } from '../lib/bytes-of.ts'
import { isFolded, matchesFolded } from './h1-bytes.ts'

/** Numbers of the known names; `other` is every name that is none of them. */
export const KNOWN = {
  other: 0,
  host: 1,
  connection: 2,
  keepAlive: 3,
  /** `Proxy-` and anything: all of them belong to one hop. */
  proxyHop: 4,
  te: 5,
  trailer: 6,
  transferEncoding: 7,
  upgrade: 8,
  contentLength: 9,
  expect: 10,
  /** `Proxy` itself, which no server should take from a client. */
  proxy: 11,
  requestId: 12,
  forwardedFor: 13,
  forwardedHost: 14,
  /** Every other name of the forwarded set (`isForwardedField`). */
  forwarded: 15,
  /** `SSL-Client-` and anything: results of a check that is ours to make. */
  clientCertificate: 16,
  server: 17,
  date: 18,
  /** A field that has the name of an option of `Connection`, and would go where that is honoured. */
  close: 19,
  contentType: 20,
} as const
export const KNOWN_COUNT = 21

const HOST = bytesOf('host')
const CONNECTION = bytesOf('connection')
const KEEP_ALIVE = bytesOf('keep-alive')
const PROXY_HOP = bytesOf('proxy-')
const TE = bytesOf('te')
const TRAILER = bytesOf('trailer')
const TRANSFER_ENCODING = bytesOf('transfer-encoding')
const UPGRADE = bytesOf('upgrade')
const CONTENT_LENGTH = bytesOf('content-length')
const EXPECT = bytesOf('expect')
const PROXY = bytesOf('proxy')
const REQUEST_ID = bytesOf('x-request-id')
const FORWARDED_FOR = bytesOf('x-forwarded-for')
const FORWARDED_HOST = bytesOf('x-forwarded-host')
const FORWARDED_ANY = bytesOf('x-forwarded-')
const ORIGINAL_ANY = bytesOf('x-original-')
const FORWARDED = bytesOf('forwarded')
const REAL_IP = bytesOf('x-real-ip')
const SCHEME = bytesOf('x-scheme')
const CLIENT_CERTIFICATE = bytesOf('ssl-client-')
const SERVER = bytesOf('server')
const DATE = bytesOf('date')
const CLOSE = bytesOf('close')
const CONTENT_TYPE = bytesOf('content-type')

// A token holds no byte but a letter that folding would make a letter of, and none that it would make `-` of.
/** The number of the name `bytes[start, end)`, a token in any case. */
export function knownName(bytes: Uint8Array, start: number, end: number): number {
  switch ((bytes[start] ?? 0) | 0x20) {
    case 0x63: // c
      return nameInC(bytes, start, end)
    case 0x64: // d
      return isFolded(bytes, start, end, DATE) ? KNOWN.date : KNOWN.other
    case 0x65: // e
      return isFolded(bytes, start, end, EXPECT) ? KNOWN.expect : KNOWN.other
    case 0x66: // f
      return isFolded(bytes, start, end, FORWARDED) ? KNOWN.forwarded : KNOWN.other
    case 0x68: // h
      return isFolded(bytes, start, end, HOST) ? KNOWN.host : KNOWN.other
    case 0x6b: // k
      return isFolded(bytes, start, end, KEEP_ALIVE) ? KNOWN.keepAlive : KNOWN.other
    case 0x70: // p
      if (hasPrefix(bytes, start, end, PROXY_HOP)) return KNOWN.proxyHop
      return isFolded(bytes, start, end, PROXY) ? KNOWN.proxy : KNOWN.other
    case 0x73: // s
      if (isFolded(bytes, start, end, SERVER)) return KNOWN.server
      return hasPrefix(bytes, start, end, CLIENT_CERTIFICATE) ? KNOWN.clientCertificate : KNOWN.other
    case 0x74: // t
      return nameInT(bytes, start, end)
    case 0x75: // u
      return isFolded(bytes, start, end, UPGRADE) ? KNOWN.upgrade : KNOWN.other
    case 0x78: // x
      return nameInX(bytes, start, end)
    // Most fields have none of these names: numbers, not a closed choice.
    default:
      return KNOWN.other
  }
}

function nameInC(bytes: Uint8Array, start: number, end: number): number {
  if (isFolded(bytes, start, end, CONNECTION)) return KNOWN.connection
  if (isFolded(bytes, start, end, CONTENT_LENGTH)) return KNOWN.contentLength
  if (isFolded(bytes, start, end, CONTENT_TYPE)) return KNOWN.contentType
  return isFolded(bytes, start, end, CLOSE) ? KNOWN.close : KNOWN.other
}

function nameInT(bytes: Uint8Array, start: number, end: number): number {
  if (isFolded(bytes, start, end, TRANSFER_ENCODING)) return KNOWN.transferEncoding
  if (isFolded(bytes, start, end, TE)) return KNOWN.te
  return isFolded(bytes, start, end, TRAILER) ? KNOWN.trailer : KNOWN.other
}

function nameInX(bytes: Uint8Array, start: number, end: number): number {
  if (isFolded(bytes, start, end, REQUEST_ID)) return KNOWN.requestId
  if (isFolded(bytes, start, end, FORWARDED_FOR)) return KNOWN.forwardedFor
  if (isFolded(bytes, start, end, FORWARDED_HOST)) return KNOWN.forwardedHost
  if (hasPrefix(bytes, start, end, FORWARDED_ANY) || hasPrefix(bytes, start, end, ORIGINAL_ANY)) return KNOWN.forwarded
  return isFolded(bytes, start, end, REAL_IP) || isFolded(bytes, start, end, SCHEME) ? KNOWN.forwarded : KNOWN.other
}

function hasPrefix(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  return end - start >= prefix.length && matchesFolded(bytes, start, prefix)
}
