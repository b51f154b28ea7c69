// The client's request body on its way to an upstream: pulled only as fast as the upstream takes it (R20-172).
import type { ClientRequest, IncomingMessage } from 'node:http'
import { forwardedTrailers } from '../../../http/trailers.ts'
import type { RetryBuffer } from '../../upstream/retry.ts'

export interface RequestBodyOptions {
  /** False where the framing says that there is no body. */
  readonly exists: boolean
  /** 0: none. */
  readonly maxBytes: number
  readonly kept: RetryBuffer
  readonly keepsUnderscores: boolean
}

export interface RequestBodyEvents {
  /** A byte came from the client or room was made for more. */
  moved(): void
  /** The body passed its limit; nothing more of it is forwarded (R20-95). */
  tooLarge(): void
  /** The last byte was read, or the drain is over. */
  ended(): void
  /** More is unread after an early answer than we care to read. */
  drainExceeded(): void
  trailersDropped(count: number): void
}

export class RequestBody {
  readonly #request: IncomingMessage
  readonly #options: RequestBodyOptions
  readonly #events: RequestBodyEvents
  #sink: ClientRequest | undefined
  #isListening = false
  #isEnded: boolean
  #bytes = 0
  #drainLeft = Number.POSITIVE_INFINITY

  constructor(request: IncomingMessage, options: RequestBodyOptions, events: RequestBodyEvents) {
    this.#request = request
    this.#options = options
    this.#events = events
    this.#isEnded = !options.exists
  }

  /** Whether every byte was read from the client. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether all of the body can (still) be sent: nothing of it was read, or all that was read is kept. */
  get canReplay(): boolean {
    return this.#bytes === 0 || this.#options.kept.isWhole
  }

  /** Whether the client is held back because the upstream takes no more. */
  get isHeld(): boolean {
    return !this.#isEnded && this.#request.isPaused()
  }

  /** Sends the body to `sink`, what is kept of it first. */
  sendTo(sink: ClientRequest): void {
    this.#sink = sink
    for (const chunk of this.#options.kept.chunks) sink.write(chunk)
    if (this.#isEnded) {
      this.#finish()
      return
    }
    sink.on('drain', () => {
      if (this.#sink !== sink) return
      this.#events.moved()
      this.#request.resume()
    })
    this.#listen()
    if (sink.writableNeedDrain) this.#request.pause()
    else this.#request.resume()
  }

  /** Stops sending; what the client sends meanwhile waits. */
  detach(): void {
    this.#sink = undefined
    if (!this.#isEnded && this.#isListening) this.#request.pause()
  }

  /** Reads and forgets what is left, at most `maxBytes` (R20-89). */
  drain(maxBytes: number): void {
    this.#sink = undefined
    this.#options.kept.drop()
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
    this.#events.moved()
    this.#bytes += chunk.length
    const { maxBytes, kept } = this.#options
    if (!this.#sink) {
      this.#drainLeft -= chunk.length
      if (this.#drainLeft < 0) this.#events.drainExceeded()
      return
    }
    if (maxBytes > 0 && this.#bytes > maxBytes) {
      this.#events.tooLarge()
      return
    }
    kept.keep(chunk)
    if (!this.#sink.write(chunk)) this.#request.pause()
  }

  #finish(): void {
    const sink = this.#sink
    if (!sink) return
    const { fields, dropped } = forwardedTrailers(this.#request.rawTrailers, this.#options.keepsUnderscores)
    if (dropped > 0) this.#events.trailersDropped(dropped)
    if (fields.length > 0) sink.addTrailers(fields as [string, string][])
    sink.end()
  }
}
