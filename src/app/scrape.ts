// One scrape: every metric of ours from its owner, and those of the process.
import type { CertificateRecord } from '../model/certificate-record.ts'
import type { CertificateFigures } from '../observability/metric-sources.ts'
import { collectFamilies } from '../observability/metrics.ts'
import { metricsText, type TextFormat } from '../observability/metrics-text.ts'
import { NO_WRITING } from '../observability/writing-figures.ts'
import type { AppDeps } from './app-options.ts'
import { kindsOf, type Parts } from './parts.ts'

/** Of those that serve; a label set that two have is given once, with what ends first. */
function figuresOfCertificates(records: readonly CertificateRecord[]): readonly CertificateFigures[] {
  const byName = Map.groupBy(
    records.flatMap(({ namespace, secret, serving }) =>
      serving ? [{ namespace, secret, notAfterMs: serving.notAfterMs }] : [],
    ),
    ({ namespace, secret }) => `${namespace}/${secret}`,
  )
  return [...byName.values()].flatMap((same) => same.toSorted((a, b) => a.notAfterMs - b.notAfterMs).slice(0, 1))
}

/** The text of `/metrics` as it is now. */
export async function scrape(
  parts: Parts,
  { processFamilies }: Pick<AppDeps, 'processFamilies'>,
  format: TextFormat,
): Promise<string> {
  const { dataPlane, publishing, audit, warnings, figures, config, cluster, admin } = parts
  const pair = publishing.current()
  const families = collectFamilies({
    totals: () => dataPlane.totals(),
    workerRestarts: () => dataPlane.workerRestarts(),
    loopDelays: () => dataPlane.takeLoopDelays(),
    warnings: () => warnings.countsByReason(),
    certificates: () => figuresOfCertificates(parts.expiry.records),
    config: () => config()?.status(),
    kinds: () => kindsOf(parts),
    writing: () => cluster()?.writer.figures() ?? NO_WRITING,
    adminFailures: () => admin().failures(),
    publishing: () => ({
      generation: pair?.generation.number ?? 0,
      endpointsVersion: pair?.endpoints.version ?? 0,
      failures: publishing.failures(),
      isPinned: publishing.pinned() !== undefined,
      webhookFailures: audit.webhookFailures,
      ...figures.totals(),
    }),
  })
  return metricsText([...families, ...(await processFamilies())], format)
}
