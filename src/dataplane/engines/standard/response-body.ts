// The upstream's response body on its way to the client: pulled only as fast as the client takes it (R20-172).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EngineContext } from './context.ts'
import { addTrailers } from './node-fields.ts'

export interface ResponseBodyUse {
  readonly context: EngineContext
  /** Whether trailers can be sent: only behind chunks. */
  readonly takesTrailers: boolean
  /** A byte came from the upstream, or the client took some. */
  moved(): void
  /** The upstream sent all of it. */
  received(): void
  /** The upstream's body broke off before its end (R20-59). */
  cut(): void
  trailersDropped(count: number): void
}

export class ResponseBody {
  readonly #source: IncomingMessage
  readonly #sink: ServerResponse
  readonly #use: ResponseBodyUse
  #hasBegun = false
  #isOver = false

  constructor(source: IncomingMessage, sink: ServerResponse, use: ResponseBodyUse) {
    this.#source = source
    this.#sink = sink
    this.#use = use
  }

  /** Whether it is the client that takes nothing, and not the upstream that sends nothing. */
  get waitsForClient(): boolean {
    return this.#source.isPaused()
  }

  start(): void {
    const source = this.#source
    source.on('data', (chunk: Buffer) => this.#take(chunk))
    source.on('end', () => this.#end())
    source.on('close', () => this.#cut())
    this.#sink.on('drain', () => {
      this.#use.moved()
      source.resume()
    })
    // A body that is slow to begin must not hold the head back; one that is there goes out in one write with it.
    setImmediate(() => {
      if (!this.#hasBegun && !this.#isOver && !this.#sink.destroyed) this.#sink.flushHeaders()
    })
  }

  #take(chunk: Buffer): void {
    this.#use.moved()
    this.#hasBegun = true
    if (!this.#sink.write(chunk)) this.#source.pause()
  }

  #end(): void {
    if (!this.#source.complete) {
      this.#cut()
      return
    }
    this.#isOver = true
    if (this.#use.takesTrailers) {
      const dropped = addTrailers(this.#sink, this.#source.rawTrailers, this.#use.context.deps.settings)
      if (dropped > 0) this.#use.trailersDropped(dropped)
    }
    this.#sink.end()
    this.#use.received()
  }

  #cut(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#use.cut()
  }
}
