import type { Verdict } from './paired-ratio.ts'
import { median, quantile } from './statistics.ts'

const SAMPLES = 2000
const ENOUGH_FIGURES = 100

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

/** Whether a median is "at most `target`", by its interval (R60-4). */
export function judgeMedian(figures: readonly number[], target: number, random: () => number): Verdict {
  if (figures.length < ENOUGH_FIGURES) return 'undecided'
  const { lower, upper } = bootstrapOfMedian(figures, random)
  if (upper <= target) return 'holds'
  return lower > target ? 'fails' : 'undecided'
}
