import { median, quantile } from './statistics.ts'

const SAMPLES = 2000

export interface Interval {
  readonly lower: number
  readonly upper: number
}

/** The 95 % bootstrap interval of the median; `random` gives points in [0, 1). */
export function bootstrapOfMedian(figures: readonly number[], random: () => number): Interval {
  const medians = Array.from({ length: SAMPLES }, () =>
    median(figures.map(() => figures[Math.floor(random() * figures.length)] ?? Number.NaN)),
  )
  return { lower: quantile(medians, 0.025), upper: quantile(medians, 0.975) }
}
