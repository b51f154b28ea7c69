// The wire engine on each of its transports, as suites that hand out accepted sockets want it.
import type { Socket } from 'node:net'
import type { EngineFactory } from '../../src/dataplane/engine.ts'
import { createWireEngine } from '../../src/dataplane/engines/wire/server.ts'
import { createHandleTransport } from '../../src/dataplane/transport/handle.ts'
import { createPublicTransport } from '../../src/dataplane/transport/public.ts'
import type { Connection, Transport } from '../../src/dataplane/transport/transport.ts'

/** Makes the engine anew, on a transport of its own, by the transport's name. */
export const WIRE_ENGINES: ReadonlyMap<string, EngineFactory> = new Map([
  ['public', wireOn(createPublicTransport)],
  ['handle', wireOn(handleTransport)],
])

/** Sockets that such an engine takes still tell how much of them was read, and whether they are gone. */
function wireOn(makeTransport: () => Transport): EngineFactory {
  return (deps) => {
    const transport = makeTransport()
    const engine = createWireEngine({ ...deps, transport })
    const accept: typeof engine.accept = (socket, origin) => {
      const connection = transport.adopt(socket)
      // A socket that lost its handle tells nothing any more.
      if (transport.name === 'handle') tellOf(connection, socket)
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

function tellOf(connection: Connection, socket: Socket): void {
  Object.defineProperty(socket, 'bytesRead', { get: () => connection.bytesRead })
  Object.defineProperty(socket, 'destroyed', { get: () => connection.isClosed })
}
