// Finds the head of a response in the bytes of an upstream's connection, without making a string or an object of it.
import { bytesOf } from '../lib/bytes-of.ts'
import { CR, LF, latin1, SPACE, VALUE_BYTES } from './h1-bytes.ts'
import type { FieldNotes } from './h1-field-notes.ts'
import { RESPONSE_RULES } from './h1-field-rules.ts'
import { FieldSection, LINE_MALFORMED } from './h1-field-section.ts'
import { DONE, holdsLineEnd, INVALID, NEED_MORE, type ScanOutcome } from './h1-scan.ts'
import type { HeaderList } from './header-list.ts'

export interface ResponseScanLimits {
  /** Status line and empty line included (R20-112). */
  readonly maxHeaderBytes: number
  /** R20-113. */
  readonly maxHeaders: number
}

/** `bodyLength`: the body is in chunks. */
export const BODY_CHUNKED = -1
/** `bodyLength`: the body ends with the connection. */
export const BODY_UNTIL_CLOSE = -2

/** What a status line begins with: index 5 is `1`, and index 7 is 0 or 1. */
const VERSION = bytesOf('HTTP/1.1 ')
const MINOR_AT = 7
const STATUS_DIGITS = 3
const NO_CONTENT = 204
const NOT_MODIFIED = 304

/**
 * One head at a time, as `RequestScan`. `INVALID` is answered 502: what is not HTTP/1, what two parties could read in
 * two ways, and what is larger than the limits (71 J).
 */
export class ResponseScan {
  readonly fields: FieldSection = new FieldSection(RESPONSE_RULES)
  readonly notes: FieldNotes = this.fields.notes
  headStart = 0
  /** Behind the empty line that ends the head. */
  headEnd = 0
  /** Of HTTP/1: 0 or 1. */
  minorVersion = 1
  /** Three digits: whether they are a status is for `checkResponse`, or in `isPlain`. */
  status = 0
  /** Of the reason phrase; an empty range where there is none. */
  reasonStart = 0
  reasonEnd = 0
  /**
   * Whether this is a final response of the ordinary kind: `fields.runs` is then all that an HTTP/1.1 client gets of
   * its fields, and `bodyLength` how its body ends. Any other is for `checkResponse`.
   */
  isPlain = false

  readonly #limits: ResponseScanLimits
  #hasBegun = false
  /** Where the line begins that is read next: the status line, or a field. */
  #line = 0
  /** How far that line was looked through in vain for its end; -1: not at all yet. */
  #seen = -1
  #hasStatus = false

  constructor(limits: ResponseScanLimits) {
    this.#limits = limits
  }

  /** Makes it ready for the next response. */
  reset(): void {
    this.#hasBegun = false
    this.#hasStatus = false
    this.#seen = -1
    this.isPlain = false
  }

