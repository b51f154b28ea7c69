// The connections of one worker to its endpoints (R20-114, R20-115, R20-97).
import type { Endpoint } from '../../../model/endpoint-table.ts'
import type { Transport } from '../../transport/transport.ts'
import { IdleList } from './idle-list.ts'
import { type ConnectionPool, UpstreamConnection } from './upstream-connection.ts'

export interface UpstreamPoolOptions {
  readonly transport: Transport
  /** Idle connections kept for one endpoint. */
  readonly maxIdle: number
  readonly idleTimeoutMs: number
  /** How many idle connections may be kept now, over all endpoints. */
  readonly room: () => number
}

export class UpstreamPool {
  readonly #options: UpstreamPoolOptions
  readonly #pools = new Map<string, EndpointPool>()
  readonly #idle = new IdleList()
  /** All of them, idle ones too: what `destroy` has to end. */
  readonly #open = new Set<UpstreamConnection>()

  constructor(options: UpstreamPoolOptions) {
    this.#options = options
  }

  /** The pool of an endpoint, made on first use. */
  of(endpoint: Endpoint): EndpointPool {
    const known = this.#pools.get(endpoint.address)
    if (known) return known
    const pool = new EndpointPool(this, endpoint)
    this.#pools.set(endpoint.address, pool)
    return pool
  }

  /** Begins to connect, for at most so long. */
  connect(pool: EndpointPool, timeoutMs: number): UpstreamConnection {
    const upstream = new UpstreamConnection(pool, pool.endpoint, this.#options.transport)
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

  /**
   * Forgets every endpoint whose address is not in `addresses` and closes its idle connections (R00-13, R20-154).
   * Requests in flight to it finish, and their connections close after them.
   */
  retain(addresses: { has(address: string): boolean }): void {
    for (const [address, pool] of this.#pools) {
      if (addresses.has(address)) continue
      pool.retire()
      this.#pools.delete(address)
    }
  }

  /** Closes idle connections until there is room for those that stay; the one that is idle longest goes first. */
  makeRoom(): void {
    const room = this.#options.room()
    while (this.#idle.length > room) this.#idle.oldest?.pool.drop(this.#idle.oldest)
  }

  /** Closes the connections that are idle too long. */
  check(nowMs: number): void {
    let idle = this.#idle.oldest
    while (idle) {
      const { next } = idle
      if (nowMs >= idle.deadlineMs) idle.pool.drop(idle)
      idle = next
    }
  }

  destroy(): void {
    for (const upstream of this.#open) upstream.connection.close()
  }
}

/** The connections to one endpoint. The one that was used last is used next: the others may grow old and go. */
export class EndpointPool implements ConnectionPool {
  readonly endpoint: Endpoint
  readonly #pool: UpstreamPool
  readonly #idle: UpstreamConnection[] = []
  #isRetired = false

  constructor(pool: UpstreamPool, endpoint: Endpoint) {
    this.#pool = pool
    this.endpoint = endpoint
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
    const isFit = !this.#isRetired && !upstream.connection.isClosed && upstream.connection.queuedBytes === 0
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
    for (const upstream of this.#idle.splice(0)) {
      this.#pool.taken(upstream)
      upstream.connection.close()
    }
  }

  /** Keeps no connection from now on. */
  retire(): void {
    this.#isRetired = true
    this.closeIdle()
  }

  closed(upstream: UpstreamConnection): void {
    this.#forget(upstream)
    this.#pool.closed(upstream)
  }

  #forget(upstream: UpstreamConnection): void {
    const at = this.#idle.lastIndexOf(upstream)
    if (at < 0) return
    this.#idle.splice(at, 1)
    this.#pool.taken(upstream)
  }
}
