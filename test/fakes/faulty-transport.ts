import type { Server, Socket } from 'node:net'
import { createPublicTransport } from '../../src/dataplane/transport/public.ts'
import type { Connection, ConnectionEvents, ConnectTarget, Transport } from '../../src/dataplane/transport/transport.ts'

/** What a transport may do wrong. */
export type TransportFaultKind =
  | 'changes a byte'
  | 'reads while paused'
  | 'takes what it cannot send'
  | 'counts nothing as waiting'
  | 'loses bytes under pressure'
  | 'hides a reset'
  | 'never opens'

/** The public transport with one fault. */
export class FaultyTransport implements Transport {
  readonly name = 'public'
  readonly #inner = createPublicTransport()
  readonly #fault: TransportFaultKind

  constructor(fault: TransportFaultKind) {
    this.#fault = fault
  }

  attach(server: Server, accepted: (connection: Connection) => void, released?: () => void): void {
    this.#inner.attach(server, (connection) => accepted(new FaultyConnection(connection, this.#fault)), released)
  }

  adopt(socket: Socket): Connection {
    return new FaultyConnection(this.#inner.adopt(socket), this.#fault)
  }

  release(connection: Connection): Socket {
    return this.#inner.release(connection)
  }

  connect(target: ConnectTarget, events: ConnectionEvents): Connection {
    const connection = new FaultyConnection(this.#inner.connect(target, events), this.#fault)
    connection.events = events
    return connection
  }
}

class FaultyConnection implements Connection, ConnectionEvents {
  declare events: ConnectionEvents
  readonly #inner: Connection
  readonly #fault: TransportFaultKind
  #lost = 0

  constructor(inner: Connection, fault: TransportFaultKind) {
    this.#inner = inner
    this.#fault = fault
    inner.events = this
  }

  get peerAddress(): string {
    return this.#inner.peerAddress
  }

  get peerPort(): number {
    return this.#inner.peerPort
  }

  get bytesRead(): number {
    return this.#inner.bytesRead - this.#lost
  }

  get queuedBytes(): number {
    return this.#fault === 'counts nothing as waiting' ? 0 : this.#inner.queuedBytes
  }

  get isClosed(): boolean {
    return this.#inner.isClosed
  }

  send(buffer: Buffer, from: number, to: number): boolean {
    const isTaken = this.#inner.send(buffer, from, to)
    return isTaken || this.#fault === 'takes what it cannot send'
  }

  pause(): void {
    if (this.#fault !== 'reads while paused') this.#inner.pause()
  }

  resume(): void {
    this.#inner.resume()
  }

  end(): void {
    this.#inner.end()
  }

  close(): void {
    this.#inner.close()
  }

  opened(): void {
    if (this.#fault !== 'never opens') this.events.opened()
  }

  received(slab: Buffer, length: number): void {
    if (this.#fault === 'changes a byte') slab[0] = 0
    if (this.#fault === 'loses bytes under pressure' && this.#inner.bytesRead > 100_000 && this.#lost === 0) {
      this.#lost = length
      return
    }
    this.events.received(slab, length)
  }

  ended(): void {
    this.events.ended()
  }

  drained(): void {
    this.events.drained()
  }

  closed(error: string | undefined): void {
    this.events.closed(this.#fault === 'hides a reset' ? undefined : error)
  }
}
