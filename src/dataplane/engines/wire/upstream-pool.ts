// The connections of one worker to its endpoints (R20-114, R20-115, R20-97), apart by the way they are reached (R21-33).
import type { Endpoint } from '../../../model/endpoint-table.ts'
import type { Connection, ConnectionEvents, Transport } from '../../transport/transport.ts'
import { type Addresses, ByWay } from '../../upstream/by-way.ts'
import { isHttp2, type UpstreamWay, type UpstreamWays } from '../../upstream/way.ts'
import type { WayDialer } from '../../upstream/way-dialer.ts'
import { IdleList } from './idle-list.ts'
import { type ConnectionPool, UpstreamConnection } from './upstream-connection.ts'

export interface UpstreamPoolOptions {
  readonly transport: Transport
  readonly dialer: WayDialer
  /** Idle connections kept for one endpoint. */
  readonly maxIdle: number
  readonly idleTimeoutMs: number
  /** How many idle connections may be kept now, over all endpoints. */
  readonly room: () => number
}

export class UpstreamPool {
  readonly #options: UpstreamPoolOptions
  readonly #pools = new ByWay<EndpointPool>()
  readonly #idle = new IdleList()
  /** All of them, idle ones too: what `destroy` has to end. */
  readonly #open = new Set<UpstreamConnection>()

  constructor(options: UpstreamPoolOptions) {
    this.#options = options
  }

  /** The pool of an endpoint by one way, made on first use; `way` is absent for plain HTTP/1.1. */
  of(endpoint: Endpoint, way?: UpstreamWay): EndpointPool {
    const known = this.#pools.get(endpoint.address, way)
    if (known) return known
    const pool = new EndpointPool(this, endpoint, way)
    this.#pools.set(endpoint.address, way, pool)
    return pool
  }

  /** Begins to connect, for at most so long. */
  connect(pool: EndpointPool, timeoutMs: number): UpstreamConnection {
    const upstream = new UpstreamConnection(pool, (events) => this.#dial(pool, timeoutMs, events))
    upstream.awaitOpen(timeoutMs)
    this.#open.add(upstream)
    return upstream
  }

  /** Keeps a connection for another request where there is room for it; whether it does. */
  keep(upstream: UpstreamConnection, idleCount: number, nowMs: number): boolean {
    const { maxIdle, idleTimeoutMs, room } = this.#options
    const limitMs = Math.min(idleTimeoutMs, upstream.idleLimitMs)
    if (limitMs <= 0 || idleCount >= maxIdle || this.#idle.length >= room()) return false
    upstream.deadlineMs = nowMs + limitMs
    this.#idle.push(upstream)
    return true
  }

  taken(upstream: UpstreamConnection): void {
    this.#idle.remove(upstream)
  }

  /** It is gone, or somebody else's. */
  closed(upstream: UpstreamConnection): void {
    this.#open.delete(upstream)
  }

  /** A connection to this endpoint turned out dead: what is dialled next is fresh. */
  renew({ endpoint, way }: EndpointPool): void {
    if (way) this.#options.dialer.renew(endpoint, way)
  }

  /**
   * Forgets every endpoint whose address is not in `addresses`, and every way that is not among `ways`, and closes their
   * idle connections (R00-13, R20-154, R21-35). Requests in flight finish, and their connections close after them.
   */
  retain(addresses: Addresses, ways: UpstreamWays): void {
    this.#pools.retain(addresses, ways, (pool) => pool.retire())
    this.#options.dialer.retain(addresses, ways)
  }

  /** Closes idle connections until there is room for those that stay; the one that is idle longest goes first. */
  makeRoom(): void {
    const room = this.#options.room()
    while (this.#idle.length > room) this.#idle.oldest?.pool.drop(this.#idle.oldest)
  }

  /** Closes the connections that are idle too long. */
  check(nowMs: number): void {
    this.#options.dialer.check(nowMs, this.#options.room() - this.#idle.length)
    let idle = this.#idle.oldest
    while (idle) {
      const { next } = idle
      if (nowMs >= idle.deadlineMs) idle.pool.drop(idle)
      idle = next
    }
  }

  destroy(): void {
    for (const upstream of this.#open) upstream.connection.close()
    this.#options.dialer.destroy()
  }

  #dial({ endpoint, way }: EndpointPool, connectTimeoutMs: number, events: ConnectionEvents): Connection {
    const { transport, dialer } = this.#options
    return way ? dialer.dial({ endpoint, way, connectTimeoutMs }, events) : transport.connect(endpoint, events)
  }
}

/** The connections to one endpoint. The one that was used last is used next: the others may grow old and go. */
export class EndpointPool implements ConnectionPool {
  readonly endpoint: Endpoint
  readonly way: UpstreamWay | undefined
  readonly #pool: UpstreamPool
  readonly #idle: UpstreamConnection[] = []
  /** A connection that serves one request is not kept, nor is one to an endpoint that is gone. */
  #keepsNone: boolean

  constructor(pool: UpstreamPool, endpoint: Endpoint, way: UpstreamWay | undefined) {
    this.#pool = pool
    this.endpoint = endpoint
    this.way = way
    this.#keepsNone = way !== undefined && isHttp2(way)
  }

  /** An idle connection, or `undefined`. */
  take(): UpstreamConnection | undefined {
    const upstream = this.#idle.pop()
    if (!upstream) return undefined
    this.#pool.taken(upstream)
    upstream.isReused = true
    upstream.bytesBefore = upstream.connection.bytesRead
    return upstream
  }

  /** Takes a connection back whose exchange is complete: keeps it idle, or closes it. */
  release(upstream: UpstreamConnection, nowMs: number): void {
    upstream.user = undefined
    upstream.forgetHead()
    const isFit = !this.#keepsNone && !upstream.connection.isClosed && upstream.connection.queuedBytes === 0
    if (isFit && this.#pool.keep(upstream, this.#idle.length, nowMs)) this.#idle.push(upstream)
    else upstream.connection.close()
  }

  /** Closes an idle connection. */
  drop(upstream: UpstreamConnection): void {
    this.#forget(upstream)
    upstream.connection.close()
  }

  /** Closes the idle connections: after one of them turned out dead, the others are no better. */
  closeIdle(): void {
    this.#pool.renew(this)
    this.#closeKept()
  }

  /** Keeps no connection from now on. */
  retire(): void {
    this.#keepsNone = true
    this.#closeKept()
  }

  closed(upstream: UpstreamConnection): void {
    this.#forget(upstream)
    this.#pool.closed(upstream)
  }

  #closeKept(): void {
    for (const upstream of this.#idle.splice(0)) {
      this.#pool.taken(upstream)
      upstream.connection.close()
    }
  }

  #forget(upstream: UpstreamConnection): void {
    const at = this.#idle.lastIndexOf(upstream)
    if (at < 0) return
    this.#idle.splice(at, 1)
    this.#pool.taken(upstream)
  }
}
