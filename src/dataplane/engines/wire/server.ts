// The wire engine: HTTP/1.1 on the bytes of a transport's connections (R20-4).
import type { Socket } from 'node:net'
import type {
  AddressSet,
  ConnectionOrigin,
  Engine,
  EngineDeps,
  EngineFactory,
  EngineLoad,
  ServedPair,
} from '../../engine.ts'
import type { Connection, Transport } from '../../transport/transport.ts'
import { ClientConnection } from './client-connection.ts'
import type { ConnectionKeeper, KeptConnection } from './connection-keeper.ts'
import { createContext, type WireContext } from './context.ts'
import type { Tunnel } from './tunnel.ts'

/** The engine on bytes. Throws where `deps` has no transport. */
export const createWireEngine: EngineFactory = (deps) => {
  if (!deps.transport) throw new TypeError('the wire engine was given no transport')
  return new WireEngine(deps, deps.transport)
}

class WireEngine implements Engine, ConnectionKeeper {
  readonly #context: WireContext
  readonly #transport: Transport
  readonly #connections = new Set<KeptConnection>()
  readonly #tunnels = new Set<Tunnel>()
  readonly #timer: NodeJS.Timeout
  /** Of the connections: those that are streams of others. */
  #streams = 0
  #isDraining = false

  constructor(deps: EngineDeps, transport: Transport) {
    this.#transport = transport
    this.#context = createContext(deps, transport, this)
    this.#timer = setInterval(() => this.#check(), this.#context.limits.checkIntervalMs)
    this.#timer.unref()
  }

  accept(socket: Socket, origin: ConnectionOrigin): void {
    const connection = this.#transport.adopt(socket)
    this.serve(connection, origin)
    connection.resume()
  }

  serve(connection: Connection, origin: ConnectionOrigin): void {
    const client = new ClientConnection(this.#context, connection, origin)
    connection.events = client
    this.#connections.add(client)
    if (origin.stream) {
      this.#streams += 1
      const { refused } = origin.stream
      if (refused) client.refuse(refused.answer, refused.form)
      return
    }
    this.#context.pool.makeRoom()
  }

  pairAssigned({ ways }: ServedPair, served: AddressSet): void {
    this.#context.pool.retain(served, ways)
    this.#context.health.retain(served)
  }

  startDraining(): void {
    this.#isDraining = true
  }

  closeIdle(): void {
    this.#context.time.tick()
    for (const connection of this.#connections) connection.endWhenIdle()
  }

  recover(): void {
    // One slab is filled for all connections: what the callback had put in belongs to its own alone.
    this.#context.output.cut(0)
  }

  destroy(): void {
    clearInterval(this.#timer)
    for (const { connection } of this.#connections) connection.close()
    for (const tunnel of this.#tunnels) tunnel.destroy()
    this.#context.pool.destroy()
  }

  load(): EngineLoad {
    let requests = 0
    for (const { isBusy, isStream } of this.#connections) if (isBusy && !isStream) requests += 1
    return { connections: this.#connections.size - this.#streams, requests, tunnels: this.#tunnels.size }
  }

  connections(): number {
    return this.#connections.size - this.#streams + this.#tunnels.size
  }

  isDraining(): boolean {
    return this.#isDraining
  }

  connectionClosed(connection: KeptConnection): void {
    if (this.#connections.delete(connection) && connection.isStream) this.#streams -= 1
  }

  speaksHttp2({ connection }: KeptConnection, early: Buffer, origin: ConnectionOrigin): void {
    const socket = this.#transport.release(connection)
    socket.unshift(early)
    this.#context.deps.takeHttp2?.(socket, origin)
  }

  tunnelOpened(tunnel: Tunnel): void {
    this.#tunnels.add(tunnel)
    this.#context.deps.counters.addProcess('tunnels', 1)
  }

  tunnelClosed(tunnel: Tunnel): void {
    if (this.#tunnels.delete(tunnel)) this.#context.deps.counters.addProcess('tunnels', -1)
  }

  /** The one timer of all deadlines: each is acted on at the first look after it passed. */
  #check(): void {
    const { time, pool, budget } = this.#context
    time.tick()
    const { nowMs } = time
    for (const connection of this.#connections) connection.check(nowMs)
    for (const tunnel of this.#tunnels) tunnel.check(nowMs)
    pool.check(nowMs)
    if (budget.isTight) this.#shedIdle(nowMs)
  }

  #shedIdle(nowMs: number): void {
    for (const connection of this.#connections) {
      if (connection.closeIfIdle(nowMs)) this.#context.deps.counters.addProcess('shedClosed', 1)
    }
  }
}
