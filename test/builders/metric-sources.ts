// What metrics are read from, of a process in which nothing has happened.
import {
  type HistogramTotals,
  PROCESS_FIELDS,
  type ProcessField,
  type ProcessTotals,
} from '../../src/model/counters.ts'
import { DurationHistogram } from '../../src/observability/histogram.ts'
import type { MetricSources, PublishFigures } from '../../src/observability/metric-sources.ts'
import { NO_WRITING } from '../../src/observability/writing-figures.ts'

const EMPTY: HistogramTotals = new DurationHistogram().totals()

/** Totals of workers that counted nothing but what `moved` and `histograms` say. */
export function totalsWith(
  moved: Partial<Record<ProcessField, number>>,
  histograms: Partial<ProcessTotals['histograms']> = {},
): ProcessTotals {
  const fields = Object.fromEntries(PROCESS_FIELDS.map((name) => [name, moved[name] ?? 0]))
  return {
    fields: fields as Readonly<Record<ProcessField, number>>,
    histograms: { requestDuration: EMPTY, upstreamLatency: EMPTY, ...histograms },
  }
}

export const PUBLISHING: PublishFigures = {
  generation: 0,
  endpointsVersion: 0,
  failures: { tls_context: 0, limit: 0, port: 0, memory: 0, digest: 0, other: 0 },
  isPinned: false,
  webhookFailures: 0,
  compile: EMPTY,
  publishGeneration: EMPTY,
  publishEndpoints: EMPTY,
}
const KIND = { kind: 'Ingress', objects: 0, lastSyncAgeMs: 0, watchRestarts: 0, queueDepth: 0, reconcileErrors: 0 }

export const ADMIN_FAILURES = { relay_limit: 0, relay_timeout: 0, relay_connect: 0, relay_broken: 0, events_limit: 0 }

/** What a process says that watches one kind and has done nothing, but for `over`. */
export function sourcesWith(over: Partial<MetricSources> = {}): MetricSources {
  return {
    totals: () => totalsWith({}),
    workerRestarts: () => ({ exception: 0, stall: 0, memory: 0, exit: 0, publish: 0 }),
    loopDelays: () => [],
    warnings: () => new Map(),
    certificates: () => [],
    publishing: () => PUBLISHING,
    config: () => undefined,
    kinds: () => [KIND],
    adminFailures: () => ADMIN_FAILURES,
    writing: () => NO_WRITING,
    ...over,
  }
}
