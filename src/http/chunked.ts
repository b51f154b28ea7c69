// Follows a body in chunks through the bytes that it comes in: where it ends, and what of them goes on (RFC 9112, 7.1).
import { hexDigit } from '../lib/hex-digit.ts'
import { EXTENSION_END, EXTENSION_START, NO_PART, partAfter } from './chunk-extension.ts'
import { CR, LF, SEMICOLON } from './h1-bytes.ts'
import type { HeaderList } from './header-list.ts'
import { type TrailerFault, type TrailerLimits, TrailerSection } from './trailer-section.ts'

/** Only what stands behind the chunks has limits of its own: their extensions have a fixed one. */
export type ChunkedLimits = TrailerLimits

/** Why a body is refused, named as the answer to it. */
export type ChunkedFault = 'malformed' | TrailerFault

/** Bytes of chunk extensions in one body (R20-87). */
const MAX_EXTENSIONS = 16 * 1024
/** More digits than any size needs: what is behind them could be read as another number elsewhere. */
const MAX_DIGITS = 16

const SIZE_FIRST = 0
const SIZE = 1
const EXTENSION = 2
const SIZE_LF = 3
const DATA = 4
const DATA_CR = 5
const DATA_LF = 6
/** Behind the last chunk: a trailer, or the empty line that ends the body. */
const TRAILER_START = 7
const TRAILER = 8
const END_LF = 9
const ENDED = 10
const BROKEN = 11

/**
 * One body at a time; `read` is given its bytes as they come, cut anywhere. `runs` are the parts of what was read that
 * go on: with the chunks' own sizes, so that they are relayed byte for byte but for extensions and trailers, or the data
 * alone. An ordinary body is one run for each read.
 */
export class ChunkedBody {
  /** Start and end of each run in the bytes of the last `read`. */
  runs: Int32Array = new Int32Array(16)
  runCount = 0
  /** Bytes of data so far, sizes and trailers left out. */
  dataBytes = 0
  /** Why the body is refused; `undefined`: it is not. */
  fault: ChunkedFault | undefined = undefined
  /**
   * Whether there is a trailer section. Its bytes and the empty line behind them are in no run: whoever relays chunks
   * ends the section himself.
   */
  hasTrailers = false

  /**
   * Where the line of the last chunk (its size 0) begins in the bytes of the last `read`, or where they began if it came
   * before them; -1: not yet. Who relays nothing from here on can still leave the body unfinished (R71-3).
   */
  lastChunkAt = -1
  /** Whether that line is relayed all the same: a read ended within it, and its beginning is gone. */
  isLastLineRelayed = false

  readonly #limits: ChunkedLimits
  #state = SIZE_FIRST
  #sizeAt = 0
  #keepsSizes = true
  #digits = 0
  /** The size that is being read, then what is missing of the chunk. */
  #left = 0
  #extensionBytes = 0
  /** Which part of an extension is read. */
  #part = EXTENSION_START
  #runStart = -1
  #section: TrailerSection | undefined

  constructor(limits: ChunkedLimits) {
    this.#limits = limits
  }

  /** Makes it ready for the next body. `keepsSizes`: whether runs are chunks, or their data alone. */
  reset(keepsSizes: boolean): void {
    this.runCount = 0
    this.dataBytes = 0
    this.fault = undefined
    this.hasTrailers = false
    this.isLastLineRelayed = false
    this.#state = SIZE_FIRST
    this.#keepsSizes = keepsSizes
    this.#extensionBytes = 0
    this.#section = undefined
  }

  /** Whether the last byte of the body was read. */
  get isEnded(): boolean {
    return this.#state === ENDED
  }

  /** The trailer fields of a body that has ended, as they came. */
  get trailers(): HeaderList {
    return this.#section?.list() ?? NO_FIELDS
  }

