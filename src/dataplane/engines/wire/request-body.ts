// The client's request body on its way to an upstream, as the bytes that came (R70-57).
import { ChunkedBody } from '../../../http/chunked.ts'
import { forwardedTrailers, type Trailers } from '../../../http/trailers.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName } from '../../own-answers.ts'
import { RetryBuffer } from '../../upstream/retry.ts'
import { appendTrailers } from './append-trailers.ts'
import type { WireContext } from './context.ts'

export interface RequestBodyOwner {
  /** The body or its trailers are malformed or passed a limit; nothing more of it is forwarded (R20-85, R20-95). */
  bodyRefused(answer: AnswerName): void
  /** The last byte was read. */
  bodyEnded(): void
  /** More is unread behind an early answer than we care to read (R20-89). */
  drainExceeded(): void
  /** It was read whole, or is larger than what is read before it is sent. */
  bodyGathered(): void
}

export interface RequestBodyParts {
  readonly context: WireContext
  readonly record: ExchangeRecord
  readonly owner: RequestBodyOwner
}

/** `held`: nothing is taken yet. `gathered`: all is kept. `sent`: it goes to an upstream. `drained`: it is forgotten. */
type Course = 'held' | 'gathered' | 'sent' | 'drained'

const NO_TRAILERS: Trailers['fields'] = []

export class RequestBody {
  readonly #context: WireContext
  readonly #record: ExchangeRecord
  readonly #owner: RequestBodyOwner
  #course: Course = 'held'
  /** Bytes of a body with a length that are still to come. */
  #left = 0
  /** Bytes of data that came. */
  #bytes = 0
  /** Follows bodies in chunks; made for the first. */
  #chunks: ChunkedBody | undefined
  #isChunked = false
  /** Whether it is data that is kept, and its chunks, if it is to have any, are made when it is sent. */
  #isData = false
  /** Whether what goes on is in chunks. */
  #sendsChunks = false
  #trailers: Trailers['fields'] = NO_TRAILERS
  #kept: RetryBuffer | undefined
  #maxBytes = 0
  #gatherBytes = 0
  #drainLeft = 0
  #isEnded = true
  /** Whether any of it went out: of a chunk its size may have, before there are data. */
  #hasSent = false

  constructor({ context, record, owner }: RequestBodyParts) {
    this.#context = context
    this.#record = record
    this.#owner = owner
  }

  /** Whether nothing of it is left to be read from the client. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** How much of it was read. */
  get bytes(): number {
    return this.#bytes
  }

  /** How much of it is kept for a second try. */
  get keptBytes(): number {
    return this.#kept?.bytes ?? 0
  }

  /** Whether all of it can (still) be sent: nothing went out, or all that did is kept. */
  get canReplay(): boolean {
    return !this.#hasSent || this.#kept?.isWhole === true
  }

  /** Whether fields came behind it. */
  get hasTrailers(): boolean {
    return this.#chunks?.hasTrailers === true
  }

  /** Begins a body of `length` bytes, or one in chunks. */
  begin(length: number, isChunked: boolean): void {
    this.#course = 'held'
    this.#left = length
    this.#bytes = 0
    this.#maxBytes = 0
    this.#hasSent = false
    this.#isEnded = length === 0 && !isChunked
    this.#isChunked = isChunked
    this.#isData = false
    this.#sendsChunks = isChunked
    this.#trailers = NO_TRAILERS
    this.#kept = this.#isEnded ? undefined : new RetryBuffer(this.#context.limits.retryBufferBytes)
    if (!isChunked) return
    this.#chunks ??= new ChunkedBody(this.#context.limits)
    this.#chunks.reset(true)
  }

  /** Reads at most so much of it; 0: no limit (R20-88). */
  limitTo(maxBytes: number): void {
    this.#maxBytes = maxBytes
  }

  /** Reads it whole where it fits into `maxBytes`, before it is sent (R11-71); `bodyGathered` is told once. */
  gather(maxBytes: number): void {
    this.#course = 'gathered'
    this.#gatherBytes = maxBytes
    this.#isData = true
    this.#chunks?.reset(false)
    this.#kept?.holdUpTo(Number.POSITIVE_INFINITY)
  }

