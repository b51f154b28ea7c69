// From tables to what is served: numbers, suppression, one publish at a time, retries (R30-7, R30-11, R30-12).
import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import type { ApplyOutcome, Generation, Pair, PublishFailure, Tables } from '../model/generation.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import type { HistoryRecord } from './history.ts'

export interface PublishInput {
  readonly tables: Tables
  readonly warnings: readonly Warning[]
  /** When the event that led to this compile was received, on the monotonic clock. */
  readonly receivedAtMs: number
}

/** What became of one result of the compiler. */
export type PublishReport =
  /** Both digests are those that serve. */
  | { readonly kind: 'unchanged' }
  /** A newer result came before this one's turn. */
  | { readonly kind: 'superseded' }
  /** Every worker serves `pair`; `durationMs` since the event was received. */
  | {
      readonly kind: 'applied'
      readonly what: 'generation' | 'endpoints'
      readonly pair: Pair
      readonly durationMs: number
    }
  /** What served before serves on. */
  | {
      readonly kind: 'refused'
      readonly what: 'generation' | 'endpoints'
      readonly reason: PublishFailure
      readonly message: string
    }

export interface PublishingDeps {
  /** Hands a pair to the data plane; the numbers are those of the generations that are kept. */
  readonly apply: (pair: Pair, keptGenerations: readonly number[]) => Promise<ApplyOutcome>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Called for every report, also of what was tried again later. */
  readonly onReport: (report: PublishReport) => void
  /** How many applied generations are kept (R30-16); 0 reads as 1. */
  readonly historySize: number
}

export interface PublishingView {
  /** Served by every worker; `undefined`: nothing yet. */
  current(): Pair | undefined
  /** Compiled last, served or not. */
  newest(): Generation | undefined
  /** Newest first. */
  history(): readonly HistoryRecord[]
  /** Refused publishes since the start, by reason. */
  failures(): Readonly<Record<PublishFailure, number>>
}
