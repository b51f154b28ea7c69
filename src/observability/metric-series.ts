// How one metric is declared: its name and help, and how a scrape reads its series.
import { DURATION_BUCKETS, type HistogramTotals, type ProcessField, type ProcessTotals } from '../model/counters.ts'
import type {
  CertificateFigures,
  ConfigFigures,
  KindFigures,
  LoopDelayFigures,
  PublishFigures,
} from './metric-sources.ts'
import type { Sample } from './metrics-text.ts'
import type { WritingFigures } from './writing-figures.ts'

/** The name, type, help and labels of a metric: what docs/metrics.md is made from. */
export interface Declaration {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

/** Every owner's figures, of one instant. */
export interface Scrape {
  readonly config: ConfigFigures | undefined
  readonly totals: ProcessTotals
  readonly publishing: PublishFigures
  readonly writing: WritingFigures
  readonly kinds: readonly KindFigures[]
  readonly adminFailures: Readonly<Record<string, number>>
  readonly warnings: ReadonlyMap<string, number>
  readonly certificates: readonly CertificateFigures[]
  readonly workerRestarts: Readonly<Record<string, number>>
  readonly loopDelays: readonly LoopDelayFigures[]
}

export type Reader = (scrape: Scrape) => readonly Sample[]

export interface Row extends Declaration {
  readonly read: Reader
}

export interface Series {
  readonly labels: readonly string[]
  readonly read: Reader
}

export function counter(name: string, help: string, series: Series): Row {
  return { name, type: 'counter', help, ...series }
}

export function gauge(name: string, help: string, series: Series): Row {
  return { name, type: 'gauge', help, ...series }
}

export type HistogramSource = readonly [labels: Sample['labels'], read: (scrape: Scrape) => HistogramTotals]

export function histogram(
  name: string,
  help: string,
  sources: readonly HistogramSource[],
  labels: readonly string[] = [],
): Row {
  const read: Reader = (scrape) => sources.flatMap(([values, totals]) => histogramSamples(values, totals(scrape)))
  return { name, type: 'histogram', help, labels, read }
}

export function histogramSamples(labels: Sample['labels'], totals: HistogramTotals): readonly Sample[] {
  const bounds = [...DURATION_BUCKETS.map(String), '+Inf']
  const buckets = bounds.map((le, index) => ({
    suffix: '_bucket',
    labels: [...labels, ['le', le] as const],
    value: totals.cumulative[index] ?? totals.count,
  }))
  return [
    ...buckets,
    { suffix: '_sum', labels, value: totals.sumSeconds },
    { suffix: '_count', labels, value: totals.count },
  ]
}

/** A series of one field of the workers' counters. */
export function field(name: ProcessField): Series {
  return { labels: [], read: ({ totals }) => [sample([], totals.fields[name])] }
}

/** A series for each value of a closed label; `undefined`: nothing in this build moves it, it stays 0 (R34-3). */
export function fields(label: string, byValue: Readonly<Record<string, ProcessField | undefined>>): Series {
  const entries = Object.entries(byValue)
  return labelled(label, ({ totals }) =>
    entries.map(([value, name]) => [value, name === undefined ? 0 : totals.fields[name]]),
  )
}

export function byKind(read: (kind: KindFigures) => number | undefined): Series {
  return labelled('kind', ({ kinds }) =>
    kinds.flatMap((kind) => {
      const value = read(kind)
      return value === undefined ? [] : [[kind.kind, value] as const]
    }),
  )
}

export function labelled(
  label: string,
  read: (scrape: Scrape) => readonly (readonly [value: string, at: number])[],
): Series {
  return { labels: [label], read: (scrape) => read(scrape).map(([value, at]) => sample([[label, value]], at)) }
}

export function sample(labels: Sample['labels'], value: number): Sample {
  return { suffix: '', labels, value }
}
