// The splice of an upgrade: two connections that are each other's source and sink (R20-155).
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'
import type { Output } from './output.ts'
import type { TurnClock } from './turn-clock.ts'

export interface TunnelOptions {
  readonly output: Output
  readonly time: TurnClock
  /** What may wait in one direction before its source is paused (R20-121). */
  readonly bufferBytes: number
  /** 0: none (R20-91). */
  readonly idleTimeoutMs: number
  /** Both connections are gone. */
  readonly closed: () => void
}

export interface TunnelEnd {
  readonly connection: Connection
  /** Whether its peer has sent FIN already. */
  readonly hasEnded: boolean
}

/**
 * Carries bytes both ways with back-pressure. A FIN is relayed and the other direction goes on; an error or a close of
 * either connection ends both.
 */
export class Tunnel {
  readonly #options: TunnelOptions
  readonly #client: Side
  readonly #upstream: Side
  #movedMs: number
  #openSides = 2

  constructor(client: TunnelEnd, upstream: TunnelEnd, options: TunnelOptions) {
    this.#options = options
    this.#movedMs = options.time.nowMs
    this.#client = new Side(this, client, options)
    this.#upstream = new Side(this, upstream, options)
    this.#client.joins(this.#upstream)
    this.#upstream.joins(this.#client)
  }

  /** Begins to read. What was read before is already sent. */
  open(): void {
    this.#client.open()
    this.#upstream.open()
  }

  /** Something was read or taken. */
  moved(): void {
    this.#options.time.tick()
    this.#movedMs = this.#options.time.nowMs
  }

  /** Closes both sides of a tunnel on which nothing moves. */
  check(nowMs: number): void {
    const { idleTimeoutMs } = this.#options
    if (idleTimeoutMs > 0 && nowMs - this.#movedMs >= idleTimeoutMs) this.destroy()
  }

  destroy(): void {
    this.#client.close()
    this.#upstream.close()
  }

  sideClosed(): void {
    this.#openSides -= 1
    if (this.#openSides === 0) this.#options.closed()
  }
}

class Side implements ConnectionEvents {
  readonly #tunnel: Tunnel
  readonly #connection: Connection
  readonly #options: TunnelOptions
  #other: Side | undefined
  #hasEnded: boolean

  constructor(tunnel: Tunnel, { connection, hasEnded }: TunnelEnd, options: TunnelOptions) {
    this.#tunnel = tunnel
    this.#connection = connection
    this.#options = options
    this.#hasEnded = hasEnded
  }

  joins(other: Side): void {
    this.#other = other
    this.#connection.events = this
  }

  open(): void {
    if (this.#hasEnded) this.#other?.end()
    else if (this.#other?.isFull !== true) this.#connection.resume()
  }

  get isFull(): boolean {
    return this.#connection.queuedBytes >= this.#options.bufferBytes
  }

  opened(): void {}

  received(bytes: Buffer, length: number): void {
    const other = this.#other
    if (!other) return
    this.#tunnel.moved()
    this.#options.output.append(bytes, 0, length)
    this.#options.output.sendTo(other.#connection)
    if (other.isFull) this.#connection.pause()
  }

  ended(): void {
    this.#hasEnded = true
    this.#other?.end()
  }

  drained(): void {
    this.#tunnel.moved()
    this.#other?.resume()
  }

  closed(error: string | undefined): void {
    // A close behind a FIN is the normal end: what was read before still goes out.
    if (error !== undefined || !this.#hasEnded) this.#other?.close()
    this.#tunnel.sideClosed()
  }

  resume(): void {
    this.#connection.resume()
  }

  end(): void {
    this.#connection.end()
  }

  close(): void {
    this.#connection.close()
  }
}
