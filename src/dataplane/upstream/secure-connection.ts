import type { Endpoint } from '../../model/endpoint-table.ts'
import { PublicConnection } from '../transport/public-connection.ts'
import type { Connection, ConnectionEvents } from '../transport/transport.ts'
import { awaitTrust, type SecureDial, startSecurely } from './secure-connect.ts'
import type { UpstreamWay } from './way.ts'

/**
 * Begins to connect by TLS: `opened` is told when the peer can be trusted, `closed` with `TLS_FAULT` where it cannot.
 * Whatever transport carries the rest, this goes by Node's sockets: what is read of them is not what is on the wire.
 */
export function connectSecurely(
  endpoint: Endpoint,
  way: UpstreamWay,
  dial: SecureDial,
  events: ConnectionEvents,
): Connection {
  const socket = startSecurely(endpoint, way, { ...dial, allowHalfOpen: true })
  const connection = new PublicConnection(socket)
  const handshake = new HandshakeEvents(events)
  connection.events = handshake
  connection.readStream()
  awaitTrust(socket, way, (fault) => {
    handshake.fault = fault
    if (fault !== undefined || connection.isClosed) return
    connection.events = events
    events.opened()
  })
  return connection
}

/** Until the peer is trusted the owner hears of nothing but the end. */
class HandshakeEvents implements ConnectionEvents {
  fault: string | undefined
  readonly #owner: ConnectionEvents

  constructor(owner: ConnectionEvents) {
    this.#owner = owner
  }

  opened(): void {}
  received(): void {}
  ended(): void {}
  drained(): void {}

  closed(error: string | undefined): void {
    this.#owner.closed(this.fault ?? error)
  }
}
