// Idle connections to upstreams: one node:http Agent per endpoint.
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { type ConnectOptions, connectEndpoint } from './connect.ts'
import { announcedIdleMs } from './keep-alive.ts'

export interface PoolSettings extends ConnectOptions {
  /** Idle sockets kept for one endpoint; a surplus one is closed (R20-114). */
  readonly maxIdle: number
  /** How long an idle socket is kept, unless the upstream announced less (R20-115). */
  readonly idleTimeoutMs: number
  /** How many idle sockets may be kept now, over all endpoints (R20-97). */
  readonly room: () => number
}

/** What a request tells its agent besides what node:http knows. */
export interface AgentOptions {
  /** For a connection that is made for it. */
  readonly connectTimeoutMs?: number
}

/** The idle sockets of all agents of a pool. */
type IdleSockets = Set<Duplex>

/** The upstream connections of one worker. */
export class UpstreamPool {
  readonly #settings: PoolSettings
  readonly #agents = new Map<string, EndpointAgent>()
  readonly #idle: IdleSockets = new Set()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** The agent of an endpoint, made on first use. */
  agentFor(endpoint: Endpoint): EndpointAgent {
    const known = this.#agents.get(endpoint.address)
    if (known) return known
    const agent = new EndpointAgent(endpoint, this.#settings, this.#idle)
    this.#agents.set(endpoint.address, agent)
    return agent
  }

  /**
   * Forgets every endpoint whose address is not in `addresses` and closes its idle sockets (R00-13, R20-154). Requests
   * in flight to it finish, and their sockets close after them.
   */
  retain(addresses: { has(address: string): boolean }): void {
    for (const [address, agent] of this.#agents) {
      if (addresses.has(address)) continue
      agent.retire()
      this.#agents.delete(address)
    }
  }

  /** Closes idle sockets until there is room for those that stay; the one that is idle longest goes first. */
  makeRoom(): void {
    const room = this.#settings.room()
    for (const socket of this.#idle) {
      if (this.#idle.size <= room) return
      this.#idle.delete(socket)
      socket.destroy()
    }
  }

  /** Destroys every socket that is idle or carries a request. */
  destroy(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}

/**
 * Connects asynchronously: a request gets its socket when that is connected, and a connect fault before any byte of it
 * was written. Node's Agent destroys an idle socket that is given bytes (R20-60).
 */
export class EndpointAgent extends Agent {
  readonly #endpoint: Endpoint
  readonly #settings: PoolSettings
  readonly #idle: IdleSockets
  /** Idle times that upstreams announced, in milliseconds. */
  readonly #announced = new WeakMap<Duplex, number>()
  readonly #connecting = new Set<Socket>()
  #isRetired = false

  constructor(endpoint: Endpoint, settings: PoolSettings, idle: IdleSockets) {
    super({
      keepAlive: true,
      maxSockets: Number.POSITIVE_INFINITY,
      maxFreeSockets: settings.maxIdle,
      scheduling: 'lifo',
      // What Node would work out from the Host field of every request, in vain: this is plain TCP.
      servername: '',
    } as ConstructorParameters<typeof Agent>[0])
    this.#endpoint = endpoint
    this.#settings = settings
    this.#idle = idle
  }

  override createConnection(
    options: ClientRequestArgs & AgentOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { bufferBytes, timeoutMs } = this.#settings
    const connect = { bufferBytes, timeoutMs: options.connectTimeoutMs ?? timeoutMs }
    const connecting = connectEndpoint(this.#endpoint, connect, (fault, socket) => {
      this.#connecting.delete(socket)
      callback?.(fault ?? null, socket)
    })
    this.#connecting.add(connecting)
    this.#forgetOnceClosed(connecting)
    return undefined
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#isRetired || !(socket instanceof Socket) || this.#idle.size >= this.#settings.room()) return false
    this.#idle.add(socket)
    socket.unref()
    socket.setTimeout(this.#announced.get(socket) ?? this.#settings.idleTimeoutMs)
    return true
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#idle.delete(socket)
    super.reuseSocket(socket, request)
  }

  /** Remembers what the upstream said in `Keep-Alive: timeout=SECONDS`, so that we close the socket before it does. */
  noteKeepAlive(socket: Duplex, field: string): void {
    const ms = announcedIdleMs(field)
    if (ms !== undefined && ms < this.#settings.idleTimeoutMs) this.#announced.set(socket, Math.max(1, ms))
  }

  /** Closes the idle sockets: after one of them turned out dead, the others are no better. */
  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  override destroy(): void {
    this.retire()
    for (const socket of this.#connecting) socket.destroy()
    super.destroy()
  }

  /** Keeps no socket from now on. */
  retire(): void {
    this.#isRetired = true
    this.closeIdle()
  }

  // By itself, so that the listener holds nothing of the request that the socket is made for.
  #forgetOnceClosed(socket: Socket): void {
    socket.once('close', () => this.#idle.delete(socket))
  }
}
