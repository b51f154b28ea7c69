import type { Endpoint } from '../../../model/endpoint-table.ts'
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'
import { announcedIdleMs } from '../../upstream/keep-alive.ts'

/** Who a connection to an endpoint works for. */
export interface UpstreamUser {
  /** The connect has succeeded. */
  upstreamOpened(): void
  /** The connect takes too long: the user abandons the connection. */
  upstreamTimedOut(): void
  upstreamReceived(bytes: Buffer, length: number): void
  upstreamEnded(): void
  upstreamDrained(): void
  /** The connection is gone; nothing else is told. `error`: the system's name of the cause. */
  upstreamClosed(error: string | undefined): void
}

/** Where the connections to one endpoint belong. */
export interface ConnectionPool {
  readonly endpoint: Endpoint
  /** Takes a connection back whose exchange is complete: keeps it idle, or closes it. */
  release(upstream: UpstreamConnection, nowMs: number): void
  /** Closes an idle connection. */
  drop(upstream: UpstreamConnection): void
  /** Closes the idle connections: after one of them turned out dead, the others are no better. */
  closeIdle(): void
  /** The connection is gone, or somebody else's. */
  closed(upstream: UpstreamConnection): void
}

/** One connection to an endpoint: connecting, at work for one request, or idle in its pool. */
export class UpstreamConnection implements ConnectionEvents {
  readonly pool: ConnectionPool
  readonly connection: Connection
  /** `undefined` while it is idle, and when nobody wants it any more. */
  user: UpstreamUser | undefined
  isConnecting = true
  /** Whether it served a request before the present one. */
  isReused = false
  /** What the transport had received when the present request was given to it. */
  bytesBefore = 0
  /** How long it may be idle, by what the upstream said. */
  idleLimitMs: number = Number.POSITIVE_INFINITY
  /** Until when an idle one is kept. */
  deadlineMs = 0
  previous: UpstreamConnection | undefined
  next: UpstreamConnection | undefined
  /** The head that was sent last, for a second try on another connection (R20-128). */
  #head: Buffer = NO_BYTES
  #headLength = 0
  #timer: NodeJS.Timeout | undefined

  /** `dial` begins to connect and tells the events that it is given. */
  constructor(pool: ConnectionPool, dial: (events: ConnectionEvents) => Connection) {
    this.pool = pool
    this.connection = dial(this)
  }

  /** Whether no byte came since the present request was given to it. */
  get isUnanswered(): boolean {
    return this.connection.bytesRead === this.bytesBefore
  }

  get head(): Buffer {
    return this.#head
  }

  get headLength(): number {
    return this.#headLength
  }

  /** Keeps a copy of `bytes[0, length)`. */
  keepHead(bytes: Buffer, length: number): void {
    if (this.#head.length < length) this.#head = Buffer.allocUnsafeSlow(Math.max(HEAD_ROOM, length))
    bytes.copy(this.#head, 0, 0, length)
    this.#headLength = length
  }

  /** Lets go of a copy that is larger than most are. */
  forgetHead(): void {
    this.#headLength = 0
    if (this.#head.length > HEAD_ROOM) this.#head = NO_BYTES
  }

  /** Remembers what the upstream said in a `Keep-Alive` field of how long it keeps an idle connection. */
  noteKeepAlive(field: string): void {
    this.idleLimitMs = announcedIdleMs(field) ?? this.idleLimitMs
  }

  /** Ends it, and whoever used it is told nothing more. */
  abandon(): void {
    this.user = undefined
    this.connection.close()
  }

  /** Waits for the connect at most so long. There are few of them, and half a second late would be late. */
  awaitOpen(timeoutMs: number): void {
    this.#timer = setTimeout(() => {
      const { user } = this
      if (user) user.upstreamTimedOut()
      else this.connection.close()
    }, timeoutMs)
  }

  opened(): void {
    this.isConnecting = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.isReused = this.connection.isReused === true
    if (this.user) this.user.upstreamOpened()
    else this.connection.close()
  }

  received(bytes: Buffer, length: number): void {
    // Bytes that nobody asked for would be taken for the next response (R20-60).
    if (this.user) this.user.upstreamReceived(bytes, length)
    else this.connection.close()
  }

  ended(): void {
    if (this.user) this.user.upstreamEnded()
    else this.connection.close()
  }

  drained(): void {
    this.user?.upstreamDrained()
  }

  closed(error: string | undefined): void {
    clearTimeout(this.#timer)
    this.pool.closed(this)
    const { user } = this
    this.user = undefined
    user?.upstreamClosed(error)
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)
/** Most heads are shorter. */
const HEAD_ROOM = 1024
