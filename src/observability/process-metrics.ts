// `process_*` and `nodejs_*` of the main thread, as prom-client names and measures them.
import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import type { Family, Sample } from './metrics-text.ts'

/** Begins to measure, and gives what is measured at each call. To be called once a process. */
export function watchProcess(): () => Promise<readonly Family[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return async () => (await registry.getMetricsAsJSON()).map(familyOf)
}

function familyOf({ name, help, type, values }: MetricObjectWithValues<MetricValue<string>>): Family {
  return { name, help, type: typeOf(String(type)), samples: values.map((value) => sampleOf(name, value)) }
}

// Declared as a numeric enum, but text at run time.
function typeOf(type: string): Family['type'] {
  return type === 'counter' || type === 'histogram' || type === 'summary' ? type : 'gauge'
}

function sampleOf(name: string, value: MetricValue<string> & { readonly metricName?: string }): Sample {
  return {
    suffix: (value.metricName ?? name).slice(name.length),
    labels: Object.entries(value.labels).map(([label, text]) => [label, String(text)]),
    value: value.value,
  }
}
