import type { Server, Socket } from 'node:net'
import type { ConnectionOrigin, Engine, EngineDeps, ServedPair } from '../../src/dataplane/engine.ts'
import { DEFAULT_TLS } from '../../src/dataplane/secure-settings.ts'
import { TlsFront } from '../../src/dataplane/tls/front.ts'
import { certificateTableOf, pairFor } from '../builders/secure-names.ts'
import { realTimers } from '../dataplane/harness.ts'
import { type Arrival, arrivalOf } from './wire-engines.ts'

export interface SecureFrontOptions {
  /** The one name that has a certificate. */
  readonly host: string
  /** What the engine is told of every connection, be it by TLS or not. */
  readonly origin: ConnectionOrigin
  readonly arrived: (port: number, end: Arrival) => void
}

/** As `serveFrom` by TLS: the product's own front stands between `server` and `engine`. */
export function serveSecurelyFrom(
  server: Server,
  { engine, deps }: { readonly engine: Engine; readonly deps: EngineDeps },
  { host, origin, arrived }: SecureFrontOptions,
): void {
  const certificates = certificateTableOf({ [host]: { pairs: [pairFor(host)] } })
  const current = (): ServedPair => {
    const pair = deps.current()
    return { ...pair, routes: { ...pair.routes, certificates } }
  }
  const accept = (socket: Socket): void => {
    arrived(socket.remotePort ?? 0, arrivalOf(socket))
    engine.accept(socket, origin)
  }
  const engineDeps = { ...deps, current }
  const front = new TlsFront({ engineDeps, engine: { accept }, settings: DEFAULT_TLS, timers: realTimers })
  server.on('connection', (socket) => front.pass(socket, origin))
}
