import type { PublishFailure } from '../model/generation.ts'

/** What became of a generation (R30-16). */
export interface HistoryRecord {
  readonly number: number
  readonly digest: string
  /** Milliseconds since the Unix epoch: when it was applied or refused last. */
  readonly atMs: number
  readonly outcome: { readonly kind: 'applied' } | { readonly kind: 'rejected'; readonly reason: PublishFailure }
}
