import { NO_EVENTS } from '../../src/dataplane/transport/no-events.ts'
import type { Connection, ConnectionEvents } from '../../src/dataplane/transport/transport.ts'

/** A connection without a socket: what is sent counts as taken at once, and what is received is handed in. */
export class MemoryConnection implements Connection {
  events: ConnectionEvents = NO_EVENTS
  readonly peerAddress = '192.0.2.1'
  readonly peerPort = 40_000
  readonly queuedBytes = 0
  readonly isClosed = false
  bytesRead = 0
  sentBytes = 0
  readonly #slab = Buffer.alloc(64 * 1024)

  send(_buffer: Buffer, from: number, to: number): boolean {
    this.sentBytes += to - from
    return true
  }

  pause(): void {}

  resume(): void {}

  end(): void {}

  close(): void {}

  /** Tells of `bytes` as a transport does: in a slab that is used again. */
  receive(bytes: Buffer): void {
    bytes.copy(this.#slab)
    this.bytesRead += bytes.length
    this.events.received(this.#slab, bytes.length)
  }
}
