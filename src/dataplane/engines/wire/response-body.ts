// The upstream's response body on its way to the client, as the bytes that came (R70-57).
import { ChunkedBody } from '../../../http/chunked.ts'
import { BODY_CHUNKED, BODY_UNTIL_CLOSE } from '../../../http/h1-response-scan.ts'
import { forwardedTrailers } from '../../../http/trailers.ts'
import { appendTrailers } from './append-trailers.ts'
import type { WireContext } from './context.ts'

/** How the client learns where the body ends. */
export type ClientFraming = 'none' | 'length' | 'chunked' | 'close'

export class ResponseBody {
  readonly #context: WireContext
  /** Bytes that are still to come, `BODY_CHUNKED` or `BODY_UNTIL_CLOSE`. */
  #left = 0
  #framing: ClientFraming = 'none'
  /** Follows bodies in chunks; made for the first. */
  #chunks: ChunkedBody | undefined
  #isEnded = false
  #droppedTrailers = 0

  constructor(context: WireContext) {
    this.#context = context
  }

  /** Whether the upstream sent all of it. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether it broke its own framing: what the client has of it is all that it can get (R20-59). */
  get isBroken(): boolean {
    return this.#left === BODY_CHUNKED && this.#chunks?.fault !== undefined
  }

  /** Trailer fields that did not go on. */
  get droppedTrailers(): number {
    return this.#droppedTrailers
  }

  /** `length`: bytes, `BODY_CHUNKED` or `BODY_UNTIL_CLOSE`. */
  begin(length: number, framing: ClientFraming): void {
    this.#left = length
    this.#framing = framing
    this.#isEnded = length === 0
    this.#droppedTrailers = 0
    if (length !== BODY_CHUNKED) return
    this.#chunks ??= new ChunkedBody(this.#context.limits)
    this.#chunks.reset(framing === 'chunked')
  }

  /** Takes what is its own of `bytes[from, to)`, and puts into the output what goes on; the place behind it. */
  take(bytes: Buffer, from: number, to: number): number {
    if (this.#isEnded) return from
    if (this.#left === BODY_CHUNKED && this.#chunks) return this.#takeChunks(this.#chunks, bytes, { from, to })
    if (this.#left === BODY_UNTIL_CLOSE) this.#takePiece(bytes, from, to)
    else return this.#takeLength(bytes, from, to)
    return to
  }

  /** The upstream has ended its side; whether the body is complete by that. */
  endWithConnection(): boolean {
    if (this.#left !== BODY_UNTIL_CLOSE) return this.#isEnded
    if (this.#framing === 'chunked') appendTrailers([], this.#context.output)
    this.#isEnded = true
    return true
  }

  #takeLength(bytes: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#left)
    this.#left -= end - from
    this.#isEnded = this.#left === 0
    this.#context.output.append(bytes, from, end)
    return end
  }

  // A body without an end of its own becomes one in chunks, a chunk for each read.
  #takePiece(bytes: Buffer, from: number, to: number): void {
    if (from === to) return
    const { output } = this.#context
    if (this.#framing === 'chunked') output.appendText(`${(to - from).toString(16)}\r\n`)
    output.append(bytes, from, to)
    if (this.#framing === 'chunked') output.appendLineEnd()
  }

  #takeChunks(
    chunks: ChunkedBody,
    bytes: Buffer,
    { from, to }: { readonly from: number; readonly to: number },
  ): number {
    const end = chunks.read(bytes, from, to)
    const { runs, runCount, lastChunkAt } = chunks
    for (let run = 0; run < runCount; run += 1) {
      const start = runs[run * 2] ?? 0
      const stop = runs[run * 2 + 1] ?? 0
      const last = lastChunkAt < 0 ? stop : Math.min(stop, lastChunkAt)
      if (start < last) this.#context.output.append(bytes, start, last)
    }
    if (chunks.isEnded) this.#endChunks(chunks)
    return end
  }

  #endChunks(chunks: ChunkedBody): void {
    this.#isEnded = true
    if (this.#framing !== 'chunked') return
    const { deps, output } = this.#context
    const { fields, dropped } = forwardedTrailers(chunks.trailers, deps.settings.underscoreHeaders === 'keep')
    this.#droppedTrailers = dropped
    appendTrailers(fields, output, chunks.isLastLineRelayed)
  }
}
