import { DURATION_BUCKETS, type HistogramTotals } from '../model/counters.ts'

/** Observations of durations on the main thread, in the buckets of R34-8. */
export class DurationHistogram {
  readonly #cumulative = Array.from({ length: DURATION_BUCKETS.length + 1 }, () => 0)
  #sumSeconds = 0

  observe(seconds: number): void {
    this.#sumSeconds += seconds
    for (const [index, bound] of [...DURATION_BUCKETS, Number.POSITIVE_INFINITY].entries()) {
      if (seconds <= bound) this.#cumulative[index] = (this.#cumulative[index] ?? 0) + 1
    }
  }

  totals(): HistogramTotals {
    return { cumulative: [...this.#cumulative], sumSeconds: this.#sumSeconds, count: this.#cumulative.at(-1) ?? 0 }
  }
}
