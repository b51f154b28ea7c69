import { RequestScan } from '../../../http/h1-request-scan.ts'
import { ResponseScan } from '../../../http/h1-response-scan.ts'
import { idleRoom } from '../../descriptors.ts'
import type { EngineDeps } from '../../engine.ts'
import { createEngineParts, type EngineParts } from '../../engine-parts.ts'
import { emptyHostMemory, type HostMemory } from '../../route-reader.ts'
import type { Transport } from '../../transport/transport.ts'
import { WayDialer } from '../../upstream/way-dialer.ts'
import { AnswerWriter } from './answer-writer.ts'
import { PlainResponseWriter } from './client-head.ts'
import type { ConnectionKeeper } from './connection-keeper.ts'
import { DateLine } from './date-line.ts'
import { HopBytesMaker } from './hop-bytes.ts'
import { Output } from './output.ts'
import { Spare } from './spare.ts'
import { TurnClock } from './turn-clock.ts'
import { PlainHeadWriter } from './upstream-head.ts'
import { UpstreamPool } from './upstream-pool.ts'

/** What every connection and exchange of one engine shares. */
export interface WireContext extends EngineParts {
  readonly keeper: ConnectionKeeper
  readonly time: TurnClock
  readonly output: Output
  readonly answers: AnswerWriter
  readonly requestWriter: PlainHeadWriter
  readonly responseWriter: PlainResponseWriter
  readonly hops: HopBytesMaker
  readonly pool: UpstreamPool
  /** Of requests that are looked at as strings. */
  readonly hostMemory: HostMemory
  readonly scans: Spare<RequestScan>
  /** For messages that were streams. */
  readonly streamScans: Spare<RequestScan>
  readonly responseScans: Spare<ResponseScan>
}

/** The context of one engine, whose sockets are those of `transport`. */
export function createContext(deps: EngineDeps, transport: Transport, keeper: ConnectionKeeper): WireContext {
  const { settings, clock } = deps
  const time = new TurnClock(clock)
  const parts = createEngineParts(deps, time)
  const { limits } = parts
  const output = new Output()
  return {
    ...parts,
    keeper,
    time,
    output,
    answers: new AnswerWriter(),
    requestWriter: new PlainHeadWriter(output, deps.random),
    responseWriter: new PlainResponseWriter(output, new DateLine(() => parts.date())),
    hops: new HopBytesMaker(),
    pool: new UpstreamPool({
      transport,
      dialer: new WayDialer({ limits, connectTimeoutMs: settings.connectTimeoutMs, nowMs: () => clock.monotonicMs() }),
      maxIdle: limits.upstreamPoolIdle,
      idleTimeoutMs: limits.upstreamIdleTimeoutMs,
      room: () => idleRoom(settings.maxSockets ?? Number.POSITIVE_INFINITY, keeper.connections()),
    }),
    hostMemory: emptyHostMemory(),
    scans: new Spare(() => new RequestScan(limits)),
    streamScans: new Spare(() => new RequestScan(parts.streamRequestLimits)),
    responseScans: new Spare(
      () => new ResponseScan({ maxHeaderBytes: limits.maxResponseHeaderBytes, maxHeaders: limits.maxResponseHeaders }),
    ),
  }
}
