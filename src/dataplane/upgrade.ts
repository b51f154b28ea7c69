// The one splice of every upgrade: two sockets that are each other's source and sink (R20-155).
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface TunnelOptions {
  /** 0: none (R20-91). */
  readonly idleTimeoutMs: number
  readonly nowMs: () => number
  /** Both sockets are closed. */
  readonly closed: () => void
}

/** Bytes that were read before the tunnel stood, in order. */
export interface HeldBytes {
  readonly toUpstream: readonly Buffer[]
  readonly toClient: readonly Buffer[]
}

/**
 * Carries bytes both ways with back-pressure. A FIN is relayed and the other direction goes on; an error or a close of
 * either socket ends both. Whoever makes one has put `error` listeners on both sockets (R70-70).
 */
export class Tunnel {
  readonly #client: Duplex
  readonly #upstream: Duplex
  readonly #options: TunnelOptions
  #movedMs: number
  #openSockets = 2

  constructor(client: Duplex, upstream: Duplex, options: TunnelOptions) {
    this.#client = client
    this.#upstream = upstream
    this.#options = options
    this.#movedMs = options.nowMs()
  }

  open(held: HeldBytes): void {
    for (const socket of [this.#client, this.#upstream]) {
      if (socket instanceof Socket) socket.setTimeout(0)
      socket.allowHalfOpen = true
    }
    this.#relay(this.#upstream, this.#client, held.toClient)
    this.#relay(this.#client, this.#upstream, held.toUpstream)
  }

  /** Closes both sides of a tunnel on which nothing moves. */
  check(nowMs: number): void {
    const { idleTimeoutMs } = this.#options
    if (idleTimeoutMs > 0 && nowMs - this.#movedMs >= idleTimeoutMs) this.destroy()
  }

  destroy(): void {
    this.#client.destroy()
    this.#upstream.destroy()
  }

  #relay(from: Duplex, to: Duplex, held: readonly Buffer[]): void {
    let hasRoom = true
    for (const chunk of held) hasRoom = to.write(chunk)
    from.on('data', (chunk: Buffer) => {
      this.#movedMs = this.#options.nowMs()
      if (!to.write(chunk)) from.pause()
    })
    to.on('drain', () => {
      this.#movedMs = this.#options.nowMs()
      from.resume()
    })
    from.on('end', () => to.end())
    from.on('close', () => {
      // A close behind a FIN is the normal end: what was read before still goes out.
      if (!from.readableEnded) to.destroy()
      this.#closedOne()
    })
    if (from.readableEnded) to.end()
    if (from.destroyed) to.destroy()
    else if (hasRoom) from.resume()
  }

  #closedOne(): void {
    this.#openSockets -= 1
    if (this.#openSockets === 0) this.#options.closed()
  }
}
