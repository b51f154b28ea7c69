// The field lines of a head as ranges of bytes, with all that an engine needs to know of them before it makes a string.
import { bytesOf } from '../lib/bytes-of.ts'
import {
  COLON,
  COMMA,
  CR,
  DOT,
  dropBlanks,
  isExactly,
  isFolded,
  LF,
  latin1,
  SPACE,
  skipBlanks,
  TOKEN_BYTES,
  UNDERSCORE,
  VALUE_BYTES,
} from './h1-bytes.ts'
import { KNOWN, knownName } from './h1-names.ts'
import type { HeaderList } from './header-list.ts'

/** What becomes of a known field in an ordinary head; `odd`: the head is none of the ordinary ones. */
export const KEPT = 0
export const DROPPED = 1
export const ODD = 2

/** Numbers of one field in `records`, in this order. */
export const RECORD = 5
export const NAME_START = 0
export const NAME_END = 1
export const VALUE_START = 2
export const VALUE_END = 3
/** The number of its name in `KNOWN`. */
export const NAME_ID = 4

/** `line` gives one of these, or the place behind the line. */
export const LINE_UNFINISHED = -1
export const LINE_MALFORMED = -2

const CLOSE = bytesOf('close')
const KEEP_ALIVE = bytesOf('keep-alive')
const UPGRADE = bytesOf('upgrade')
const TE = bytesOf('te')
const CHUNKED = bytesOf('chunked')
const TRAILERS = bytesOf('trailers')
const CONTINUE = bytesOf('100-continue')
const FIRST_RECORDS = 32
const MAX_DIGITS = 16

/**
 * The fields of one head. One object serves head after head; its members are those of the last. What is plain numbers
 * here is for engines: places in the bytes that were scanned, -1 where there is none.
 */
export class FieldSection {
  /** `RECORD` numbers for each field. */
  records: Int32Array = new Int32Array(FIRST_RECORDS * RECORD)
  count = 0
  /** Start and end of each run of bytes that an ordinary head is forwarded with, whole lines all of them. */
  runs: Int32Array = new Int32Array(16)
  runCount = 0
  /** False where only the list of fields tells what is to be forwarded. */
  isPlain = true
  /** The size of the lines as they are written anew: `name: value` and the line end. */
  bytes = 0

  hostCount = 0
  /** Index of the last field of its name; -1: none. */
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
  /** Whether `Connection` names anything but the three options above and `TE`. */
  namesFields = false
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
  hasUnderscore = false
  hasDot = false

  readonly #rules: Uint8Array
  #runStart = 0

  /** `rules`: by number of a name, what becomes of the field (`KEPT`, `DROPPED`, `ODD`). */
  constructor(rules: Uint8Array) {
    this.#rules = rules
  }

  /** Makes it ready for a section that begins at `start`. */
  reset(start: number): void {
    this.count = 0
    this.runCount = 0
    this.isPlain = true
    this.bytes = 0
    this.hostCount = 0
    this.hostAt = -1
    this.lengthCount = 0
    this.contentLength = -1
    this.codingCount = 0
    this.isChunked = false
    this.saysClose = false
    this.saysKeepAlive = false
    this.saysUpgrade = false
    this.namesFields = false
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
    this.hasUnderscore = false
    this.hasDot = false
    this.#runStart = start
  }

  /** Where the name of field `index` begins, and likewise below. */
  nameStart(index: number): number {
    return this.records[index * RECORD + NAME_START] ?? 0
  }

  nameEnd(index: number): number {
    return this.records[index * RECORD + NAME_END] ?? 0
  }

  /** Without the white space around it. */
  valueStart(index: number): number {
    return this.records[index * RECORD + VALUE_START] ?? 0
  }

  valueEnd(index: number): number {
    return this.records[index * RECORD + VALUE_END] ?? 0
  }

  /** The number of the name of field `index` in `KNOWN`. */
  nameId(index: number): number {
    return this.records[index * RECORD + NAME_ID] ?? 0
  }

  /**
   * Reads the line that begins at `start`. The place behind it, `LINE_UNFINISHED` where its end is not in
   * `bytes[start, to)`, or `LINE_MALFORMED`; only a whole line changes anything.
   */
  line(bytes: Uint8Array, start: number, to: number): number {
    let at = start
    let kinds = 0
    for (; at < to; at += 1) {
      const kind = TOKEN_BYTES[bytes[at] ?? 0] ?? 0
      if (kind === 0) break
      kinds |= kind
    }
    if (at === to) return LINE_UNFINISHED
    if (at === start || bytes[at] !== COLON) return LINE_MALFORMED
    const nameEnd = at
    const valueStart = skipBlanks(bytes, nameEnd + 1, to)
    at = valueStart
    while (at < to && VALUE_BYTES[bytes[at] ?? 0] === 1) at += 1
    if (at < to && bytes[at] !== CR) return LINE_MALFORMED
    if (at + 1 >= to) return LINE_UNFINISHED
    if (bytes[at + 1] !== LF) return LINE_MALFORMED
    if ((kinds & UNDERSCORE) !== 0) this.hasUnderscore = true
    if ((kinds & DOT) !== 0) this.hasDot = true
    const base = this.#record(start, nameEnd)
    this.records[base + VALUE_START] = valueStart
    this.records[base + VALUE_END] = dropBlanks(bytes, valueStart, at)
    this.records[base + NAME_ID] = knownName(bytes, start, nameEnd)
    this.#take(bytes, base, at)
    return at + 2
  }

