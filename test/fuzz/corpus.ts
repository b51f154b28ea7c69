// What the fuzzer begins with: every row of the table of probes, and what was kept of earlier runs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHUNKS } from '../wire/rows/chunks.ts'
import { FIELDS } from '../wire/rows/fields.ts'
import { FRAMING } from '../wire/rows/framing.ts'
import { METHODS } from '../wire/rows/methods.ts'
import { PATHS } from '../wire/rows/paths.ts'
import { TARGETS } from '../wire/rows/targets.ts'

/** One file for each input, its bytes as they are. */
export const CORPUS: string = join(import.meta.dirname, 'corpus')

/** Inputs, one character a byte. */
export function readCorpus(): readonly string[] {
  const rows = [...FRAMING, ...CHUNKS, ...FIELDS, ...TARGETS, ...PATHS, ...METHODS].map(({ bytes }) => bytes)
  const kept = readdirSync(CORPUS)
    .toSorted()
    .map((name) => readFileSync(join(CORPUS, name), 'latin1'))
  return [...rows, ...kept]
}
