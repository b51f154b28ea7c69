// The transport on Node's public API: net.Server and net.Socket, read into a shared slab where the API offers it.
import type { Server, Socket } from 'node:net'
import { PatientSocket } from './patient-socket.ts'
import { PublicConnection, slabReader } from './public-connection.ts'
import type { Connection, ConnectionEvents, ConnectTarget, Transport } from './transport.ts'

const SLAB_BYTES = 65_536
const KEEP_ALIVE_MS = 30_000

/** The transport that every Node has. */
export function createPublicTransport(): Transport {
  return new PublicTransport()
}

/** A socket that somebody else accepted, as a connection, paused; `early`: what was read of it, if anything. */
export function adoptPublicly(socket: Socket, early: unknown): Connection {
  socket.pause()
  if (Buffer.isBuffer(early)) socket.unshift(early)
  socket.setNoDelay(true)
  socket.allowHalfOpen = true
  const connection = new PublicConnection(socket)
  connection.readStream()
  return connection
}

class PublicTransport implements Transport {
  readonly name = 'public'
  // One slab and one callback for all sockets that this transport connects.
  readonly #reader = slabReader(Buffer.allocUnsafeSlow(SLAB_BYTES))

  attach(server: Server, accepted: (connection: Connection) => void, released?: () => void): void {
    if (!server.listening) throw new TypeError('a transport is attached to a server that does not listen')
    server.removeAllListeners('connection')
    server.on('connection', (socket) => {
      socket.setNoDelay(true)
      socket.allowHalfOpen = true
      const connection = new PublicConnection(socket, released)
      accepted(connection)
      connection.readStream()
    })
  }

  adopt(socket: Socket): Connection {
    return adoptPublicly(socket, undefined)
  }

  release(connection: Connection): Socket {
    if (!(connection instanceof PublicConnection)) throw new TypeError('a connection of another transport')
    return connection.release()
  }

  connect({ host, port }: ConnectTarget, events: ConnectionEvents): Connection {
    const socket = new PatientSocket({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      onread: this.#reader,
    })
    const connection = new PublicConnection(socket)
    connection.events = events
    connection.awaitOpen()
    socket.connect({ host, port, autoSelectFamily: false })
    return connection
  }
}