  /**
   * Reads on in `bytes[from, to)`. The place behind the last byte that was of the body: `to` unless the body ended or
   * is refused before. With a fault, `runs` are what stands before it.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    this.runCount = 0
    this.lastChunkAt = this.#state >= TRAILER_START ? from : -1
    this.#sizeAt = this.#state > SIZE_FIRST && this.#state < DATA ? -1 : from
    this.#runStart = this.#isKept() ? from : -1
    let at = from
    while (at < to && this.#state !== ENDED && this.#state !== BROKEN) {
      at = this.#state === DATA ? this.#skipData(at, to) : this.#step(bytes, at)
    }
    this.#closeRun(at)
    return at
  }

  #skipData(at: number, to: number): number {
    const length = Math.min(to - at, this.#left)
    this.#left -= length
    this.dataBytes += length
    if (this.#left === 0) this.#enter(DATA_CR, at + length)
    return at + length
  }

  /** Reads one byte of what stands around the data; the place behind it, or the byte's own where it broke the body. */
  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0
    const state = this.#state
    if (state <= SIZE) this.#readSize(byte, at)
    else if (state === EXTENSION) this.#readExtension(byte, at)
    else if (state === SIZE_LF) this.#endSize(byte, at)
    else if (state === DATA_CR) this.#expect(byte === CR, DATA_LF, at)
    else if (state === DATA_LF) this.#expect(byte === LF, SIZE_FIRST, at)
    else if (state === END_LF) this.#expect(byte === LF, ENDED, at)
    else if (state === TRAILER_START && byte === CR) this.#enter(END_LF, at + 1)
    else this.#readTrailer(byte, at)
    return this.#state === BROKEN ? at : at + 1
  }

  #readSize(byte: number, at: number): void {
    if (this.#state === SIZE_FIRST) {
      this.#sizeAt = at
      this.#left = 0
      this.#digits = 0
    }
    const digit = hexDigit(byte)
    if (digit >= 0) this.#addDigit(digit, at)
    else if (this.#state === SIZE && byte === CR) this.#enter(SIZE_LF, at + 1)
    else if (this.#state === SIZE && byte === SEMICOLON) this.#readExtension(byte, at)
    else this.#refuse('malformed', at)
  }

  #endSize(byte: number, at: number): void {
    if (this.#left === 0) {
      this.isLastLineRelayed = this.#sizeAt < 0
      this.lastChunkAt = this.isLastLineRelayed ? at + 1 : this.#sizeAt
    }
    this.#expect(byte === LF, this.#left > 0 ? DATA : TRAILER_START, at)
  }

  #addDigit(digit: number, at: number): void {
    this.#digits += 1
    this.#left = this.#left * 16 + digit
    if (this.#digits > MAX_DIGITS || !Number.isSafeInteger(this.#left)) this.#refuse('malformed', at)
    else this.#state = SIZE
  }

  // Extensions are of this hop alone, whatever they say (R20-87); but who reads them must find the same end (71 #39).
  #readExtension(byte: number, at: number): void {
    if (this.#state === SIZE) {
      this.#enter(EXTENSION, at)
      this.#part = EXTENSION_START
    } else {
      this.#part = partAfter(this.#part, byte)
      if (this.#part === EXTENSION_END) {
        this.#enter(SIZE_LF, at)
        return
      }
    }
    this.#extensionBytes += 1
    if (this.#extensionBytes > MAX_EXTENSIONS || this.#part === NO_PART) this.#refuse('malformed', at)
  }

  #readTrailer(byte: number, at: number): void {
    this.#section ??= new TrailerSection(this.#limits)
    this.hasTrailers = true
    if (this.#state === TRAILER_START) this.#enter(TRAILER, at)
    const fault = this.#section.add(byte)
    if (fault) this.#refuse(fault, at)
    else if (byte === LF) this.#enter(TRAILER_START, at + 1)
  }

  #expect(isRight: boolean, next: number, at: number): void {
    if (isRight) this.#enter(next, at + 1)
    else this.#refuse('malformed', at)
  }

  #refuse(fault: ChunkedFault, at: number): void {
    this.fault = fault
    this.#enter(BROKEN, at)
  }

  /** What begins at `at` is read as `state` says. */
  #enter(state: number, at: number): void {
    this.#state = state
    if (!this.#isKept()) this.#closeRun(at)
    else if (this.#runStart < 0) this.#runStart = at
  }

  /** Whether what is read next goes on as it is. */
  #isKept(): boolean {
    const state = this.#state
    if (!this.#keepsSizes) return state === DATA
    return state !== EXTENSION && state < TRAILER_START ? true : !this.hasTrailers && isEnd(state)
  }

  #closeRun(end: number): void {
    const start = this.#runStart
    this.#runStart = -1
    if (start < 0 || start === end) return
    if (this.runCount * 2 === this.runs.length) {
      const larger = new Int32Array(this.runs.length * 2)
      larger.set(this.runs)
      this.runs = larger
    }
    this.runs[this.runCount * 2] = start
    this.runs[this.runCount * 2 + 1] = end
    this.runCount += 1
  }
}

const NO_FIELDS: HeaderList = []

function isEnd(state: number): boolean {
  return state === TRAILER_START || state === END_LF
}
