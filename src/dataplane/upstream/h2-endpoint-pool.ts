// The HTTP/2 sessions to one endpoint by one way, and the requests that wait for room in one (R20-116, R22-18).
import type { Endpoint } from '../../model/endpoint-table.ts'
import type { ConnectionEvents } from '../transport/transport.ts'
import { H2Connection, type H2Share } from './h2-connection.ts'
import { H2Session, type H2SessionSettings } from './h2-session.ts'
import type { UpstreamWay } from './way.ts'

export interface H2PoolSettings extends H2SessionSettings {
  readonly maxSessions: number
  readonly idleTimeoutMs: number
}

/** Requests that may wait for room; beyond it one is told at once that there is none. */
const MAX_WAITING = 1000

export class H2EndpointPool {
  readonly #endpoint: Endpoint
  readonly #way: UpstreamWay
  readonly #settings: H2PoolSettings
  readonly #share: H2Share
  /** Those that take streams, or will; the oldest first. */
  readonly #sessions = new Set<H2Session>()
  /** Those that only end what they have. */
  readonly #leaving = new Set<H2Session>()
  readonly #waiting = new Set<H2Connection>()
  /** One is made at a time: only when its peer has spoken is it known whether another one is needed. */
  #dialled: H2Session | undefined
  /** What a route allows a connect that waits. */
  #longestConnectMs = 0
  #isRetired = false

  constructor(endpoint: Endpoint, way: UpstreamWay, settings: H2PoolSettings, share: H2Share) {
    this.#endpoint = endpoint
    this.#way = way
    this.#settings = settings
    this.#share = share
  }

  /** Whether nothing is open, or about to be. */
  get isEmpty(): boolean {
    return this.#sessions.size + this.#leaving.size === 0
  }

  /** Sessions without a stream. */
  get idleCount(): number {
    let count = 0
    for (const session of this.#sessions) if (session !== this.#dialled && session.isIdle) count += 1
    return count
  }

  /**
   * A connection for one request: `opened` follows when a session has room for it, `closed` where none will. A session
   * that is made for it may take so long, or as long as every other where that is longer.
   */
  open(events: ConnectionEvents, connectTimeoutMs: number): H2Connection {
    const connection = new H2Connection(this.#share, this.#way, { events, closed: (closed) => this.#closed(closed) })
    if (this.#isRetired || this.#waiting.size >= MAX_WAITING) connection.fail('EAGAIN')
    else {
      this.#waiting.add(connection)
      this.#longestConnectMs = Math.max(this.#longestConnectMs, connectTimeoutMs)
      this.#serve()
    }
    return connection
  }

  /** New requests get new sessions: one of these turned out dead, and the others are no better. */
  renew(): void {
    for (const session of this.#sessions) if (session !== this.#dialled) session.retire()
  }

  /** Keeps no session from now on; requests under way finish. */
  retire(): void {
    this.#isRetired = true
    this.#failWaiting('ECONNABORTED')
    for (const session of this.#sessions) session.retire()
  }

  /** Closes the sessions that are idle too long, and of the others so many as `surplus` says; how many of those. */
  closeIdle(nowMs: number, surplus: number): number {
    let closed = 0
    for (const session of this.#sessions) {
      if (session === this.#dialled || !session.isIdle) continue
      const isOld = nowMs - session.idleSinceMs >= this.#settings.idleTimeoutMs
      if (!isOld && closed >= surplus) continue
      if (!isOld) closed += 1
      session.retire()
    }
    return closed
  }

  destroy(): void {
    this.#isRetired = true
    for (const session of [...this.#sessions, ...this.#leaving]) session.destroy()
    this.#failWaiting('ECONNABORTED')
  }

  #serve(): void {
    for (const connection of this.#waiting) {
      const session = this.#roomiest()
      if (!session) {
        this.#dial()
        return
      }
      this.#waiting.delete(connection)
      connection.assign(session, this.#endpoint.address)
    }
  }

  // The oldest first: the others may grow idle and go.
  #roomiest(): H2Session | undefined {
    for (const session of this.#sessions) if (session.hasRoom) return session
    return undefined
  }

  #dial(): void {
    if (this.#dialled || this.#sessions.size >= this.#settings.maxSessions) return
    const connectTimeoutMs = Math.max(this.#settings.connectTimeoutMs, this.#longestConnectMs)
    this.#longestConnectMs = 0
    const session = new H2Session(
      this.#endpoint,
      this.#way,
      { ...this.#settings, connectTimeoutMs },
      {
        hasRoom: (ready) => {
          if (this.#dialled === ready) this.#dialled = undefined
          ready.idleSinceMs = this.#share.nowMs()
          this.#serve()
        },
        left: (gone, fault) => this.#left(gone, fault),
        closed: (gone) => this.#leaving.delete(gone),
      },
    )
    this.#dialled = session
    this.#sessions.add(session)
  }

  #left(session: H2Session, fault: string | undefined): void {
    this.#sessions.delete(session)
    if (!session.isClosed) this.#leaving.add(session)
    const wasDialled = this.#dialled === session
    if (wasDialled) this.#dialled = undefined
    // Where others live there will be room in them; where none does, they wait for nothing. What was dialled in vain is
    // dialled again for the next request, not for those that wait: the peer would be asked without end.
    if (!wasDialled) this.#serve()
    else if (this.#sessions.size === 0) this.#failWaiting(fault ?? 'ECONNRESET')
  }

  #failWaiting(fault: string): void {
    for (const connection of this.#waiting) connection.fail(fault)
    this.#waiting.clear()
  }

  #closed(connection: H2Connection): void {
    this.#waiting.delete(connection)
  }
}
