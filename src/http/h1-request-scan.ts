// Finds the head of a request in the bytes of a connection, without making a string or an object of it (R20-4, R60-20).
import { bytesOf } from '../lib/bytes-of.ts'
import { isGrpcType } from './grpc.ts'
import { CR, LF, latin1, NUMBER_SIGN, QUESTION_MARK, SPACE, TARGET_BYTES, TOKEN_BYTES } from './h1-bytes.ts'
import type { FieldNotes } from './h1-field-notes.ts'
import { REQUEST_RULES } from './h1-field-rules.ts'
import { FieldSection, LINE_MALFORMED } from './h1-field-section.ts'
import { isPlainMethod, isPlainPath } from './h1-plain.ts'
import { DONE, endsLine, holdsLineEnd, INVALID, NEED_MORE, type ScanOutcome } from './h1-scan.ts'
import type { RawRequest, RequestFault, RequestLimits } from './request-check.ts'

/** The limits that are kept while a head is still coming. */
export type RequestScanLimits = Pick<RequestLimits, 'maxTargetBytes' | 'maxHeaderBytes' | 'maxHeaders'>

/** Bytes of empty lines before a request (R20-86). */
const MAX_EMPTY_LINES = 1024
/** What ends a request line: index 6 and 8 are any digit. */
const VERSION = bytesOf(' HTTP/1.1\r\n')
const MAJOR_AT = 6
const MINOR_AT = 8
// Of a head: the spaces and the version of its first line, and the empty line behind it.
const LINE_EXTRA = ' '.length + VERSION.length + '\r\n'.length

const START = 0
const EMPTY_LINES = 1
const REQUEST_LINE = 2
const FIELDS = 3

/**
 * One head at a time. `scan` may be called again with more bytes behind those that it had, also where all of them lie
 * elsewhere now: it goes on where it stopped, so that no byte is looked at more than three times. An object serves
 * request after request (`reset`). Whoever shares one between connections gives a connection with half a head its own.
 */
export class RequestScan {
  readonly fields: FieldSection = new FieldSection(REQUEST_RULES)
  readonly notes: FieldNotes = this.fields.notes
  /** Why the last `scan` gave `INVALID`. */
  fault: RequestFault = 'malformed'
  /** Where the request line begins, behind empty lines: also where the method does. */
  headStart = 0
  /** Behind the empty line that ends the head. */
  headEnd = 0
  methodEnd = -1
  targetStart = 0
  targetEnd = 0
  /** The place of the first `?` of the target, or its end. */
  pathEnd = 0
  /** Of HTTP/1: 0 or 1. */
  minorVersion = 1
  /**
   * Whether this is a request of the ordinary kind. Its path is canonical then, its framing is clear
   * (`notes.contentLength`, `notes.isChunked`), nothing but its `Host` can be wrong (`plainHostEnd`), and
   * `fields.runs` is all that is kept of its fields, from a peer that is not trusted or sent none of the forwarded set
   * (`notes.forwardedCount`). Of any other request, those who take `rawRequest` say what it is.
   */
  isPlain = false

  readonly #limits: RequestScanLimits
  #stage = START
  #from = 0
  /** Where the line begins that is read next. */
  #line = 0
  /** How far that line was looked through in vain for its end; -1: not at all yet. */
  #seen = -1

  constructor(limits: RequestScanLimits) {
    this.#limits = limits
  }

  /** Makes it ready for the next request. */
  reset(): void {
    this.#stage = START
    this.#seen = -1
    this.methodEnd = -1
    this.isPlain = false
  }

