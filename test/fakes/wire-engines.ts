// The wire engine on each of its transports, for suites that hold for every engine.
import type { Server, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ConnectionOrigin, Engine, EngineFactory } from '../../src/dataplane/engine.ts'
import { createWireEngine } from '../../src/dataplane/engines/wire/server.ts'
import { createHandleTransport } from '../../src/dataplane/transport/handle.ts'
import { createPublicTransport } from '../../src/dataplane/transport/public.ts'
import type { Connection, Transport } from '../../src/dataplane/transport/transport.ts'

const TRANSPORTS: ReadonlyMap<string, () => Transport> = new Map([
  ['public', createPublicTransport],
  ['handle', handleTransport],
])

/** Makes the engine anew, on a transport of its own, by the transport's name. It is given sockets that others accepted. */
export const WIRE_ENGINES: ReadonlyMap<string, EngineFactory> = new Map(
  [...TRANSPORTS].map(([name, make]) => [name, wireOn(make)]),
)

/** The same engines, whose transport takes the connections of a listener by itself, as in a worker. */
export const ATTACHED_ENGINES: ReadonlyMap<string, EngineFactory> = new Map(
  [...TRANSPORTS].map(([name, make]) => [name, attachedOn(make)]),
)

/** The engine's end of a client's connection, as a suite sees it. */
export interface Arrival {
  readonly bytesRead: number
  readonly isClosed: boolean
}

/** From now on `engine` serves what `server` accepts; each is told by the client's port. */
export function serveFrom(
  server: Server,
  engine: Engine,
  { origin, arrived }: { readonly origin: ConnectionOrigin; readonly arrived: (port: number, end: Arrival) => void },
): void {
  if (isAttached(engine)) {
    engine.transport.attach(server, (connection) => {
      arrived(connection.peerPort, connection)
      engine.serve?.(connection, origin)
    })
    return
  }
  server.on('connection', (socket) => {
    arrived(socket.remotePort ?? 0, arrivalOf(socket))
    engine.accept(socket, origin)
  })
}

/** What a socket tells of itself. */
export function arrivalOf(socket: Socket): Arrival {
  return {
    get bytesRead() {
      return socket.bytesRead
    },
    get isClosed() {
      return socket.destroyed
    },
  }
}

interface AttachedEngine extends Engine {
  readonly transport: Transport
}

function isAttached(engine: Engine): engine is AttachedEngine {
  return 'transport' in engine
}

function attachedOn(makeTransport: () => Transport): EngineFactory {
  return (deps) => {
    const transport = makeTransport()
    return Object.assign(createWireEngine({ ...deps, transport }), { transport })
  }
}

/** Sockets that such an engine takes still tell how much of them was read, and whether they are gone. */
function wireOn(makeTransport: () => Transport): EngineFactory {
  return (deps) => {
    const transport = makeTransport()
    const engine = createWireEngine({ ...deps, transport })
    const accept: typeof engine.accept = (socket, origin) => {
      const connection = transport.adopt(socket)
      // A socket that lost its handle tells nothing any more.
      if (transport.name === 'handle' && !(socket instanceof TLSSocket)) tellOf(connection, socket)
      engine.serve?.(connection, origin)
      connection.resume()
    }
    return Object.assign(engine, { accept })
  }
}

function handleTransport(): Transport {
  const transport = createHandleTransport()
  if (!transport.ok) throw new Error(`this Node has no handles: ${transport.error.message}`)
  return transport.value
}

function tellOf(connection: Connection, socket: object): void {
  Object.defineProperty(socket, 'bytesRead', { get: () => connection.bytesRead })
  Object.defineProperty(socket, 'destroyed', { get: () => connection.isClosed })
}