  /** Looks for a head in `bytes[from, to)`; `from` is where the response before ended. */
  scan(bytes: Uint8Array, from: number, to: number): ScanOutcome {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.headStart = from
      this.#line = from
    } else if (from !== this.headStart) this.#move(from - this.headStart)
    if (!this.#hasStatus) {
      const outcome = this.#readStatusLine(bytes, to)
      if (outcome !== DONE) return outcome
    }
    return this.#readFields(bytes, to)
  }

  /** The fields with strings, for all that is decided on them. */
  list(bytes: Uint8Array): HeaderList {
    return this.fields.list(bytes)
  }

  /** The reason phrase as it came. */
  reason(bytes: Uint8Array): string {
    return latin1(bytes, this.reasonStart, this.reasonEnd)
  }

  /** Whether the upstream takes another request on this connection. */
  get keepsOpen(): boolean {
    if (this.notes.saysClose) return false
    return this.minorVersion === 1 || this.notes.saysKeepAlive
  }

  /** Of a plain response: the bytes of its body, `BODY_CHUNKED` or `BODY_UNTIL_CLOSE`. `isHead`: it answers to HEAD. */
  bodyLength(isHead: boolean): number {
    const { status, notes } = this
    if (isHead || status === NO_CONTENT || status === NOT_MODIFIED) return 0
    if (notes.contentLength >= 0) return notes.contentLength
    return notes.codingCount > 0 ? BODY_CHUNKED : BODY_UNTIL_CLOSE
  }

  #readStatusLine(bytes: Uint8Array, to: number): ScanOutcome {
    if (this.#seen >= 0 && !holdsLineEnd(bytes, this.#seen, to)) return this.#wait(bytes, to)
    const start = this.headStart
    const known = Math.min(to - start, VERSION.length)
    for (let index = 0; index < known; index += 1) {
      if (bytes[start + index] !== VERSION[index] && !isMinorZero(bytes, start, index)) return INVALID
    }
    const digitsEnd = start + VERSION.length + STATUS_DIGITS
    if (to < digitsEnd + 2) return this.#wait(bytes, to)
    this.minorVersion = (bytes[start + MINOR_AT] ?? 0) - 0x30
    this.status = 0
    for (let at = start + VERSION.length; at < digitsEnd; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30
      if (digit < 0 || digit > 9) return INVALID
      this.status = this.status * 10 + digit
    }
    return this.#readReason(bytes, digitsEnd, to)
  }

  // The space before an empty reason is left out by many (RFC 9112, section 4, wants it).
  #readReason(bytes: Uint8Array, start: number, to: number): ScanOutcome {
    if (bytes[start] !== SPACE && bytes[start] !== CR) return INVALID
    this.reasonStart = bytes[start] === SPACE ? start + 1 : start
    let at = this.reasonStart
    while (at < to && VALUE_BYTES[bytes[at] ?? 0] === 1) at += 1
    if (at < to && bytes[at] !== CR) return INVALID
    if (at + 1 >= to) return this.#wait(bytes, to)
    if (bytes[at + 1] !== LF) return INVALID
    this.reasonEnd = at
    this.#hasStatus = true
    this.#line = at + 2
    this.#seen = -1
    this.fields.reset(this.#line)
    return DONE
  }

  #readFields(bytes: Uint8Array, to: number): ScanOutcome {
    const { fields } = this
    const { maxHeaders, maxHeaderBytes } = this.#limits
    while (this.#line < to) {
      const start = this.#line
      if (bytes[start] === CR) return this.#readEnd(bytes, to)
      if (this.#seen >= 0 && !holdsLineEnd(bytes, this.#seen, to)) return this.#wait(bytes, to)
      if (fields.count === maxHeaders) return INVALID
      const next = fields.line(bytes, start, to)
      if (next === LINE_MALFORMED) return INVALID
      if (next < 0) return this.#wait(bytes, to)
      if (next - this.headStart > maxHeaderBytes) return INVALID
      this.#line = next
      this.#seen = -1
    }
    return this.#wait(bytes, to)
  }

  #readEnd(bytes: Uint8Array, to: number): ScanOutcome {
    const at = this.#line
    if (at + 1 === to) return this.#wait(bytes, to)
    if (bytes[at + 1] !== LF) return INVALID
    this.headEnd = at + 2
    if (this.headEnd - this.headStart > this.#limits.maxHeaderBytes) return INVALID
    this.fields.end(at)
    this.isPlain = this.#isOrdinary()
    return DONE
  }

  #isOrdinary(): boolean {
    const { fields, notes, status } = this
    if (!fields.isPlain || status < 200 || status > 599) return false
    if (notes.lengthCount + notes.codingCount > 1) return false
    // What these two must not have is taken out (RFC 9110, section 8.6; RFC 9112, section 6.1).
    if (status === NO_CONTENT) return notes.lengthCount + notes.codingCount === 0
    return status !== NOT_MODIFIED || notes.codingCount === 0
  }

  #wait(bytes: Uint8Array, to: number): ScanOutcome {
    if (to - this.headStart > this.#limits.maxHeaderBytes) return INVALID
    const seen = bytes[to - 1] === CR ? to - 1 : to
    this.#seen = seen > this.#line ? seen : -1
    return NEED_MORE
  }

  #move(distance: number): void {
    this.headStart += distance
    this.#line += distance
    if (this.#seen >= 0) this.#seen += distance
    this.reasonStart += distance
    this.reasonEnd += distance
    this.fields.move(distance)
  }
}

function isMinorZero(bytes: Uint8Array, start: number, index: number): boolean {
  return index === MINOR_AT && bytes[start + MINOR_AT] === 0x30
}