  /** Looks for a head in `bytes[from, to)`; `from` is where the message before ended. */
  scan(bytes: Uint8Array, from: number, to: number): ScanOutcome {
    if (this.#stage === START) {
      this.#stage = EMPTY_LINES
      this.#from = from
      this.#line = from
    } else if (from !== this.#from) this.#move(from - this.#from)
    if (this.#stage === EMPTY_LINES) {
      const outcome = this.#skipEmptyLines(bytes, to)
      if (outcome !== DONE) return outcome
    }
    // What is behind the limit is not looked at, so that the answer is the same wherever the bytes were cut.
    const limit = this.headStart + this.#limits.maxHeaderBytes
    const outcome = this.#readHead(bytes, Math.min(to, limit))
    return outcome === NEED_MORE && to > limit ? this.#overflow(bytes, limit, to) : outcome
  }

  /** The head with strings, for all that is decided on them. */
  rawRequest(bytes: Uint8Array): RawRequest {
    return {
      method: latin1(bytes, this.headStart, this.methodEnd),
      target: latin1(bytes, this.targetStart, this.targetEnd),
      majorVersion: 1,
      minorVersion: this.minorVersion,
      fields: this.fields.list(bytes),
    }
  }

  /** Whether what was read of the fields has a content type of gRPC; of a head that is not whole, as far as it came. */
  isGrpc(bytes: Uint8Array): boolean {
    const { contentTypeAt: at } = this.notes
    return at >= 0 && isGrpcType(bytes, this.fields.valueStart(at), this.fields.valueEnd(at))
  }

  #readHead(bytes: Uint8Array, to: number): ScanOutcome {
    if (this.#stage === REQUEST_LINE) {
      const outcome = this.#readRequestLine(bytes, to)
      if (outcome !== DONE) return outcome
    }
    return this.#readFields(bytes, to)
  }

  // A line that came in pieces was not judged yet; its own fault counts before that it is too long.
  #overflow(bytes: Uint8Array, limit: number, to: number): ScanOutcome {
    this.#seen = -1
    if (this.#readHead(bytes, limit) === INVALID) return INVALID
    const isInTarget = this.#stage === REQUEST_LINE && this.methodEnd >= 0
    return (isInTarget ? this.#overflowTarget(bytes, limit, to) : undefined) ?? this.#refuse('head-too-large')
  }

  // What is too long for its own limit is a target that is too long, wherever the limit of heads stands (R20-82).
  #overflowTarget(bytes: Uint8Array, limit: number, to: number): ScanOutcome | undefined {
    const start = this.targetStart
    const { maxTargetBytes } = this.#limits
    let at = start
    while (at < to && at - start <= maxTargetBytes && TARGET_BYTES[bytes[at] ?? 0] !== 0) at += 1
    if (at < limit) return undefined
    if (at - start > maxTargetBytes) return this.#refuse('target-too-long')
    return at === to ? NEED_MORE : undefined
  }

  #skipEmptyLines(bytes: Uint8Array, to: number): ScanOutcome {
    let at = this.#line
    while (at + 1 < to && bytes[at] === CR && bytes[at + 1] === LF) at += 2
    this.#line = at
    if (at - this.#from > MAX_EMPTY_LINES) return this.#refuse('malformed')
    if (at === to || (at + 1 === to && bytes[at] === CR)) return NEED_MORE
    this.#stage = REQUEST_LINE
    this.headStart = at
    return DONE
  }

  #readRequestLine(bytes: Uint8Array, to: number): ScanOutcome {
    if (this.#seen >= 0 && !this.#isRequestLineDue(bytes, to)) return this.#wait(bytes, to)
    const start = this.#line
    let at = start
    while (at < to && TOKEN_BYTES[bytes[at] ?? 0] !== 0) at += 1
    if (at === to) return this.#wait(bytes, to)
    if (at === start || bytes[at] !== SPACE) return this.#refuse('malformed')
    this.methodEnd = at
    this.targetStart = at + 1
    return this.#readTarget(bytes, to)
  }

  #readTarget(bytes: Uint8Array, to: number): ScanOutcome {
    const start = this.targetStart
    let at = start
    let queryAt = -1
    let kinds = 0
    for (; at < to; at += 1) {
      const kind = TARGET_BYTES[bytes[at] ?? 0] ?? 0
      if (kind === 0) break
      if (kind === QUESTION_MARK && queryAt < 0) queryAt = at
      kinds |= kind
    }
    if (at - start > this.#limits.maxTargetBytes) return this.#refuse('target-too-long')
    if (at === to) return this.#wait(bytes, to)
    if (at === start || bytes[at] !== SPACE) return this.#refuse('malformed')
    this.targetEnd = at
    this.pathEnd = queryAt < 0 ? at : queryAt
    this.isPlain = (kinds & NUMBER_SIGN) === 0
    return this.#readVersion(bytes, to)
  }

