// The transport on handles: sockets without Node's stream machinery (R60-25). It relies on internals of Node, so it is
// had only where these are there, and served only after its self-test.
import type { Server, Socket } from 'node:net'
import type { Result } from '../../lib/result.ts'
import { connectHandle, HandleConnection, type HandleShare } from './handle-connection.ts'
import { type ListeningHandle, listeningHandleOf, loadInternals, takeHandle } from './internals.ts'
import { adoptPublicly } from './public.ts'
import { PublicConnection } from './public-connection.ts'
import type { Connection, ConnectionEvents, ConnectTarget, Transport, TransportFault } from './transport.ts'
import { ViewCache } from './view-cache.ts'

const SLAB_BYTES = 65_536

/** The transport on handles, or why this process cannot have it. */
export function createHandleTransport(): Result<Transport, TransportFault> {
  const internals = loadInternals()
  if (!internals.ok) return internals
  const slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  return {
    ok: true,
    value: new HandleTransport({ internals: internals.value, slab, views: new ViewCache(), freeWrite: undefined }),
  }
}

class HandleTransport implements Transport {
  readonly name = 'handle'
  readonly #share: HandleShare

  constructor(share: HandleShare) {
    this.#share = share
  }

  attach(server: Server, accepted: (connection: Connection) => void, released?: () => void): void {
    const listening = listeningHandleOf(server)
    if (!listening) throw new TypeError('a transport is attached to a server that does not listen')
    const ofServer = listening.onconnection
    const share = this.#share
    listening.onconnection = function onconnection(this: ListeningHandle, status, handle): void {
      if (status !== 0 || !handle) {
        // What failed to be accepted is the server's to tell.
        ofServer.call(this, status, handle)
        return
      }
      handle.setNoDelay(true)
      const connection = new HandleConnection(share, handle, released)
      connection.accepted(accepted)
    }
  }

  adopt(socket: Socket): Connection {
    const early: unknown = socket.read()
    const handle = takeHandle(socket, this.#share.internals)
    // TLS, or a socket that is gone: what is read is not what is on the wire.
    if (!handle) return adoptPublicly(socket, early)
    handle.setNoDelay(true)
    // The shell ends with the connection, and with it what a server counts.
    const connection = new HandleConnection(this.#share, handle, () => socket.destroy())
    connection.pause()
    if (Buffer.isBuffer(early)) connection.hold(early)
    return connection
  }

  release(connection: Connection): Socket {
    // Where a socket had no handle of ours, it was adopted by its stream.
    if (connection instanceof PublicConnection) return connection.release()
    if (!(connection instanceof HandleConnection)) throw new TypeError('a connection of another transport')
    return connection.release()
  }

  connect(target: ConnectTarget, events: ConnectionEvents): Connection {
    const connection = connectHandle(this.#share, target)
    connection.events = events
    return connection
  }
}
