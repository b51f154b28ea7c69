// The upstream's response body on its way to the client: pulled only as fast as the client takes it (R20-172).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BudgetValve } from './budget-valve.ts'
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
  readonly #valve: BudgetValve
  #hasBegun = false
  #isOver = false

  constructor(source: IncomingMessage, sink: ServerResponse, use: ResponseBodyUse) {
    this.#source = source
    this.#sink = sink
    this.#use = use
    this.#valve = new BudgetValve(use.context, source)
  }

  /** How much of it waits between the two sides. */
  get bufferedBytes(): number {
    return this.#source.readableLength + this.#sink.writableLength
  }

  /** Reads on where a spent budget alone had stopped it. */
  relieve(): void {
    this.#valve.relieve(this.#sink.writableLength)
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
      this.#valve.drained()
    })
    // A body that is slow to begin must not hold the head back; one that is there goes out in one write with it.
    setImmediate(() => {
      if (!this.#hasBegun && !this.#isOver && !this.#sink.destroyed) this.#sink.flushHeaders()
    })
  }

  #take(chunk: Buffer): void {
    this.#hasBegun = true
    const isFull = !this.#sink.write(chunk)
    this.#use.moved()
    this.#valve.wrote(isFull)
  }

  #end(): void {
    if (!this.#source.complete || wasReset(this.#source)) {
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

/** What the types of node:http leave out: a response without a body may have given its socket back already. */
type Source = Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<Socket, 'errored'> | null }

// A body that nothing but the end of its connection ends is whole for node:http by a reset too.
function wasReset({ socket, headers }: Source): boolean {
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !isFramed && Boolean(socket?.errored)
}