  // A version that is well formed and none of ours is told from one that is not (R71-12).
  #readVersion(bytes: Uint8Array, to: number): ScanOutcome {
    const start = this.targetEnd
    const length = Math.min(to - start, VERSION.length)
    for (let index = 1; index < length; index += 1) {
      if (!isVersionByte(bytes[start + index] ?? 0, index)) return this.#refuse('malformed')
    }
    if (length < VERSION.length) return this.#wait(bytes, to)
    const minor = (bytes[start + MINOR_AT] ?? 0) - 0x30
    if (bytes[start + MAJOR_AT] !== 0x31 || minor > 1) return this.#refuse('version-not-supported')
    this.minorVersion = minor
    this.#stage = FIELDS
    this.#line = start + VERSION.length
    this.#seen = -1
    this.fields.reset(this.#line)
    return DONE
  }

  #readFields(bytes: Uint8Array, to: number): ScanOutcome {
    const { fields } = this
    while (this.#line < to) {
      const start = this.#line
      if (bytes[start] === CR) return this.#readEnd(bytes, to)
      if (this.#seen >= 0 && !holdsLineEnd(bytes, this.#seen, to)) return this.#wait(bytes, to)
      if (fields.count === this.#limits.maxHeaders) return this.#refuse('too-many-fields')
      const next = fields.line(bytes, start, to)
      if (next === LINE_MALFORMED) return this.#refuse('malformed')
      if (next < 0) return this.#wait(bytes, to)
      this.#line = next
      this.#seen = -1
    }
    return this.#wait(bytes, to)
  }

  #readEnd(bytes: Uint8Array, to: number): ScanOutcome {
    const at = this.#line
    if (at + 1 === to) return this.#wait(bytes, to)
    if (bytes[at + 1] !== LF) return this.#refuse('malformed')
    this.headEnd = at + 2
    const target = this.targetEnd - this.targetStart
    // As it will be written; a field that came without a space behind its colon gets one.
    const size = this.methodEnd - this.headStart + target + LINE_EXTRA + this.fields.bytes
    if (size > this.#limits.maxHeaderBytes) return this.#refuse('head-too-large')
    this.fields.end(at)
    this.isPlain = this.isPlain && this.#hasPlainLine(bytes) && this.#hasPlainFields()
    return DONE
  }

  #hasPlainLine(bytes: Uint8Array): boolean {
    return isPlainMethod(bytes, this.headStart, this.methodEnd) && isPlainPath(bytes, this.targetStart, this.pathEnd)
  }

  #hasPlainFields(): boolean {
    const { fields, notes, minorVersion } = this
    if (!fields.isPlain || fields.hasUnderscore || fields.hasDot || notes.hostCount !== 1) return false
    if (notes.lengthCount + notes.codingCount > 1 || (minorVersion === 0 && notes.codingCount > 0)) return false
    return notes.requestIdCount <= 1 && notes.forwardedForCount <= 1 && notes.forwardedHostCount <= 1
  }

  #refuse(fault: RequestFault): ScanOutcome {
    this.fault = fault
    return INVALID
  }

  #wait(bytes: Uint8Array, to: number): ScanOutcome {
    // A CR at the end is looked at again: what follows it tells what it is.
    const seen = bytes[to - 1] === CR ? to - 1 : to
    this.#seen = seen > this.#line ? seen : -1
    return NEED_MORE
  }

  /** Whether the new bytes hold the end of the line, or what makes the rest of it unnecessary. */
  #isRequestLineDue(bytes: Uint8Array, to: number): boolean {
    for (let at = this.#seen; at < to; at += 1) {
      if (endsLine(bytes, at, to)) return true
      if (bytes[at] === SPACE && this.methodEnd < 0) this.methodEnd = at
    }
    return this.methodEnd >= 0 && to - this.methodEnd > this.#limits.maxTargetBytes + VERSION.length
  }

  #move(distance: number): void {
    this.#from += distance
    this.#line += distance
    if (this.#seen >= 0) this.#seen += distance
    this.headStart += distance
    if (this.methodEnd >= 0) this.methodEnd += distance
    this.targetStart += distance
    this.targetEnd += distance
    this.pathEnd += distance
    this.fields.move(distance)
  }
}

function isVersionByte(byte: number, index: number): boolean {
  return index === MAJOR_AT || index === MINOR_AT ? byte >= 0x30 && byte <= 0x39 : byte === VERSION[index]
}
