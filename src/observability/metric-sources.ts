// Where the values of metrics come from: what each owner hands over at a scrape.
import type { HistogramTotals, ProcessTotals } from '../model/counters.ts'
import type { PublishFailure } from '../model/generation.ts'
import type { WritingFigures } from './writing-figures.ts'

/** What the control plane knows of a kind that it watches. */
export interface KindFigures {
  readonly kind: string
  readonly objects: number
  /** `undefined`: not listed yet. */
  readonly lastSyncAgeMs: number | undefined
  readonly watchRestarts: number
  readonly queueDepth: number
  readonly reconcileErrors: number
}

/** Where the values come from; each is asked once a scrape. */
export interface MetricSources {
  readonly totals: () => ProcessTotals
  readonly workerRestarts: () => Readonly<Record<string, number>>
  /** One for each worker; asking begins a new period. */
  readonly loopDelays: () => readonly LoopDelayFigures[]
  /** Current warnings by reason; those that are absent are none. */
  readonly warnings: () => ReadonlyMap<string, number>
  /** When the certificates end that serve, each label set once. */
  readonly certificates: () => readonly CertificateFigures[]
  readonly publishing: () => PublishFigures
  /** `undefined`: there is no operator's configuration. */
  readonly config: () => ConfigFigures | undefined
  /** None in static mode. */
  readonly kinds: () => readonly KindFigures[]
  readonly writing: () => WritingFigures
  /** Requests to the admin listener that were refused, or cut while relayed, by reason. */
  readonly adminFailures: () => Readonly<Record<string, number>>
}

/** When the certificate of a Secret ends that serves by it. */
export interface CertificateFigures {
  readonly namespace: string
  readonly secret: string
  /** Unix milliseconds. */
  readonly notAfterMs: number
}

/** Where the operator's configuration stands. */
export interface ConfigFigures {
  /** Invalid readings so far. */
  readonly failures: number
  /** When what is in force was read, in Unix milliseconds. */
  readonly loadedAtMs: number
}

/** How late the event loop of a worker ran since the last scrape, in seconds. */
export interface LoopDelayFigures {
  readonly worker: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface PublishFigures {
  /** Number of the generation that serves; 0: none yet. */
  readonly generation: number
  readonly endpointsVersion: number
  readonly failures: Readonly<Record<PublishFailure, number>>
  readonly isPinned: boolean
  /** Audit records that did not reach the webhook. */
  readonly webhookFailures: number
  readonly compile: HistogramTotals
  readonly publishGeneration: HistogramTotals
  readonly publishEndpoints: HistogramTotals
}
