import { RequestScan } from '../../../http/h1-request-scan.ts'
import { ResponseScan } from '../../../http/h1-response-scan.ts'
import { idleRoom } from '../../descriptors.ts'
import type { EngineDeps } from '../../engine.ts'
import { createEngineParts, type EngineParts } from '../../engine-parts.ts'
import { emptyHostMemory, type HostMemory } from '../../route-reader.ts'
import type { Transport } from '../../transport/transport.ts'
import { AnswerWriter } from './answer-writer.ts'
import type { ClientConnection } from './client-connection.ts'
import { DateLine } from './date-line.ts'
import { HopBytesMaker } from './hop-bytes.ts'
import { Output } from './output.ts'
import { Spare } from './spare.ts'
import type { Tunnel } from './tunnel.ts'
import { TurnClock } from './turn-clock.ts'
import { UpstreamPool } from './upstream-pool.ts'

/** What is told of connections to whoever keeps them. */
export interface ConnectionKeeper {
  /** How many clients are connected now, tunnels included. */
  connections(): number
  /** Whether every answer ends its connection (R20-166). */
  isDraining(): boolean
  /** A client's connection is gone, or has become a tunnel. */
  connectionClosed(connection: ClientConnection): void
  tunnelOpened(tunnel: Tunnel): void
  tunnelClosed(tunnel: Tunnel): void
}

/** What every connection and exchange of one engine shares. */
export interface WireContext extends EngineParts {
  readonly keeper: ConnectionKeeper
  readonly time: TurnClock
  readonly output: Output
  readonly answers: AnswerWriter
  readonly dateLine: DateLine
  readonly hops: HopBytesMaker
  readonly pool: UpstreamPool
  /** Of requests that are looked at as strings. */
  readonly hostMemory: HostMemory
  readonly scans: Spare<RequestScan>
  readonly responseScans: Spare<ResponseScan>
}

/** The context of one engine, whose sockets are those of `transport`. */
export function createContext(deps: EngineDeps, transport: Transport, keeper: ConnectionKeeper): WireContext {
  const { settings, clock } = deps
  const parts = createEngineParts(deps)
  const { limits } = parts
  return {
    ...parts,
    keeper,
    time: new TurnClock(clock),
    output: new Output(),
    answers: new AnswerWriter(),
    dateLine: new DateLine(() => parts.date()),
    hops: new HopBytesMaker(),
    pool: new UpstreamPool({
      transport,
      maxIdle: limits.upstreamPoolIdle,
      idleTimeoutMs: limits.upstreamIdleTimeoutMs,
      room: () => idleRoom(settings.maxSockets ?? Number.POSITIVE_INFINITY, keeper.connections()),
    }),
    hostMemory: emptyHostMemory(),
    scans: new Spare(() => new RequestScan(limits)),
    responseScans: new Spare(
      () => new ResponseScan({ maxHeaderBytes: limits.maxResponseHeaderBytes, maxHeaders: limits.maxResponseHeaders }),
    ),
  }
}
