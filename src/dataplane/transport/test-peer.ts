import { NO_EVENTS } from './no-events.ts'
import type { Connection, ConnectionEvents, Transport } from './transport.ts'

/** One end of a connection in the self-test: each event as a promise, and a look at the bytes that come. */
export class TestPeer implements ConnectionEvents {
  readonly connection: Connection
  readonly #opened = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #drained = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<string | undefined>()
  #awaited: { readonly count: number; readonly come: () => void } | undefined
  #block: Buffer | undefined
  #isAsExpected = true
  #last: Buffer = Buffer.alloc(0)

  constructor(connection: Connection) {
    this.connection = connection
    connection.events = this
  }

  static connect(transport: Transport, port: number): TestPeer {
    // Nothing is told within the call, so that the peer is in time.
    return new TestPeer(transport.connect({ host: '127.0.0.1', port }, NO_EVENTS))
  }

  whenOpened(): Promise<void> {
    return this.#opened.promise
  }

  whenEnded(): Promise<void> {
    return this.#ended.promise
  }

  whenDrained(): Promise<void> {
    return this.#drained.promise
  }

  /** With the error, if it was one. */
  whenClosed(): Promise<string | undefined> {
    return this.#closed.promise
  }

  /** Resolves when so many bytes have come in all. */
  whenBytes(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.connection.bytesRead >= count) resolve()
      else this.#awaited = { count, come: resolve }
    })
  }

  /** A copy of what the last read gave. */
  get lastBytes(): Buffer {
    return this.#last
  }

  /** Whether every byte was the one that was expected. */
  get isAsExpected(): boolean {
    return this.#isAsExpected
  }

  /** From the first byte on, nothing but `block` is to come, over and over. */
  expectAgainAndAgain(block: Buffer): void {
    this.#block = block
  }

  send(bytes: Buffer): boolean {
    return this.connection.send(bytes, 0, bytes.length)
  }

  opened(): void {
    this.#opened.resolve()
  }

  received(slab: Buffer, length: number): void {
    if (this.#block) this.#compare(this.#block, slab, length)
    else this.#last = Buffer.from(slab.subarray(0, length))
    if (this.#awaited && this.connection.bytesRead >= this.#awaited.count) this.#awaited.come()
  }

  ended(): void {
    this.#ended.resolve()
  }

  drained(): void {
    this.#drained.resolve()
  }

  closed(error: string | undefined): void {
    this.#closed.resolve(error)
  }

  #compare(block: Buffer, slab: Buffer, length: number): void {
    const before = this.connection.bytesRead - length
    for (let at = 0; at < length; ) {
      const from = (before + at) % block.length
      const count = Math.min(length - at, block.length - from)
      if (block.compare(slab, at, at + count, from, from + count) !== 0) this.#isAsExpected = false
      at += count
    }
  }
}
