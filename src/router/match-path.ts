// Exact and Prefix paths of one host: one pass over the path, whatever the number of routes.
import type { Route } from '../model/route-table.ts'
import { ABSENT, ByteTable, hashWords, isByteText, wordsEnd } from './byte-table.ts'
import type { Decision } from './decision.ts'

const SLASH = 0x2f

/** A route and what was decided for it when the table was built. */
export interface PathEntry {
  readonly route: Route
  readonly decision: Decision
}

/** Finds Exact before the longest Prefix, on borders of segments (R10-15, R10-16, R10-26). Immutable. */
export class PathIndex {
  readonly #table: ByteTable
  /** At twice the table's value: of the Exact path; behind it: of the Prefix. */
  readonly #decisions: readonly (Decision | undefined)[]
  /** Of the empty prefix, which takes every path. */
  readonly #root: Decision | undefined
  /** Lengths that a key has, rising. A path is looked up at no other places, and at these only on a border. */
  readonly #lengths: readonly number[]

  /** Of two entries with the same type and value the first counts. Entries of other types are not looked at. */
  constructor(entries: readonly PathEntry[], seed: number) {
    const exact = decisionsByValue(entries, 'Exact')
    const prefix = decisionsByValue(entries, 'Prefix')
    this.#root = prefix.get('')
    prefix.delete('')
    const values = [...new Set([...exact.keys(), ...prefix.keys()])]
    this.#table = new ByteTable(values, seed)
    this.#decisions = values.flatMap((value) => [exact.get(value), prefix.get(value)])
    this.#lengths = [...new Set(values.map(({ length }) => length))].toSorted((a, b) => a - b)
  }

  /** What is decided for the path `bytes[start, end)`; `undefined` where no literal path takes it. */
  find(bytes: Uint8Array, start: number, end: number): Decision | undefined {
    const table = this.#table
    const lengths = this.#lengths
    let best = this.#root
    let hash = table.seed
    let hashed = start
    for (let index = 0; index < lengths.length; index += 1) {
      const border = start + (lengths[index] ?? 0)
      if (border > end) break
      if (border < end && bytes[border] !== SLASH) continue
      const words = wordsEnd(start, border)
      hash = hashWords(hash, bytes, hashed, words)
      hashed = words
      const value = table.findHashed(bytes, start, border, hash)
      if (value === ABSENT) continue
      const exact = border === end ? this.#decisions[value * 2] : undefined
      if (exact) return exact
      best = this.#decisions[value * 2 + 1] ?? best
    }
    return best
  }
}

function decisionsByValue(entries: readonly PathEntry[], type: 'Exact' | 'Prefix'): Map<string, Decision> {
  const decisions = new Map<string, Decision>()
  for (const { route, decision } of entries) {
    const { match } = route
    if (match.type !== type || decisions.has(match.value) || !isByteText(match.value)) continue
    decisions.set(match.value, decision)
  }
  return decisions
}
