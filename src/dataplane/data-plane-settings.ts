// What the data plane is made with.
import type { Clock } from '../lib/clock.ts'
import type { RamjetError } from '../lib/errors.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { EngineName, EngineSettings } from './engine.ts'
import type { ListenAddress } from './listen-address.ts'
import type { ProxyProtocolSettings } from './proxy-protocol-settings.ts'
import { RESTART_POLICY, type RestartPolicy } from './restart-budget.ts'
import type { Http2Settings, TlsSettings } from './secure-settings.ts'
import type { TransportWish } from './transport/choose.ts'

export interface DataPlaneSettings {
  /** Addresses of the plain HTTP listeners (R20-12); may be empty. */
  readonly http: readonly ListenAddress[]
  /** The same of the TLS listeners (R20-13). */
  readonly https?: readonly ListenAddress[]
  /** Data-plane threads, at least 1 (R20-15). */
  readonly workers: number
  readonly engine: EngineName
  /** How the wire engine is to read and write sockets; `undefined`: `auto` (R20-8). */
  readonly transport?: TransportWish | undefined
  /** Whether no other transport will do (R20-9). */
  readonly isTransportStrict?: boolean | undefined
  /** `undefined`: no connection begins with a PROXY header (R20-160). */
  readonly proxyProtocol?: ProxyProtocolSettings | undefined
  /** `undefined`: the defaults of the flags. */
  readonly tls?: TlsSettings | undefined
  /** `undefined`: HTTP/2 is not offered. */
  readonly http2?: Http2Settings | undefined
  readonly engineSettings: EngineSettings
  /** Client connections of one worker; `undefined`: as many as descriptors allow (R20-90, R20-97). */
  readonly maxConnections?: number | undefined
  /** Bytes that all workers together may hold in buffers; `undefined`: by the memory of the process (R20-122). */
  readonly bufferBudgetBytes?: number | undefined
  /** Heap of one worker in MiB; `undefined`: by the memory that this process may use (R70-127). */
  readonly workerHeapMb?: number | undefined
}

export interface DataPlaneDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Called once when no worker is left within its restart budget: the process must end with an error (R70-123). */
  readonly onFatal: (error: RamjetError) => void
  /** Entry file of a worker thread; `undefined`: the one beside this file. */
  readonly workerEntry?: URL | undefined
  /** Intervals and limits other than those of R70-121 and R70-123. */
  readonly timing?: Partial<DataPlaneTiming> | undefined
}

/** How the data plane waits. */
export interface DataPlaneTiming {
  readonly heartbeatMs: number
  /** A worker without a heartbeat for so long is replaced. */
  readonly stallMs: number
  /** The same for a thread that has not begun to run yet. */
  readonly bootMs: number
  /** How long such a worker may stay meanwhile, to be asked where it is (R70-121). */
  readonly profileMs: number
  /** A worker that does not answer a publish for so long is replaced (R30-10). */
  readonly silenceMs: number
  /** What a worker that threw may still finish (R70-126). */
  readonly failingGraceMs: number
  readonly restarts: RestartPolicy
}

/** As R70-121 and R70-123 have it. */
export const TIMING: DataPlaneTiming = {
  heartbeatMs: 250,
  stallMs: 5_000,
  bootMs: 30_000,
  profileMs: 500,
  silenceMs: 10_000,
  failingGraceMs: 5_000,
  restarts: RESTART_POLICY,
}
