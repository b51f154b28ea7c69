// The upstream's response body on its way to the client: pulled only as fast as the client takes it (R20-172).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { forwardedTrailers } from '../../../http/trailers.ts'

export interface ResponseBodyEvents {
  /** A byte came from the upstream, or the client took some. */
  moved(): void
  /** The upstream sent all of it. */
  received(): void
  /** The upstream's body ended before its end (R20-59). */
  cut(): void
  trailersDropped(count: number): void
}

export interface ResponseBodyOptions {
  /** Whether trailers can be sent: only behind chunks. */
  readonly takesTrailers: boolean
  readonly keepsUnderscores: boolean
}

export class ResponseBody {
  readonly #source: IncomingMessage
  readonly #sink: ServerResponse
  readonly #options: ResponseBodyOptions
  readonly #events: ResponseBodyEvents
  #hasBegun = false
  #isReceived = false

  constructor(source: IncomingMessage, sink: ServerResponse, options: ResponseBodyOptions, events: ResponseBodyEvents) {
    this.#source = source
    this.#sink = sink
    this.#options = options
    this.#events = events
  }

  /** Whether the client has not taken what was written for it. */
  get waitsForClient(): boolean {
    return this.#source.isPaused() || this.#isReceived
  }

  start(): void {
    const source = this.#source
    source.on('data', (chunk: Buffer) => this.#take(chunk))
    source.on('end', () => this.#end())
    source.on('error', () => this.#cut())
    source.on('close', () => this.#cut())
    this.#sink.on('drain', () => {
      this.#events.moved()
      source.resume()
    })
    // A body that is slow to begin must not hold the head back; one that is there goes out in one write with it.
    setImmediate(() => {
      if (!this.#hasBegun && !this.#isReceived && !this.#sink.destroyed) this.#sink.flushHeaders()
    })
  }

  #take(chunk: Buffer): void {
    this.#events.moved()
    this.#hasBegun = true
    if (!this.#sink.write(chunk)) this.#source.pause()
  }

  #end(): void {
    if (!this.#source.complete) {
      this.#cut()
      return
    }
    this.#isReceived = true
    if (this.#options.takesTrailers) this.#addTrailers()
    this.#sink.end()
    this.#events.received()
  }

  #addTrailers(): void {
    const { fields, dropped } = forwardedTrailers(this.#source.rawTrailers, this.#options.keepsUnderscores)
    if (dropped > 0) this.#events.trailersDropped(dropped)
    if (fields.length > 0) this.#sink.addTrailers(fields as [string, string][])
  }

  #cut(): void {
    if (this.#isReceived) return
    this.#isReceived = true
    this.#events.cut()
  }
}