  /** Ends the section: `end` is the place of the empty line behind it. */
  end(end: number): void {
    this.#closeRun(end)
  }

  /** Moves every place by `distance`: the bytes were copied to elsewhere as a whole. */
  move(distance: number): void {
    for (let at = 0; at < this.count * RECORD; at += 1) {
      if (at % RECORD !== NAME_ID) this.records[at] = (this.records[at] ?? 0) + distance
    }
    for (let at = 0; at < this.runCount * 2; at += 1) this.runs[at] = (this.runs[at] ?? 0) + distance
    this.#runStart += distance
  }

  /** The fields as strings, for all that is decided on them. */
  list(bytes: Uint8Array): HeaderList {
    const fields: string[] = []
    for (let index = 0; index < this.count; index += 1) {
      fields.push(
        latin1(bytes, this.nameStart(index), this.nameEnd(index)),
        latin1(bytes, this.valueStart(index), this.valueEnd(index)),
      )
    }
    return fields
  }

  #record(nameStart: number, nameEnd: number): number {
    const base = this.count * RECORD
    if (base === this.records.length) this.records = grown(this.records)
    this.records[base + NAME_START] = nameStart
    this.records[base + NAME_END] = nameEnd
    return base
  }

  #take(bytes: Uint8Array, base: number, lineEnd: number): void {
    const { records } = this
    const index = this.count
    const nameEnd = records[base + NAME_END] ?? 0
    const nameStart = records[base + NAME_START] ?? 0
    const valueStart = records[base + VALUE_START] ?? 0
    const valueEnd = records[base + VALUE_END] ?? 0
    const id = records[base + NAME_ID] ?? 0
    this.count = index + 1
    this.bytes += nameEnd - nameStart + (valueEnd - valueStart) + 4
    const rule = this.#rules[id] ?? KEPT
    if (rule === DROPPED) {
      this.#closeRun(nameStart)
      this.#runStart = lineEnd + 2
    } else if (rule === ODD || valueStart !== nameEnd + 2 || bytes[nameEnd + 1] !== SPACE || valueEnd !== lineEnd) {
      // What is kept is written as `name: value`, so any other spacing cannot be copied.
      this.isPlain = false
    }
    if (id !== KNOWN.other) this.#note(bytes, index, id)
  }

  #closeRun(end: number): void {
    const start = this.#runStart
    if (end === start) return
    const at = this.runCount * 2
    if (at === this.runs.length) this.runs = grown(this.runs)
    this.runs[at] = start
    this.runs[at + 1] = end
    this.runCount += 1
  }

  // `id` is a number and no closed choice: most names mean nothing here.
  #note(bytes: Uint8Array, index: number, id: number): void {
    const start = this.valueStart(index)
    const end = this.valueEnd(index)
    if (id === KNOWN.host) {
      this.hostCount += 1
      this.hostAt = index
    } else if (id === KNOWN.connection) this.#noteConnection(bytes, start, end)
    else if (id === KNOWN.contentLength) this.#noteLength(bytes, start, end)
    else if (id === KNOWN.transferEncoding) this.#noteCoding(bytes, start, end)
    else if (id === KNOWN.te) this.#noteTe(bytes, start, end)
    else if (id === KNOWN.upgrade) this.upgradeCount += 1
    else if (id === KNOWN.expect) this.expectsContinue ||= namesContinue(bytes, start, end)
    else if (id === KNOWN.proxy) this.proxyCount += 1
    else if (id === KNOWN.keepAlive) this.keepAliveAt = index
    else if (id === KNOWN.server) this.hasServer = true
    else if (id === KNOWN.date) this.hasDate = true
    else if (id === KNOWN.contentType) this.contentTypeAt = index
    else this.#noteForwarded(index, id)
  }

  #noteForwarded(index: number, id: number): void {
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

  #noteConnection(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end; ) {
      let comma = from
      while (comma < end && bytes[comma] !== COMMA) comma += 1
      const first = skipBlanks(bytes, from, comma)
      this.#noteOption(bytes, first, dropBlanks(bytes, first, comma))
      from = comma + 1
    }
  }

  #noteOption(bytes: Uint8Array, start: number, end: number): void {
    if (isFolded(bytes, start, end, KEEP_ALIVE)) this.saysKeepAlive = true
    else if (isFolded(bytes, start, end, CLOSE)) this.saysClose = true
    else if (isFolded(bytes, start, end, UPGRADE)) this.saysUpgrade = true
    // `TE` never goes on because it is named, nor stays here because of that.
    else if (end > start && !isFolded(bytes, start, end, TE)) {
      this.namesFields = true
      this.isPlain = false
    }
  }

  #noteLength(bytes: Uint8Array, start: number, end: number): void {
    this.lengthCount += 1
    this.contentLength = decimal(bytes, start, end)
    if (this.contentLength < 0 || this.lengthCount > 1) this.isPlain = false
  }

  #noteCoding(bytes: Uint8Array, start: number, end: number): void {
    this.codingCount += 1
    this.isChunked = isFolded(bytes, start, end, CHUNKED)
    if (this.codingCount > 1 || !isExactly(bytes, start, end, CHUNKED)) this.isPlain = false
  }

  #noteTe(bytes: Uint8Array, start: number, end: number): void {
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
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > MAX_DIGITS) return -1
  let value = 0
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return Number.isSafeInteger(value) ? value : -1
}

function grown(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
