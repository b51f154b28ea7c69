// Every way to an endpoint but plain HTTP/1.1: what both engines dial by, and what it keeps.
import type { Endpoint } from '../../model/endpoint-table.ts'
import type { EngineLimits } from '../engine-limits.ts'
import type { Connection, ConnectionEvents } from '../transport/transport.ts'
import type { Addresses } from './by-way.ts'
import { type DialTarget, H2Pools } from './h2-pools.ts'
import { headScan } from './h2-request-writer.ts'
import { connectSecurely } from './secure-connection.ts'
import { SecureContexts } from './secure-contexts.ts'
import { isHttp2, type UpstreamWay, type UpstreamWays } from './way.ts'

export interface WayDialerSettings {
  readonly limits: EngineLimits
  readonly connectTimeoutMs: number
  readonly nowMs: () => number
}

/** What is told at once of a stream seldom is more. */
const SLAB_BYTES = 64 * 1024

/** The ways of one worker. A connection by HTTPS is the caller's to keep; sessions of HTTP/2 are kept here. */
export class WayDialer {
  readonly contexts: SecureContexts = new SecureContexts()
  readonly #sessions: H2Pools

  constructor({ limits, connectTimeoutMs, nowMs }: WayDialerSettings) {
    const { maxHeaderBytes, maxResponseHeaderBytes, maxResponseHeaders } = limits
    this.#sessions = new H2Pools(
      {
        contexts: this.contexts,
        connectTimeoutMs,
        maxHeaderBytes,
        maxResponseHeaderBytes,
        maxResponseHeaders,
        maxSessions: limits.upstreamH2Sessions,
        idleTimeoutMs: limits.upstreamIdleTimeoutMs,
      },
      { nowMs, slab: Buffer.allocUnsafeSlow(SLAB_BYTES), scan: headScan() },
    )
  }

  /** A connection that takes HTTP/1.1: `opened` or `closed` follows. One to HTTP/2 serves a single request. */
  dial(target: DialTarget, events: ConnectionEvents): Connection {
    const { endpoint, way } = target
    if (isHttp2(way)) return this.#sessions.open(target, events)
    return connectSecurely(endpoint, way, { contexts: this.contexts }, events)
  }

  /** A kept connection to the endpoint turned out dead: what is dialled next is fresh. */
  renew(endpoint: Endpoint, way: UpstreamWay): void {
    this.#sessions.renew(endpoint, way)
  }

  /** Forgets endpoints and identities that no served backend has (R00-13, R21-35). Requests under way finish. */
  retain(addresses: Addresses, ways: UpstreamWays): void {
    this.#sessions.retain(addresses, ways)
    this.contexts.retain(ways)
  }

  /** Sessions that no request uses. */
  get idleCount(): number {
    return this.#sessions.idleCount
  }

  /** To be called from time to time: closes what is idle too long, and what is idle beyond `room`. */
  check(nowMs: number, room: number): void {
    this.#sessions.check(nowMs, room)
  }

  destroy(): void {
    this.#sessions.destroy()
  }
}
