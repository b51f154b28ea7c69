// What the wire engine asks of sockets, and nothing else: how they are read and written is a transport's own (R60-25).
import type { Server, Socket } from 'node:net'

/** The transports that this build has. */
export const TRANSPORT_NAMES = ['public', 'handle'] as const
export type TransportName = (typeof TRANSPORT_NAMES)[number]

/**
 * What a connection tells its owner. Always from the event loop: never from within a call that the owner makes on this
 * connection, so an owner need not fear to be changed under its own hands.
 */
export interface ConnectionEvents {
  /** A connect has succeeded; not told of accepted connections. */
  opened(): void
  /** `bytes[0, length)` came. The slab is the transport's again when this returns: what is to stay must be copied. */
  received(bytes: Buffer, length: number): void
  /** The peer sends no more (FIN). Our side may go on. */
  ended(): void
  /** After a `send` that gave false: all that was sent is with the kernel. */
  drained(): void
  /**
   * The connection is gone, by `close`, by both ends or by itself; `error` is then the system's name of the cause, such
   * as `ECONNRESET`. Told exactly once and last, also of a connect that failed.
   */
  closed(error: string | undefined): void
}

/** One TCP connection as bytes: no stream, no promise, nothing allocated per call. */
export interface Connection {
  /** Who is told. To be set in the step in which the connection is got, and may be replaced at any time. */
  events: ConnectionEvents
  /** As the socket has it; IPv4-mapped addresses in their IPv4 form; empty where it is not known any more. */
  readonly peerAddress: string
  readonly peerPort: number
  /** Bytes that `received` has told of. */
  readonly bytesRead: number
  /** Bytes that were sent and that the kernel has not taken yet. */
  readonly queuedBytes: number
  /** Bytes of the peer that wait within this process until `resume`; absent: none do. */
  readonly heldBytes?: number
  /** Whether it is closed or about to be: `send` then does nothing. */
  readonly isClosed: boolean
  /** Whether it stands on something that carried other requests before; absent: it does not. */
  readonly isReused?: boolean
  /**
   * Sends `buffer[from, to)`. True: the kernel has it all, and the buffer is the caller's to write to again. False: the
   * transport keeps the buffer until `drained`, and the caller must take another one (R60-23). A connection in memory,
   * or by TLS, copies and gives true; where `queuedBytes` says that something waits, `drained` follows all the same.
   */
  send(buffer: Buffer, from: number, to: number): boolean
  /** No `received` and no `ended` until `resume`. */
  pause(): void
  resume(): void
  /** Sends FIN behind all that was sent; reading goes on. */
  end(): void
  /** Gives up both directions now, with what still waits. `closed` follows. */
  close(): void
}

export interface ConnectTarget {
  /** An IP address without brackets. */
  readonly host: string
  readonly port: number
}

export interface Transport {
  readonly name: TransportName
  /**
   * Takes every connection that a listening server accepts from now on, instead of the server's own listeners. The
   * callback must set `events`; reading begins when it returns, unless it paused. `released` is called once for each of
   * them when it is gone, behind its `closed`, whoever owned it.
   */
  attach(server: Server, accepted: (connection: Connection) => void, released?: () => void): void
  /** A socket that somebody else accepted, as a connection; paused until `resume`. */
  adopt(socket: Socket): Connection
  /**
   * The other way round: the connection is nobody's any more, and all that it tells is told by the socket, which does
   * not read yet, and which a session of `node:http2` may take; nobody else can read it. What was `released` of the connection is still told. Only from within `received`.
   */
  release(connection: Connection): Socket
  /** Begins to connect, with TCP keep-alive of 30 s and without Nagle's delay; `opened` or `closed` follows. */
  connect(target: ConnectTarget, events: ConnectionEvents): Connection
}

/** Why a transport cannot serve here. */
export interface TransportFault {
  /** The name of the system's or Node's error; `ETIMEDOUT` or `EPROTO`: something did not come, or came wrong. */
  readonly errno: string
  readonly message: string
}
