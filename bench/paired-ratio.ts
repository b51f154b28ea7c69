// When a ratio counts (R60-2 to R60-4): quiet slots, ratios within one round, and quartiles that decide.
import { median, quantile } from './statistics.ts'

/** One slot of one contender. */
export interface Slot {
  readonly contender: string
  readonly round: number
  /** What is compared, such as CPU microseconds per request. */
  readonly figure: number
  /** The worse of the calibrations before and behind it. */
  readonly calibration: number
  /** Cores that other programs used meanwhile. */
  readonly foreignCores: number
}

export type Verdict = 'holds' | 'fails' | 'undecided'

/** A contender over its peer, slot by slot within rounds. */
export interface PairedRatio {
  readonly median: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
  /** Pairs of quiet slots that it was made from. */
  readonly pairs: number
  /** Over all slots, scaled by calibration; far from `median` where the run was disturbed. */
  readonly scaled: number
}

const QUIET_FACTOR = 1.2
const QUIET_CORES = 0.1
const ENOUGH_PAIRS = 20
/** Two ways to the same figure that differ by more than this disagree. */
export const MAX_DISAGREEMENT = 0.15

/** Those slots in which nobody else had the machine. */
export function quietSlots(slots: readonly Slot[]): readonly Slot[] {
  const best = Math.min(...slots.map(({ calibration }) => calibration))
  return slots.filter((slot) => slot.calibration <= best * QUIET_FACTOR && slot.foreignCores < QUIET_CORES)
}

/** The ratio of `contender` to `peer`; `NaN` in every member where no round has a quiet slot of both. */
export function pairedRatio(slots: readonly Slot[], contender: string, peer: string): PairedRatio {
  const ratios = ratiosOf(quietSlots(slots), { contender, peer }, ({ figure }) => figure)
  const scaled = ratiosOf(slots, { contender, peer }, ({ figure, calibration }) => figure / calibration)
  return {
    median: median(ratios),
    lowerQuartile: quantile(ratios, 0.25),
    upperQuartile: quantile(ratios, 0.75),
    pairs: ratios.length,
    scaled: median(scaled),
  }
}

/** Whether "at most `target`" holds (R60-4). */
export function judge({ lowerQuartile, upperQuartile, pairs }: PairedRatio, target: number): Verdict {
  if (pairs < ENOUGH_PAIRS) return 'undecided'
  if (upperQuartile <= target) return 'holds'
  return lowerQuartile > target ? 'fails' : 'undecided'
}

function ratiosOf(
  slots: readonly Slot[],
  { contender, peer }: { readonly contender: string; readonly peer: string },
  figureOf: (slot: Slot) => number,
): readonly number[] {
  const peers = new Map(slots.filter((slot) => slot.contender === peer).map((slot) => [slot.round, slot]))
  return slots.flatMap((slot) => {
    const against = slot.contender === contender ? peers.get(slot.round) : undefined
    return against ? [figureOf(slot) / figureOf(against)] : []
  })
}
