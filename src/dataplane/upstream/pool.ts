// Idle connections to upstreams: one node:http Agent per endpoint and way (R20-5, R21-33).
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { type Addresses, ByWay } from './by-way.ts'
import { type ConnectFault, type ConnectOptions, connectByWay, connectEndpoint } from './connect.ts'
import { announcedIdleMs } from './keep-alive.ts'
import type { UpstreamWay, UpstreamWays } from './way.ts'
import type { WayDialer } from './way-dialer.ts'

export interface PoolSettings extends ConnectOptions {
  /** Idle sockets kept for one endpoint; a surplus one is closed (R20-114). */
  readonly maxIdle: number
  /** How long an idle socket is kept, unless the upstream announced less (R20-115). */
  readonly idleTimeoutMs: number
  /** How many idle sockets may be kept now, over all endpoints (R20-97). */
  readonly room: () => number
  readonly dialer: WayDialer
}

/** What a request tells its agent besides what node:http knows. */
export interface AgentOptions {
  /** For a connection that is made for it. */
  readonly connectTimeoutMs?: number
}

/** Where the sockets of one agent lead; `way` is absent for plain HTTP/1.1. */
export interface AgentTarget {
  readonly endpoint: Endpoint
  readonly way: UpstreamWay | undefined
}

/** The idle sockets of all agents of a pool. */
type IdleSockets = Set<Duplex>

/** The upstream connections of one worker. */
export class UpstreamPool {
  readonly #settings: PoolSettings
  readonly #agents = new ByWay<EndpointAgent>()
  readonly #idle: IdleSockets = new Set()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** The agent of an endpoint by one way, made on first use; `way` is absent for plain HTTP/1.1. */
  agentFor(endpoint: Endpoint, way?: UpstreamWay): EndpointAgent {
    const known = this.#agents.get(endpoint.address, way)
    if (known) return known
    const agent = new EndpointAgent({ endpoint, way }, this.#settings, this.#idle)
    this.#agents.set(endpoint.address, way, agent)
    return agent
  }

  /**
   * Forgets every endpoint whose address is not in `addresses`, and every way that is not among `ways`, and closes their
   * idle sockets (R00-13, R20-154, R21-35). Requests in flight finish, and their sockets close after them.
   */
  retain(addresses: Addresses, ways: UpstreamWays): void {
    this.#agents.retain(addresses, ways, (agent) => agent.retire())
    this.#settings.dialer.retain(addresses, ways)
  }

  /** To be called from time to time: closes HTTP/2 sessions that are idle too long, or beyond the room for them. */
  check(nowMs: number): void {
    const { dialer, room } = this.#settings
    dialer.check(nowMs, room() - this.#idle.size)
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
    this.#settings.dialer.destroy()
  }
}

/**
 * Connects asynchronously: a request gets its socket when that is connected, and a connect fault before any byte of it
 * was written. Node's Agent destroys an idle socket that is given bytes (R20-60).
 */
export class EndpointAgent extends Agent {
  readonly #target: AgentTarget
  readonly #settings: PoolSettings
  readonly #idle: IdleSockets
  /** Idle times that upstreams announced, in milliseconds. */
  readonly #announced = new WeakMap<Duplex, number>()
  readonly #connecting = new Set<Duplex>()
  #isRetired = false

  constructor(target: AgentTarget, settings: PoolSettings, idle: IdleSockets) {
    super({
      keepAlive: true,
      maxSockets: Number.POSITIVE_INFINITY,
      maxFreeSockets: settings.maxIdle,
      scheduling: 'lifo',
      // What Node would work out from the Host field of every request, in vain: what is sent is the way's own.
      servername: '',
    } as ConstructorParameters<typeof Agent>[0])
    this.#target = target
    this.#settings = settings
    this.#idle = idle
  }

  override createConnection(
    options: ClientRequestArgs & AgentOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { bufferBytes, timeoutMs, dialer } = this.#settings
    const { endpoint, way } = this.#target
    const connect = { bufferBytes, timeoutMs: options.connectTimeoutMs ?? timeoutMs }
    const done = (fault: ConnectFault | undefined, socket: Duplex): void => {
      this.#connecting.delete(socket)
      callback?.(fault ?? null, socket)
    }
    const connecting = way
      ? connectByWay(endpoint, { way, dialer }, connect, done)
      : connectEndpoint(endpoint, connect, done)
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
    const { endpoint, way } = this.#target
    if (way) this.#settings.dialer.renew(endpoint, way)
    this.#closeKept()
  }

  #closeKept(): void {
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
    this.#closeKept()
  }

  // By itself, so that the listener holds nothing of the request that the socket is made for.
  #forgetOnceClosed(socket: Duplex): void {
    socket.once('close', () => this.#idle.delete(socket))
  }
}
