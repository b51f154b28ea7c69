// What one worker is born with: its place among all, and its share of what the process has once.
import { extname } from 'node:path'
import type { CounterMemory } from './counter-layout.ts'
import type { DataPlaneSettings } from './data-plane-settings.ts'
import type { DescriptorShare } from './descriptors.ts'
import { allocateLoopDelay } from './loop-delay.ts'
import { cgroupLimit, defaultBufferBudget } from './memory.ts'
import { DEFAULT_TLS } from './secure-settings.ts'
import type { WorkerBoot } from './worker-protocol.ts'

/** Where a worker stands. */
export interface WorkerPlace {
  readonly index: number
  /** Its column of the counters. */
  readonly column: number
  readonly counters: CounterMemory
  readonly heartbeatMs: number
  readonly descriptors: DescriptorShare
}

/** What the worker at `place` is started with. */
export function workerBoot(settings: DataPlaneSettings, place: WorkerPlace): WorkerBoot {
  const { index, column, counters, heartbeatMs, descriptors } = place
  return {
    index,
    column,
    counters,
    heartbeat: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    heartbeatMs,
    loopDelay: allocateLoopDelay(),
    engine: settings.engine,
    transport: settings.transport ?? 'auto',
    isTransportStrict: settings.isTransportStrict === true,
    engineSettings: engineSettingsOf(settings, descriptors),
    proxyProtocol: settings.proxyProtocol,
    tls: settings.tls ?? DEFAULT_TLS,
    http2: settings.http2,
    maxConnections: settings.maxConnections ?? descriptors.connections,
  }
}

/** The settings of one worker's engine: its share of what the process has once. */
function engineSettingsOf(
  { engineSettings, bufferBudgetBytes = defaultBufferBudget(cgroupLimit()), workers }: DataPlaneSettings,
  { sockets }: DescriptorShare,
): DataPlaneSettings['engineSettings'] {
  return { ...engineSettings, maxSockets: sockets, bufferBudgetBytes: Math.floor(bufferBudgetBytes / workers) }
}

/** The entry file of a worker: the emitted file stands beside an emitted one, the source beside a source (R80-19). */
export function workerEntry(): URL {
  return new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)
}
