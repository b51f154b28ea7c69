// What the fields say that an engine must know of before it makes a string of any: framing, the connection's options, and
// where the few are whose values it copies.
import { bytesOf } from '../lib/bytes-of.ts'
import { COMMA, dropBlanks, isExactly, isFolded, skipBlanks } from './h1-bytes.ts'
import { KNOWN } from './h1-names.ts'

/** Where the value of a field is, by its index. */
export interface ValuePlaces {
  valueStart(index: number): number
  valueEnd(index: number): number
}

const CLOSE = bytesOf('close')
const KEEP_ALIVE = bytesOf('keep-alive')
const UPGRADE = bytesOf('upgrade')
const TE = bytesOf('te')
const CHUNKED = bytesOf('chunked')
const TRAILERS = bytesOf('trailers')
const CONTINUE = bytesOf('100-continue')
const MAX_DIGITS = 16

/**
 * The notes of one head. One object serves head after head; its members are those of the last. What ends in `At` is the
 * index of the last field of its name, -1 where there is none.
 */
export class FieldNotes {
  /** False where one of these fields says something that only the list of fields can be asked about. */
  isPlain = true
  hostCount = 0
  hostAt = -1
  lengthCount = 0
  /** The value of the last `Content-Length`; -1: none, or none that is a number. */
  contentLength = -1
  codingCount = 0
  /** Whether the last `Transfer-Encoding` is `chunked` and no more. */
  isChunked = false
  /** Options of `Connection`. */
  saysClose = false
  saysKeepAlive = false
  saysUpgrade = false
  upgradeCount = 0
  expectsContinue = false
  requestIdCount = 0
  requestIdAt = -1
  forwardedForCount = 0
  forwardedForAt = -1
  forwardedHostCount = 0
  forwardedHostAt = -1
  /** Fields of the forwarded set, those two included. */
  forwardedCount = 0
  /** Fields `Proxy`. */
  proxyCount = 0
  keepAliveAt = -1
  contentTypeAt = -1
  hasServer = false
  hasDate = false

  readonly #places: ValuePlaces

  constructor(places: ValuePlaces) {
    this.#places = places
  }

  /** Makes it ready for the next head. */
  reset(): void {
    this.isPlain = true
    this.hostCount = 0
    this.hostAt = -1
    this.lengthCount = 0
    this.contentLength = -1
    this.codingCount = 0
    this.isChunked = false
    this.saysClose = false
    this.saysKeepAlive = false
    this.saysUpgrade = false
    this.upgradeCount = 0
    this.expectsContinue = false
    this.requestIdCount = 0
    this.requestIdAt = -1
    this.forwardedForCount = 0
    this.forwardedForAt = -1
    this.forwardedHostCount = 0
    this.forwardedHostAt = -1
    this.forwardedCount = 0
    this.proxyCount = 0
    this.keepAliveAt = -1
    this.contentTypeAt = -1
    this.hasServer = false
    this.hasDate = false
  }

  /** Notes what field `index` says, whose name is `id` of `KNOWN`. */
  take(bytes: Uint8Array, index: number, id: number): void {
    const start = this.#places.valueStart(index)
    const end = this.#places.valueEnd(index)
    // `id` is a number and no closed choice: most names mean nothing here.
    if (id === KNOWN.host) {
      this.hostCount += 1
      this.hostAt = index
    } else if (id === KNOWN.connection) this.#takeConnection(bytes, start, end)
    else if (id === KNOWN.contentLength) this.#takeLength(bytes, start, end)
    else if (id === KNOWN.transferEncoding) this.#takeCoding(bytes, start, end)
    else if (id === KNOWN.te) this.#takeTe(bytes, start, end)
    else if (id === KNOWN.upgrade) this.upgradeCount += 1
    else if (id === KNOWN.expect) this.expectsContinue ||= namesContinue(bytes, start, end)
    else if (id === KNOWN.proxy) this.proxyCount += 1
    else if (id === KNOWN.keepAlive) this.keepAliveAt = index
    else if (id === KNOWN.server) this.hasServer = true
    else if (id === KNOWN.date) this.hasDate = true
    else if (id === KNOWN.contentType) this.contentTypeAt = index
    else this.#takeForwarded(index, id)
  }

  #takeForwarded(index: number, id: number): void {
    if (id === KNOWN.requestId) {
      this.requestIdCount += 1
      this.requestIdAt = index
      return
    }
    if (id === KNOWN.forwardedFor) {
      this.forwardedForCount += 1
      this.forwardedForAt = index
    } else if (id === KNOWN.forwardedHost) {
      this.forwardedHostCount += 1
      this.forwardedHostAt = index
    } else if (id !== KNOWN.forwarded) return
    this.forwardedCount += 1
  }

  #takeConnection(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end; ) {
      let comma = from
      while (comma < end && bytes[comma] !== COMMA) comma += 1
      const first = skipBlanks(bytes, from, comma)
      this.#takeOption(bytes, first, dropBlanks(bytes, first, comma))
      from = comma + 1
    }
  }

  #takeOption(bytes: Uint8Array, start: number, end: number): void {
    if (isFolded(bytes, start, end, KEEP_ALIVE)) this.saysKeepAlive = true
    else if (isFolded(bytes, start, end, CLOSE)) this.saysClose = true
    else if (isFolded(bytes, start, end, UPGRADE)) this.saysUpgrade = true
    // `TE` never goes on because it is named, nor stays here because of that. Any other name takes fields out.
    else if (end > start && !isFolded(bytes, start, end, TE)) this.isPlain = false
  }

  #takeLength(bytes: Uint8Array, start: number, end: number): void {
    this.lengthCount += 1
    this.contentLength = decimal(bytes, start, end)
    if (this.contentLength < 0 || this.lengthCount > 1) this.isPlain = false
  }

  #takeCoding(bytes: Uint8Array, start: number, end: number): void {
    this.codingCount += 1
    this.isChunked = isFolded(bytes, start, end, CHUNKED)
    if (this.codingCount > 1 || !isExactly(bytes, start, end, CHUNKED)) this.isPlain = false
  }

  #takeTe(bytes: Uint8Array, start: number, end: number): void {
    // Of `TE` only `trailers` goes on, and only towards upstreams: as it came, where it says nothing else.
    if (!isExactly(bytes, start, end, TRAILERS)) this.isPlain = false
  }
}

/** Whether an `Expect` names `100-continue`, alone or among others. */
function namesContinue(bytes: Uint8Array, start: number, end: number): boolean {
  for (let from = start; from < end; ) {
    let comma = from
    while (comma < end && bytes[comma] !== COMMA) comma += 1
    const first = skipBlanks(bytes, from, comma)
    if (isFolded(bytes, first, dropBlanks(bytes, first, comma), CONTINUE)) return true
    from = comma + 1
  }
  return false
}

/** The number that up to 16 digits say; -1 where it is none, or none that is exact. */
function decimal(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > MAX_DIGITS) return -1
  let value = 0
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return Number.isSafeInteger(value) ? value : -1
}
