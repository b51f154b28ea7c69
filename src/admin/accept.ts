import type { TextFormat } from '../observability/metrics-text.ts'

const OPENMETRICS = 'application/openmetrics-text'

/** The format that an `Accept` field prefers: OpenMetrics where it is named and nothing we write is liked better. */
export function metricsFormat(accept: string | undefined): TextFormat {
  let openmetrics = 0
  let prometheus = 0
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = qualityOf(parameters)
    if (type === OPENMETRICS) openmetrics = Math.max(openmetrics, quality)
    else if (type === 'text/plain' || type === 'text/*') prometheus = Math.max(prometheus, quality)
  }
  return openmetrics > 0 && openmetrics >= prometheus ? 'openmetrics' : 'prometheus'
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = Number(text ?? 1)
  return quality >= 0 && quality <= 1 ? quality : 0
}
