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

export class RequestBody {
  readonly #request: IncomingMessage
  readonly #context: EngineContext
  readonly #events: RequestBodyEvents
  readonly #kept: RetryBuffer
  readonly #valve: BudgetValve
  #sink: ClientRequest | undefined
  #isListening = false
  #isEnded = false
  #bytes = 0
  #drainLeft = Number.POSITIVE_INFINITY

  constructor(request: IncomingMessage, context: EngineContext, events: RequestBodyEvents) {
    this.#request = request
    this.#context = context
    this.#events = events
    this.#kept = new RetryBuffer(context.limits.retryBufferBytes)
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

  /** Whether the client is held back because the upstream takes no more. */
  get isHeld(): boolean {
    return !this.#isEnded && this.#request.isPaused()
  }

  /** Says what the head announced: a body that is none has ended already. */
  expect(framing: Framing): void {
    this.#isEnded = framing.kind === 'none' || (framing.kind === 'length' && framing.bytes === 0)
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

  /** No second try is made any more. */
  forgetKept(): void {
    this.#kept.drop()
  }

  /** Reads and forgets what is left, at most `maxBytes` of it. */
  drain(maxBytes: number): void {
    this.#sink = undefined
    this.forgetKept()
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
      this.#finish()
      this.#events.ended()
    })
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#sink) this.#forward(chunk, this.#sink)
    else {
      this.#events.moved()
      this.#forget(chunk)
    }
  }

  #forward(chunk: Buffer, sink: ClientRequest): void {
    const { maxBodyBytes } = this.#context.limits
    if (maxBodyBytes > 0 && this.#bytes > maxBodyBytes) {
      this.#events.refused('body-too-large')
      return
    }
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
