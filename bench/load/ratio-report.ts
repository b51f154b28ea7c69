// What interleaved slots come to: a table of the contenders, and whether a target holds (R60-3, R60-4).
import type { FigureTable, Goal } from '../bench.ts'
import { judge, MAX_DISAGREEMENT, pairedRatio, quietSlots, type Slot } from '../paired-ratio.ts'
import { median, threeFigures } from '../statistics.ts'
import type { MeasuredSlot } from './interleaved.ts'

/** What every contender is compared with. */
export const PEER = 'nginx'

/** One kind of work that all contenders do. */
export interface Arrangement {
  readonly name: string
  /** What is counted, in the singular. */
  readonly unit: string
  /** What contenders should reach in it, by their names. */
  readonly targets: ReadonlyMap<string, Target>
  /** The same for a percentile of their latency. */
  readonly tail?: TailTarget
}

export interface TailTarget {
  readonly of: 'p99Ms' | 'p999Ms'
  readonly targets: ReadonlyMap<string, Target>
}

export interface Target {
  readonly rule: string
  readonly atMost: number
}

/** The contenders in the order in which they ran, each with its figure and its ratio to the peer. */
export function ratioTable({ name, unit }: Arrangement, slots: readonly MeasuredSlot[]): FigureTable {
  const ratio = ['CPU us', 'ratio', 'quartiles', 'scaled ratio', 'quiet slots']
  const heads = ['contender', ...ratio, `${unit}s/s`, 'p50 ms', 'p99 ms', 'p99.9 ms']
  const rows = [...new Set(slots.map(({ contender }) => contender))].map((contender) => rowOf(contender, slots))
  return { title: `${name}: CPU microseconds per ${unit}, and the ratio to ${PEER}`, heads, rows }
}

function rowOf(contender: string, slots: readonly MeasuredSlot[]): readonly string[] {
  const own = slots.filter((slot) => slot.contender === contender)
  const quiet = quietSlots(slots).filter((slot) => slot.contender === contender)
  const ratio = pairedRatio(slots, contender, PEER)
  const disagrees = Math.abs(ratio.scaled / ratio.median - 1) > MAX_DISAGREEMENT
  return [
    contender,
    threeFigures(median(quiet.map(({ figure }) => figure))),
    `${threeFigures(ratio.median)}${disagrees ? ' (disturbed)' : ''}`,
    `${threeFigures(ratio.lowerQuartile)} to ${threeFigures(ratio.upperQuartile)}`,
    threeFigures(ratio.scaled),
    `${quiet.length} of ${own.length}`,
    ...LATER_COLUMNS.map((figureOf) => threeFigures(median(own.map(figureOf)))),
  ]
}

/** Behind the ratio, each as the median over all slots. */
const LATER_COLUMNS: readonly ((slot: MeasuredSlot) => number)[] = [
  ({ perSecond }) => perSecond,
  ({ p50Ms }) => p50Ms,
  ({ p99Ms }) => p99Ms,
  ({ p999Ms }) => p999Ms,
]

/** The verdict on each target whose contender ran. */
export function ratioGoals(arrangement: Arrangement, slots: readonly MeasuredSlot[]): readonly Goal[] {
  const { name, targets, tail } = arrangement
  const goals = goalsFor(name, targets, slots)
  if (!tail) return goals
  const tails = slots.map((slot) => ({ ...slot, figure: slot[tail.of] }))
  return [...goals, ...goalsFor(`${TAIL_NAMES[tail.of]}, ${name}`, tail.targets, tails)]
}

const TAIL_NAMES = { p99Ms: 'p99', p999Ms: 'p99.9' } as const

function goalsFor(what: string, targets: ReadonlyMap<string, Target>, slots: readonly Slot[]): readonly Goal[] {
  return [...targets].flatMap(([contender, { rule, atMost }]) => {
    if (!slots.some((slot) => slot.contender === contender)) return []
    const ratio = pairedRatio(slots, contender, PEER)
    const verdict = judge(ratio, atMost)
    return [{ rule, what: `${contender}, ${what}`, atMost, measured: ratio.median, unit: `x ${PEER}`, verdict }]
  })
}

/** Every slot of every contender, by arrangement, name and what was seen; the calibrator's figures too (R60-8). */
export function rawFigures({ name }: Arrangement, slots: readonly MeasuredSlot[]): Record<string, readonly number[]> {
  const raw: Record<string, number[]> = {}
  for (const slot of slots) {
    for (const [what, figureOf] of RAW_FIGURES) {
      const key = `${name}, ${slot.contender}: ${what}`
      raw[key] = [...(raw[key] ?? []), figureOf(slot)]
    }
  }
  return raw
}

const RAW_FIGURES: readonly (readonly [what: string, figureOf: (slot: MeasuredSlot) => number])[] = [
  ['CPU us', ({ figure }) => figure],
  ['calibration ns', ({ calibration }) => calibration],
  ['foreign cores', ({ foreignCores }) => foreignCores],
  ['units', ({ units }) => units],
  ['p99 ms', ({ p99Ms }) => p99Ms],
  ['p99.9 ms', ({ p999Ms }) => p999Ms],
]
