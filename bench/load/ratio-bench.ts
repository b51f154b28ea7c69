// What every benchmark of ratios does around its own work: one arrangement after the other, at one pace, into one report.
import type { BenchOptions, BenchOutcome, FigureTable, Goal } from '../bench.ts'
import { contendersTable, type Versions } from '../contenders/choose.ts'
import type { InterleavedPlan, MeasuredSlot } from './interleaved.ts'
import { type Arrangement, ratioGoals, ratioTable, rawFigures } from './ratio-report.ts'

/** How a run is paced (R60-7); a smoke takes the least of everything. */
export function paceOf(
  { smoke, progress }: BenchOptions,
  rounds: number,
): Pick<InterleavedPlan, 'rounds' | 'warmUpSeconds' | 'coolDownMs' | 'progress'> {
  if (smoke) return { rounds: 1, warmUpSeconds: 1, coolDownMs: 0, progress }
  return { rounds, warmUpSeconds: 10, coolDownMs: 2000, progress }
}

/** Measures the arrangements in order; `versions` is asked when all have run. */
export async function benchRatios<A extends Arrangement>(
  arrangements: readonly A[],
  { progress }: BenchOptions,
  measure: (arrangement: A) => Promise<readonly MeasuredSlot[]>,
  versions: () => Versions,
): Promise<BenchOutcome> {
  const tables: FigureTable[] = []
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  for (const arrangement of arrangements) {
    progress(arrangement.name)
    const slots = await measure(arrangement)
    tables.push(ratioTable(arrangement, slots))
    goals.push(...ratioGoals(arrangement, slots))
    Object.assign(raw, rawFigures(arrangement, slots))
  }
  return { tables: [contendersTable(versions()), ...tables], goals, raw }
}
