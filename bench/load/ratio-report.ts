// What interleaved slots come to: a table of the contenders, and whether a target holds (R60-3, R60-4).
import type { FigureTable, Goal } from '../bench.ts'
import { judge, MAX_DISAGREEMENT, pairedRatio, quietSlots } from '../paired-ratio.ts'
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
}

export interface Target {
  readonly rule: string
  readonly atMost: number
}

/** The contenders in the order in which they ran, each with its figure and its ratio to the peer. */
export function ratioTable({ name, unit }: Arrangement, slots: readonly MeasuredSlot[]): FigureTable {
  const heads = ['contender', 'CPU us', 'ratio', 'quartiles', 'scaled ratio', 'quiet slots', `${unit}s/s`, 'p99 ms']
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
    threeFigures(median(own.map(({ perSecond }) => perSecond))),
    threeFigures(median(own.map(({ p99Ms }) => p99Ms))),
  ]
}

/** The verdict on each target whose contender ran. */
export function ratioGoals({ name, targets }: Arrangement, slots: readonly MeasuredSlot[]): readonly Goal[] {
  return [...targets].flatMap(([contender, { rule, atMost }]) => {
    if (!slots.some((slot) => slot.contender === contender)) return []
    const ratio = pairedRatio(slots, contender, PEER)
    const verdict = judge(ratio, atMost)
    return [{ rule, what: `${contender}, ${name}`, atMost, measured: ratio.median, unit: `x ${PEER}`, verdict }]
  })
}

/** Every figure of every contender, by arrangement and name. */
export function rawFigures({ name }: Arrangement, slots: readonly MeasuredSlot[]): Record<string, readonly number[]> {
  const raw: Record<string, number[]> = {}
  for (const { contender, figure } of slots) {
    const key = `${name}, ${contender}`
    raw[key] = [...(raw[key] ?? []), figure]
  }
  return raw
}
