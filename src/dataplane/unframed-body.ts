// The body of an HTTP/1.1 message without its framing: which parts of what came are data, and where it ends.
import { ChunkedBody, type ChunkedLimits } from '../http/chunked.ts'
import { BODY_CHUNKED, BODY_UNTIL_CLOSE } from '../http/h1-response-scan.ts'
import type { HeaderList } from '../http/header-list.ts'

const NO_FIELDS: HeaderList = []

/** One body at a time. */
export class UnframedBody {
  /** Of what was taken last: how much is data. */
  bytes = 0
  /** And in how many parts. */
  runCount = 0
  /** Bytes that are still to come, `BODY_CHUNKED` or `BODY_UNTIL_CLOSE`. */
  #left = 0
  #isEnded = false
  #isChunked = false
  /** Follows bodies in chunks; made for the first. */
  #chunks: ChunkedBody | undefined
  readonly #limits: ChunkedLimits
  #from = 0
  #to = 0

  /** `limits`: of a trailer section. */
  constructor(limits: ChunkedLimits) {
    this.#limits = limits
  }

  /** Whether the body is whole. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether it came in chunks: only then it can have trailers. */
  get isChunked(): boolean {
    return this.#isChunked
  }

  /** Whether it broke its own framing. */
  get isBroken(): boolean {
    return this.#isChunked && this.#chunks?.fault !== undefined
  }

  /** Whether any of a trailer section came. */
  get hasTrailers(): boolean {
    return this.#isChunked && this.#chunks?.hasTrailers === true
  }

  /** Of a body that has ended. */
  get trailers(): HeaderList {
    return this.#isChunked ? (this.#chunks?.trailers ?? NO_FIELDS) : NO_FIELDS
  }

  /** `length`: bytes, `BODY_CHUNKED` or `BODY_UNTIL_CLOSE`. */
  begin(length: number): void {
    this.#left = length
    this.#isEnded = length === 0
    this.#isChunked = length === BODY_CHUNKED
    if (!this.#isChunked) return
    this.#chunks ??= new ChunkedBody(this.#limits)
    this.#chunks.reset(false)
  }

  /** Reads `bytes[from, to)`; `copy` and `run` then give the data in them. */
  take(bytes: Buffer, from: number, to: number): void {
    this.runCount = 0
    this.bytes = 0
    if (this.#isEnded) return
    if (this.#isChunked && this.#chunks) this.#takeChunks(this.#chunks, bytes, { from, to })
    else this.#takePiece(from, to)
  }

  /** The connection that it came on has ended; whether it is whole by that. */
  endWithConnection(): boolean {
    if (this.#left === BODY_UNTIL_CLOSE) this.#isEnded = true
    return this.#isEnded
  }

  /** The data in `bytes`, which were taken last, as bytes of its own. */
  copy(bytes: Buffer): Buffer {
    const copy = Buffer.allocUnsafe(this.bytes)
    let at = 0
    for (let run = 0; run < this.runCount; run += 1) at += bytes.copy(copy, at, this.#start(run), this.#end(run))
    return copy
  }

  /** One part of the data in `bytes`, not copied. */
  run(bytes: Buffer, run: number): Buffer {
    return bytes.subarray(this.#start(run), this.#end(run))
  }

  #takePiece(from: number, to: number): void {
    const end = this.#left === BODY_UNTIL_CLOSE ? to : Math.min(to, from + this.#left)
    this.#from = from
    this.#to = end
    this.bytes = end - from
    this.runCount = this.bytes > 0 ? 1 : 0
    if (this.#left === BODY_UNTIL_CLOSE) return
    this.#left -= end - from
    this.#isEnded = this.#left === 0
  }

  #takeChunks(chunks: ChunkedBody, bytes: Buffer, { from, to }: { readonly from: number; readonly to: number }): void {
    const before = chunks.dataBytes
    chunks.read(bytes, from, to)
    this.bytes = chunks.dataBytes - before
    this.runCount = chunks.runCount
    this.#isEnded = chunks.isEnded
  }

  #start(run: number): number {
    return this.#isChunked ? (this.#chunks?.runs[run * 2] ?? 0) : this.#from
  }

  #end(run: number): number {
    return this.#isChunked ? (this.#chunks?.runs[run * 2 + 1] ?? 0) : this.#to
  }
}
