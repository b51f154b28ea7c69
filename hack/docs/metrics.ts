import { AdminFailures } from '../../src/admin/admin-failures.ts'
import { RESTART_REASONS } from '../../src/dataplane/restart-reason.ts'
import { HISTOGRAMS, type HistogramTotals, PROCESS_FIELDS, type ProcessTotals } from '../../src/model/counters.ts'
import type { Declaration } from '../../src/observability/metric-series.ts'
import type { MetricSources } from '../../src/observability/metric-sources.ts'
import { collectFamilies, METRICS } from '../../src/observability/metrics.ts'
import { NO_WRITING } from '../../src/observability/writing-figures.ts'
import { code, markdownTable, type Page } from './markdown.ts'

const INTRODUCTION = `
What \`GET /metrics\` of the admin listener renders, as Prometheus text or OpenMetrics by the \`Accept\` field.

- Counters are sums over all workers, those that died included. They fall only when the process ends.
- No label value is chosen by a client: no host, path, method or address of a request ever becomes a label.
- Every series of a closed set of values is there from the start, at zero; some of them nothing in this build can move.
- Durations are in seconds, in buckets of 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5 and 10.
- \`process_*\` and \`nodejs_*\` are those of prom-client, of the process and its main thread.
`

// Labels whose values are no closed set of this file's, and what they are.
const OPEN: ReadonlyMap<string, string> = new Map([
  ['ramjet_warnings reason', 'every reason of [warnings](warnings.md)'],
  ['kind', 'every kind that is watched'],
  ['worker', 'its number, from 0'],
  ['namespace', 'of a Secret that is named for TLS'],
  ['secret', 'its name'],
])

/** docs/metrics.md: every metric that is declared. */
export function metricsPage(): Page {
  const values = labelValues()
  const rows = METRICS.map((metric) => [code(metric.name), metric.type, labelsText(metric, values), metric.help])
  return {
    file: 'docs/metrics.md',
    source: 'src/observability/metrics.ts',
    title: 'Metrics',
    body: `${INTRODUCTION.trim()}\n\n${markdownTable(['name', 'type', 'labels', 'meaning'], rows)}`,
  }
}

function labelsText({ name, labels }: Declaration, values: ReadonlyMap<string, readonly string[]>): string {
  return labels
    .map((label) => {
      const open = OPEN.get(`${name} ${label}`) ?? OPEN.get(label)
      const closed = values.get(`${name} ${label}`) ?? []
      if (open === undefined && closed.length === 0) throw new Error(`no value of ${name}{${label}} is known`)
      return `${code(label)}: ${open ?? closed.map(code).join(' ')}`
    })
    .join('; ')
}

/** The values that each label has at rest, by `metric label`. */
function labelValues(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const { name, samples } of collectFamilies(AT_REST)) {
    for (const [label, value] of samples.flatMap(({ labels }) => labels)) {
      const key = `${name} ${label}`
      found.set(key, (found.get(key) ?? new Set()).add(value))
    }
  }
  return new Map([...found].map(([key, set]) => [key, [...set]]))
}

const NOTHING: HistogramTotals = { cumulative: [], sumSeconds: 0, count: 0 }

const AT_REST: MetricSources = {
  totals: () =>
    ({ fields: zeroes(PROCESS_FIELDS, 0), histograms: zeroes(HISTOGRAMS, NOTHING) }) satisfies ProcessTotals,
  workerRestarts: () => zeroes(RESTART_REASONS, 0),
  loopDelays: () => [{ worker: 0, p50: 0, p99: 0, max: 0 }],
  warnings: () => new Map(),
  certificates: () => [],
  kinds: () => [],
  adminFailures: () => new AdminFailures().counts(),
  writing: () => NO_WRITING,
  config: () => undefined,
  publishing: () => ({
    generation: 0,
    endpointsVersion: 0,
    failures: { tls_context: 0, limit: 0, port: 0, memory: 0, digest: 0, other: 0 },
    isPinned: false,
    webhookFailures: 0,
    compile: NOTHING,
    publishGeneration: NOTHING,
    publishEndpoints: NOTHING,
  }),
}

function zeroes<K extends string, V>(names: readonly K[], value: V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<K, V>
}
