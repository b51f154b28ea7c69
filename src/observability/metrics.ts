// Every metric of this build, declared once (R34). Values are read from their owners at each scrape.
import { CONNECTIONS } from './connection-metrics.ts'
import { CONTROL_PLANE } from './control-plane-metrics.ts'
import type { Declaration, Row, Scrape } from './metric-series.ts'
import type { MetricSources } from './metric-sources.ts'
import type { Family } from './metrics-text.ts'
import { REQUESTS } from './request-metrics.ts'
import { TLS } from './tls-metrics.ts'
import { UPSTREAM } from './upstream-metrics.ts'
import { WORKERS } from './worker-metrics.ts'

const ROWS: readonly Row[] = [...REQUESTS, ...CONNECTIONS, ...UPSTREAM, ...TLS, ...CONTROL_PLANE, ...WORKERS]

/** Every metric of ours, in the order in which they are written. */
export const METRICS: readonly Declaration[] = ROWS

/** What every metric of ours is at now. */
export function collectFamilies(sources: MetricSources): readonly Family[] {
  const scrape: Scrape = {
    totals: sources.totals(),
    publishing: sources.publishing(),
    config: sources.config(),
    kinds: sources.kinds(),
    writing: sources.writing(),
    adminFailures: sources.adminFailures(),
    warnings: sources.warnings(),
    certificates: sources.certificates(),
    workerRestarts: sources.workerRestarts(),
    loopDelays: sources.loopDelays(),
  }
  return ROWS.map(({ name, type, help, read }) => ({ name, type, help, samples: read(scrape) }))
}
