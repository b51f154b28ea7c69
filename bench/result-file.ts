// Where figures are kept. A run as it is meant to be goes to bench/results, anything else to bench/results/scratch.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BenchOutcome } from './bench.ts'
import type { Surroundings } from './surroundings.ts'

const ROOT = join(import.meta.dirname, '..')

export interface BenchResult extends BenchOutcome {
  readonly name: string
  readonly about: string
  readonly command: string
  /** What made this run another than the one that is meant: `--smoke`, `--force`. */
  readonly overrides: readonly string[]
  readonly startedAt: string
  readonly seconds: number
  /** Cores that other programs used in the seconds before. */
  readonly foreignCores: number | undefined
  readonly surroundings: Surroundings
}

/** Writes the result and gives its path from the repository's root (R60-8). */
export function writeResult(result: BenchResult): string {
  const folder = join(ROOT, 'bench/results', result.overrides.length > 0 ? 'scratch' : '')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${result.name}.json`)
  writeFileSync(file, `${JSON.stringify({ ...result, raw: rounded(result.raw) }, null, 1)}\n`)
  return relative(ROOT, file)
}

// Six digits are more than any clock here is worth, and a fifth of the bytes.
function rounded(raw: BenchOutcome['raw']): Record<string, string> {
  const text: Record<string, string> = {}
  for (const [name, figures] of Object.entries(raw)) {
    text[name] = figures.map((figure) => Number(figure.toPrecision(6))).join(' ')
  }
  return text
}
