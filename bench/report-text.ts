import { goalText, verdictOn } from './bench.ts'
import type { BenchResult } from './result-file.ts'
import { tableText } from './table-text.ts'

/** What a person is told of a run: its tables, the goals that are not reached, and what it was measured on. */
export function reportText(result: BenchResult, file: string): string {
  const { cpu, cores, kernel, node } = result.surroundings
  const { foreignCores, overrides } = result
  const busy = foreignCores === undefined ? '' : `, other programs used ${foreignCores.toFixed(1)} cores before`
  return [
    ...result.tables.map((table) => `${tableText(table)}\n`),
    ...goalLines(result),
    `${cpu}, ${cores} cores, ${kernel}, Node ${node}${busy}`,
    ...(overrides.length > 0 ? [`a run with ${overrides.join(' ')}: not the one that counts`] : []),
    `kept in ${file}`,
  ].join('\n')
}

function goalLines({ goals, overrides }: BenchResult): readonly string[] {
  if (overrides.includes('--smoke')) return ['a smoke shows that everything works: no goal is judged by it']
  return goals.flatMap((goal) => {
    const verdict = verdictOn(goal)
    return verdict === 'holds' ? [] : [`${verdict === 'fails' ? 'missed' : 'undecided'}: ${goalText(goal)}`]
  })
}
