// HTTP/2 from clients, in the same worker and whatever the engine (R20-6, ADR 13).
import type { Socket } from 'node:net'
import type { ConnectionOrigin } from '../../engine.ts'
import { ClientSession } from './client-session.ts'
import { createContext, type Http2Context, type Http2LaneDeps } from './context.ts'

export interface Http2Load {
  /** Connections of clients. */
  readonly connections: number
  /** Streams that are open, tunnels left out: they are the engine's to count. */
  readonly streams: number
}

/** Takes connections that speak HTTP/2, and lets the engine serve what they ask for. */
export class Http2Lane {
  readonly #context: Http2Context
  readonly #sessions = new Set<ClientSession>()
  readonly #timer: NodeJS.Timeout
  #isDraining = false

  constructor(deps: Http2LaneDeps) {
    this.#context = createContext(deps)
    this.#timer = setInterval(() => this.#check(), this.#context.limits.checkIntervalMs)
    this.#timer.unref()
  }

  /**
   * Takes over a client's socket, whose next byte is the first of the preface: one that was read already is to be put
   * back before. The lane owns the socket from here.
   */
  accept(socket: Socket, origin: ConnectionOrigin): void {
    // Before anything else: an error without a listener would end the process (R70-70).
    socket.on('error', () => undefined)
    if (socket.destroyed || socket.remoteAddress === undefined) {
      socket.destroy()
      return
    }
    // A client that ends its side wants nothing any more: `node:http2` hears of it by the end of ours.
    socket.allowHalfOpen = false
    const session = new ClientSession(this.#context, { socket, origin }, (gone) => this.#sessions.delete(gone))
    this.#sessions.add(session)
    this.#context.counters.addProcess('dispatchH2', 1)
    if (this.#isDraining) session.finishAfterFirst()
  }

  /** GOAWAY to all; who connects from now on gets it with his first stream (R20-166). */
  startDraining(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    for (const session of this.#sessions) session.finish()
  }

  /** GOAWAY to those on which nothing is under way, now that no other may come (R20-167). */
  closeIdle(): void {
    for (const session of this.#sessions) session.finish()
  }

  destroy(): void {
    clearInterval(this.#timer)
    for (const session of this.#sessions) session.destroy()
  }

  load(): Http2Load {
    let streams = 0
    for (const session of this.#sessions) streams += session.streams
    return { connections: this.#sessions.size, streams }
  }

  #check(): void {
    const nowMs = this.#context.clock.monotonicMs()
    for (const session of this.#sessions) session.check(nowMs)
  }
}