  /** From now on it is sent; what is kept of it is put into the output first. */
  send(): void {
    this.#course = 'sent'
    for (const chunk of this.#kept?.chunks ?? []) this.#emit(chunk, 0, chunk.length)
    if (this.#isEnded && this.#isData && this.#sendsChunks) appendTrailers(this.#trailers, this.#context.output)
  }

  /** It is whole, and goes on with its length. */
  sendAsLength(): void {
    this.#sendsChunks = false
  }

  /** Stops sending; what the client sends meanwhile waits. */
  hold(): void {
    if (this.#course === 'sent') this.#course = 'held'
  }

  /** No second try is made any more. What a connection that does not stand yet is to get is not for a second try. */
  forgetKept(): void {
    if (this.#course === 'sent' || (this.#bytes === 0 && !this.#hasSent)) this.#kept?.drop()
  }

  /** Reads and forgets what is left, at most `maxBytes` of it. */
  drain(maxBytes: number): void {
    this.#course = 'drained'
    this.#drainLeft = maxBytes
    this.#kept?.drop()
  }

  /** Takes what is its own of `bytes[from, to)`, and puts into the output what goes on; the place behind it. */
  take(bytes: Buffer, from: number, to: number): number {
    if (this.#isEnded || this.#course === 'held') return from
    if (this.#isChunked && this.#chunks) return this.#takeChunks(this.#chunks, bytes, { from, to })
    return this.#takeLength(bytes, from, to)
  }

  #takeLength(bytes: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#left)
    this.#left -= end - from
    this.#bytes += end - from
    if (this.#isTooLarge()) {
      this.#owner.bodyRefused('body-too-large')
      return to
    }
    this.#use(bytes, from, end)
    if (this.#course === 'drained') this.#forget(end - from)
    if (this.#left === 0) this.#end()
    else this.#endGathering()
    return end
  }

  #takeChunks(
    chunks: ChunkedBody,
    bytes: Buffer,
    { from, to }: { readonly from: number; readonly to: number },
  ): number {
    const end = chunks.read(bytes, from, to)
    this.#bytes = chunks.dataBytes
    const fault = chunks.fault ?? (this.#isTooLarge() ? 'body-too-large' : undefined)
    if (fault) {
      this.#owner.bodyRefused(fault)
      return to
    }
    if (this.#course === 'drained') this.#forget(end - from)
    else this.#useRuns(chunks, bytes)
    if (chunks.isEnded) this.#endChunks(chunks)
    else this.#endGathering()
    return end
  }

  #isTooLarge(): boolean {
    return this.#course !== 'drained' && this.#maxBytes > 0 && this.#bytes > this.#maxBytes
  }

  // The last chunk waits for what stands behind it: until it is sent the body is not complete (R71-3).
  #useRuns({ runs, runCount, lastChunkAt }: ChunkedBody, bytes: Buffer): void {
    for (let run = 0; run < runCount; run += 1) {
      const from = runs[run * 2] ?? 0
      const to = runs[run * 2 + 1] ?? 0
      const end = lastChunkAt < 0 ? to : Math.min(to, lastChunkAt)
      if (from < end) this.#use(bytes, from, end)
    }
  }

  #use(bytes: Buffer, from: number, to: number): void {
    if (this.#course === 'drained' || from === to) return
    if (this.#course === 'sent') this.#emit(bytes, from, to)
    const kept = this.#kept
    if (kept?.isWhole === true) kept.keep(Buffer.copyBytesFrom(bytes, from, to - from))
  }

  #emit(bytes: Buffer, from: number, to: number): void {
    const { output } = this.#context
    this.#hasSent = true
    const wraps = this.#isData && this.#sendsChunks
    if (wraps) output.appendText(`${(to - from).toString(16)}\r\n`)
    output.append(bytes, from, to)
    if (wraps) output.appendLineEnd()
  }

  #endChunks(chunks: ChunkedBody): void {
    if (this.#course !== 'drained') {
      const { deps } = this.#context
      const { fields, dropped } = forwardedTrailers(chunks.trailers, deps.settings.underscoreHeaders === 'keep')
      this.#record.count('droppedTrailer', dropped)
      this.#trailers = fields
    }
    if (this.#course === 'sent') this.#endSending()
    this.#end()
  }

  #endSending(): void {
    const { output } = this.#context
    this.#hasSent = true
    const from = output.length
    appendTrailers(this.#trailers, output, !this.#isData && this.#chunks?.isLastLineRelayed === true)
    const kept = this.#kept
    // Of data that is kept, the end is made anew with the chunks.
    if (!this.#isData && kept?.isWhole === true)
      kept.keep(Buffer.copyBytesFrom(output.bytes, from, output.length - from))
  }

  #forget(count: number): void {
    this.#drainLeft -= count
    if (this.#drainLeft < 0) this.#owner.drainExceeded()
  }

  #end(): void {
    this.#isEnded = true
    this.#endGathering()
    this.#owner.bodyEnded()
  }

  #endGathering(): void {
    if (this.#course !== 'gathered' || (!this.#isEnded && this.#bytes <= this.#gatherBytes)) return
    this.#course = 'held'
    // What was gathered is kept in any case; of what streams behind it no more than usual.
    this.#kept?.holdUpTo(Math.max(this.#bytes, this.#context.limits.retryBufferBytes))
    this.#owner.bodyGathered()
  }
}
