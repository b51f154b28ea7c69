// The data plane as the main thread sees it. Everything that carries bytes of clients is in the workers behind it.
import type { Clock } from '../lib/clock.ts'
import type { RamjetError } from '../lib/errors.ts'
import type { Timers } from '../lib/timers.ts'
import type { ProcessTotals, SlotTotals } from '../model/counters.ts'
import type { ApplyOutcome, Pair } from '../model/generation.ts'
import type { Logger } from '../observability/log.ts'
import type { EngineSettings } from './engine.ts'
import type { BoundListener, ListenAddress } from './listen-address.ts'

export interface DataPlaneSettings {
  /** Addresses of the plain HTTP listeners (R20-12); may be empty. */
  readonly http: readonly ListenAddress[]
  /** Data-plane threads, at least 1 (R20-15). */
  readonly workers: number
  readonly engine: 'standard'
  readonly engineSettings: EngineSettings
  /** Heap of one worker in MiB; `undefined`: by the memory that this process may use (R70-127). */
  readonly workerHeapMb?: number | undefined
}

export interface DataPlaneDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Called once when no worker is left within its restart budget: the process must end with an error (R70-123). */
  readonly onFatal: (error: RamjetError) => void
}

/** Why a worker was replaced: the label of `ramjet_worker_restarts_total`. */
export const RESTART_REASONS = ['exception', 'stall', 'memory', 'exit', 'publish'] as const
export type RestartReason = (typeof RESTART_REASONS)[number]

export interface WorkerStatus {
  /** 0 and up; a successor has the index of the worker it replaces. */
  readonly index: number
  /** `starting`: no pair yet, or not listening; `dead`: past its restart budget. */
  readonly state: 'starting' | 'serving' | 'restarting' | 'dead'
  /** Number of the generation it serves; 0: none yet. */
  readonly generation: number
  /** 0: none yet. */
  readonly endpointsVersion: number
}

/** What the end of the grace cut off (R20-169). */
export interface DrainReport {
  readonly requests: number
  readonly tunnels: number
}

export interface DataPlane {
  /** Checks every address and starts the workers; they listen after their first pair. Throws `BindError` (R20-25). */
  start(): Promise<void>
  /**
   * Publishes in two phases and resolves when every worker serves `pair`, or when it was refused and the last good one
   * stays everywhere. One call at a time. `keptGenerations`: numbers of those whose counters must keep their rows.
   */
  apply(pair: Pair, keptGenerations?: readonly number[]): Promise<ApplyOutcome>
  workers(): readonly WorkerStatus[]
  totals(): ProcessTotals
  /** All zero for a route or an endpoint that is not known. */
  routeTotals(routeId: string): SlotTotals
  endpointTotals(address: string): SlotTotals
  /** The sockets that are or will be bound; port 0 until the first worker listens. */
  listeners(): readonly BoundListener[]
  workerRestarts(): Readonly<Record<RestartReason, number>>
  /** From now on every answer carries `Connection: close` (R20-166). */
  startDraining(): void
  /** Closes listeners and idle connections and waits for requests and tunnels, at most `graceMs` (R20-167). */
  drain(options: { readonly graceMs: number }): Promise<DrainReport>
  /** Ends every worker at once. */
  stop(): Promise<void>
  /** False when a worker has been dead past its restart budget (R70-122). */
  healthy(): boolean
}

/** The data plane, not started. */
export function createDataPlane(settings: DataPlaneSettings, deps: DataPlaneDeps): DataPlane {
  throw new TypeError(`to be filled in: ${settings.engine}, ${typeof deps}`)
}
