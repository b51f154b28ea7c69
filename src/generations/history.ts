import type { PublishFailure } from '../model/generation.ts'

/** What became of a generation. */
export type HistoryOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'rejected'; readonly reason: PublishFailure; readonly message: string }

/** One generation that was handed to the data plane (R00-11, R30-16). */
export interface HistoryRecord {
  readonly number: number
  readonly digest: string
  /** Milliseconds since the Unix epoch: when it was applied, or refused last. */
  readonly atMs: number
  readonly outcome: HistoryOutcome
}

/** The last records of each kind of outcome, as many as the store keeps generations. */
export class History {
  readonly #size: number
  #records: readonly HistoryRecord[] = []

  constructor(size: number) {
    this.#size = size
  }

  /** Newest first. */
  records(): readonly HistoryRecord[] {
    return this.#records
  }

  /** Takes the place of what was known of the same generation. */
  add(record: HistoryRecord): void {
    const others = this.#records.filter(({ number }) => number !== record.number)
    let room = this.#size
    const isKept = ({ outcome }: HistoryRecord): boolean => {
      if (outcome.kind !== record.outcome.kind) return true
      room -= 1
      return room >= 0
    }
    this.#records = [record, ...others].filter(isKept)
  }
}
