import type { ConnectionOrigin } from '../../engine.ts'
import type { Connection } from '../../transport/transport.ts'
import type { Tunnel } from './tunnel.ts'

/** A client's connection, as far as deadlines and drains are concerned. */
export interface KeptConnection {
  readonly connection: Connection
  /** Whether a request is being answered. */
  readonly isBusy: boolean
  /** Whether it is one stream of a connection that is kept elsewhere. */
  readonly isStream: boolean
  /** Acts on a deadline that has passed. */
  check(nowMs: number): void
  /** Closes now if nothing is in flight, else when that has ended (R20-167). A head that has begun is in flight. */
  endWhenIdle(): void
  /** Closes where nothing is in flight and no head is about to begin; whether it did (R20-126). */
  closeIfIdle(nowMs: number): boolean
}

/** Whoever keeps the connections, and is told of them. */
export interface ConnectionKeeper {
  /** How many clients are connected now, tunnels included. */
  connections(): number
  /** Whether every answer ends its connection (R20-166). */
  isDraining(): boolean
  /** A client's connection is gone, or has become a tunnel. */
  connectionClosed(connection: KeptConnection): void
  /** It opened with the preface of HTTP/2, in `early`, and is gone from here. */
  speaksHttp2(connection: KeptConnection, early: Buffer, origin: ConnectionOrigin): void
  tunnelOpened(tunnel: Tunnel): void
  tunnelClosed(tunnel: Tunnel): void
}
