// The client's request body on its way to an upstream: pulled only as fast as the upstream takes it (R20-172).
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Framing } from '../../../http/framing.ts'
import { faultInTrailers } from '../../../http/trailers.ts'
import type { AnswerName } from '../../own-answers.ts'
import { RetryBuffer } from '../../upstream/retry.ts'
import { BudgetValve } from './budget-valve.ts'
import type { EngineContext } from './context.ts'
import { addTrailers } from './node-fields.ts'

export interface RequestBodyEvents {
  /** A byte came from the client, or room was made for more. */
  moved(): void
  /** The body or its trailers passed a limit; nothing more of it is forwarded (R20-85, R20-95). */
  refused(answer: AnswerName): void
  /** The last byte was read. */
  ended(): void
  /** More is unread behind an early answer than we care to read (R20-89). */
  drainExceeded(): void
  trailersDropped(count: number): void
}

/** A body that is read before an endpoint is asked. */
interface Gathering {
  readonly maxBytes: number
  readonly done: (length: number | undefined) => void
}

export class RequestBody {
  readonly #request: IncomingMessage
  readonly #context: EngineContext
  readonly #events: RequestBodyEvents
  readonly #kept: RetryBuffer
  readonly #valve: BudgetValve
  #maxBytes: number
  #sink: ClientRequest | undefined
  #gathering: Gathering | undefined
  #isListening = false
  #isEnded = false
  #bytes = 0
  #drainLeft = Number.POSITIVE_INFINITY

  constructor(request: IncomingMessage, context: EngineContext, events: RequestBodyEvents) {
    this.#request = request
    this.#context = context
    this.#events = events
    this.#kept = new RetryBuffer(context.limits.retryBufferBytes)
    this.#maxBytes = context.limits.maxBodyBytes
    this.#valve = new BudgetValve(context, request)
  }

  /** Whether nothing of it is left to be read from the client. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** How much of it waits between the two sides, or is kept. */
  get bufferedBytes(): number {
    return this.#request.readableLength + this.#kept.bytes + (this.#sink?.writableLength ?? 0)
  }

  /** How much of it was read. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether all of it can (still) be sent: nothing was read, or all that was read is kept. */
  get canReplay(): boolean {
    return this.#bytes === 0 || this.#kept.isWhole
  }

  /** Whether fields came behind it, which only chunks can carry. */
  get hasTrailers(): boolean {
    return this.#request.rawTrailers.length > 0
  }

  /** Whether the client is held back because the upstream takes no more. */
  get isHeld(): boolean {
    return !this.#isEnded && this.#request.isPaused()
  }

  /** Says what the head announced: a body that is none has ended already. */
  expect(framing: Framing): void {
    this.#isEnded = framing.kind === 'none' || (framing.kind === 'length' && framing.bytes === 0)
  }

  /** Reads at most so much of it; 0: no limit (R20-88). */
  limitTo(maxBytes: number): void {
    this.#maxBytes = maxBytes
  }

  /**
   * Reads it whole where it fits into `maxBytes`, and calls `done` once: with its length, or with `undefined` where it is
   * larger and streams on from there (R11-71). All that was read is kept until a response came.
   */
  gather(maxBytes: number, done: (length: number | undefined) => void): void {
    if (this.#isEnded) {
      done(0)
      return
    }
    this.#gathering = { maxBytes, done }
    this.#kept.holdUpTo(Number.POSITIVE_INFINITY)
    this.#listen()
    this.#request.resume()
  }

  /** Sends the body to `sink`, what is kept of it first. */
  sendTo(sink: ClientRequest): void {
    this.#sink = sink
    for (const chunk of this.#kept.chunks) sink.write(chunk)
    if (this.#isEnded) {
      this.#finish()
      return
    }
    sink.on('drain', () => {
      if (this.#sink !== sink) return
      this.#events.moved()
      this.#valve.drained()
    })
    this.#listen()
    if (sink.writableNeedDrain) this.#request.pause()
    else this.#request.resume()
    this.#flushHead(sink)
  }

  // A body that is slow to begin must not hold the head back; one that is there goes out in one write with it.
  #flushHead(sink: ClientRequest): void {
    const before = this.#bytes
    setImmediate(() => {
      if (this.#sink === sink && this.#bytes === before && !sink.destroyed) sink.flushHeaders()
    })
  }

  /** Stops sending; what the client sends meanwhile waits. */
  detach(): void {
    this.#sink = undefined
    if (!this.#isEnded && this.#isListening) this.#request.pause()
  }

  /** Reads on where a spent budget alone had stopped it. */
  relieve(): void {
    if (this.#sink) this.#valve.relieve(this.#sink.writableLength)
  }

  /** No second try is made any more. What a connection that does not stand yet is to get is not for a second try. */
  forgetKept(): void {
    if (this.#sink || this.#bytes === 0) this.#kept.drop()
  }

  /** Reads and forgets what is left, at most `maxBytes` of it. */
  drain(maxBytes: number): void {
    this.#sink = undefined
    this.#gathering = undefined
    this.#kept.drop()
    if (this.#isEnded) return
    this.#drainLeft = maxBytes
    this.#listen()
    this.#request.resume()
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#request.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#request.on('end', () => {
      this.#isEnded = true
      if (this.#gathering) this.#gathered(this.#bytes)
      else this.#finish()
      this.#events.ended()
    })
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#gathering) this.#gather(chunk, this.#gathering)
    else if (this.#sink) this.#forward(chunk, this.#sink)
    else {
      this.#events.moved()
      this.#forget(chunk)
    }
  }

  #gather(chunk: Buffer, { maxBytes }: Gathering): void {
    if (this.#refuseTooLarge()) return
    this.#kept.keep(chunk)
    this.#events.moved()
    if (this.#bytes <= maxBytes) return
    this.#request.pause()
    this.#gathered(undefined)
  }

  #gathered(length: number | undefined): void {
    const gathering = this.#gathering
    this.#gathering = undefined
    // What was gathered is kept in any case; of what streams behind it no more than usual.
    this.#kept.holdUpTo(Math.max(this.#kept.bytes, this.#context.limits.retryBufferBytes))
    gathering?.done(length)
  }

  #refuseTooLarge(): boolean {
    const isTooLarge = this.#maxBytes > 0 && this.#bytes > this.#maxBytes
    if (isTooLarge) {
      this.#gathering = undefined
      this.#events.refused('body-too-large')
    }
    return isTooLarge
  }

  #forward(chunk: Buffer, sink: ClientRequest): void {
    if (this.#refuseTooLarge()) return
    this.#kept.keep(chunk)
    const isFull = !sink.write(chunk)
    this.#events.moved()
    this.#valve.wrote(isFull)
  }

  #forget(chunk: Buffer): void {
    this.#drainLeft -= chunk.length
    if (this.#drainLeft < 0) this.#events.drainExceeded()
  }

  #finish(): void {
    const sink = this.#sink
    if (!sink) return
    const fault = faultInTrailers(this.#request.rawTrailers, this.#context.limits)
    if (fault) {
      this.#events.refused(fault)
      return
    }
    const dropped = addTrailers(sink, this.#request.rawTrailers, this.#context.deps.settings)
    if (dropped > 0) this.#events.trailersDropped(dropped)
    sink.end()
  }
}
