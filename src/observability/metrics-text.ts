// Writes metrics as text. Our own, because prom-client's registry renames its counters for good when it writes OpenMetrics
// once, and because its histograms take observations alone, while ours are sums of shared memory.

/** One line: its labels and what it is at now. */
export interface Sample {
  /** What follows the family's name: `_bucket`, `_sum`, `_count`; empty for most. */
  readonly suffix: string
  /** In the order in which they are written. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly value: number
}

export interface Family {
  /** Of a counter with `_total`. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly samples: readonly Sample[]
}

export const TEXT_TYPES = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
export type TextFormat = keyof typeof TEXT_TYPES

/** The text of `families`, in their order. Source: Prometheus text format 0.0.4, OpenMetrics 1.0.0. */
export function metricsText(families: readonly Family[], format: TextFormat): string {
  const text = families.map((family) => familyText(family, format)).join('')
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

function familyText({ name, type, help, samples }: Family, format: TextFormat): string {
  // OpenMetrics names the family without `_total` and each of its lines with it.
  const title = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
  const lines = samples.map(
    ({ suffix, labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
  )
  return `# HELP ${title} ${helpText(help, format)}\n# TYPE ${title} ${type}\n${lines.join('')}`
}

function labelText(labels: Sample['labels']): string {
  return labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`
}

function helpText(help: string, format: TextFormat): string {
  return format === 'openmetrics' ? escaped(help) : help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
