import type { Endpoint } from '../../model/endpoint-table.ts'
import type { ConnectionEvents } from '../transport/transport.ts'
import { type Addresses, ByWay } from './by-way.ts'
import type { H2Connection, H2Share } from './h2-connection.ts'
import { H2EndpointPool, type H2PoolSettings } from './h2-endpoint-pool.ts'
import type { UpstreamWay, UpstreamWays } from './way.ts'

/** Where a request goes by another way than plain HTTP/1.1, and how long it waits for a connection. */
export interface DialTarget {
  readonly endpoint: Endpoint
  readonly way: UpstreamWay
  readonly connectTimeoutMs: number
}

/** The HTTP/2 sessions of one worker, by way and endpoint. */
export class H2Pools {
  readonly #settings: H2PoolSettings
  readonly #share: H2Share
  readonly #pools = new ByWay<H2EndpointPool>()
  /** Forgotten, and not empty yet. */
  readonly #retired = new Set<H2EndpointPool>()

  constructor(settings: H2PoolSettings, share: H2Share) {
    this.#settings = settings
    this.#share = share
  }

  /** As `H2EndpointPool.open`. */
  open({ endpoint, way, connectTimeoutMs }: DialTarget, events: ConnectionEvents): H2Connection {
    return this.#of(endpoint, way).open(events, connectTimeoutMs)
  }

  /** New requests to this endpoint get a new session. */
  renew(endpoint: Endpoint, way: UpstreamWay): void {
    this.#pools.get(endpoint.address, way)?.renew()
  }

  /** Forgets endpoints that are gone, and identities that no backend has any more (R21-35). */
  retain(addresses: Addresses, ways: UpstreamWays): void {
    this.#pools.retain(addresses, ways, (pool) => {
      this.#retired.add(pool)
      pool.retire()
    })
  }

  /** Closes sessions that are idle too long, and those that are idle beyond `room` (R20-97, R20-115). */
  check(nowMs: number, room: number): void {
    for (const pool of this.#retired) if (pool.isEmpty) this.#retired.delete(pool)
    let surplus = Math.max(0, this.idleCount - room)
    for (const pool of this.#pools.values()) surplus -= pool.closeIdle(nowMs, surplus)
  }

  /** Sessions without a stream. */
  get idleCount(): number {
    let count = 0
    for (const pool of this.#pools.values()) count += pool.idleCount
    return count
  }

  destroy(): void {
    for (const pool of this.#pools.values()) pool.destroy()
    for (const pool of this.#retired) pool.destroy()
  }

  #of(endpoint: Endpoint, way: UpstreamWay): H2EndpointPool {
    const known = this.#pools.get(endpoint.address, way)
    if (known) return known
    const pool = new H2EndpointPool(endpoint, way, this.#settings, this.#share)
    this.#pools.set(endpoint.address, way, pool)
    return pool
  }
}
