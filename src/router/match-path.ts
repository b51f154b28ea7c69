// Exact and Prefix paths of one host: one pass over the path, whatever the number of routes.
import type { Route } from '../model/route-table.ts'
import { ABSENT, ByteTable, hashNext, isByteText } from './byte-table.ts'
import type { Decision } from './decision.ts'

const SLASH = 0x2f

/** A literal route and what was decided for it when the table was built. */
export interface PathEntry {
  readonly route: Route
  readonly decision: Decision
}

/** Finds Exact before the longest Prefix, on borders of segments (R10-15, R10-16, R10-26). Immutable. */
export class PathIndex {
  readonly #table: ByteTable
  /** By the table's value. */
  readonly #exact: readonly (Decision | undefined)[]
  readonly #prefix: readonly (Decision | undefined)[]
  /** Of the empty prefix, which takes every path. */
  readonly #root: Decision | undefined
  readonly #longest: number
  /** Bit n: some prefix has a length that is n modulo 32. Spares most borders their look-up. */
  readonly #prefixLengths: number

  /** Of two entries with the same type and value the first counts. Entries of other types are not looked at. */
  constructor(entries: readonly PathEntry[], seed: number) {
    const exact = decisionsByValue(entries, 'Exact')
    const prefix = decisionsByValue(entries, 'Prefix')
    this.#root = prefix.get('')
    prefix.delete('')
    const values = [...new Set([...exact.keys(), ...prefix.keys()])]
    this.#table = new ByteTable(values, seed)
    this.#exact = values.map((value) => exact.get(value))
    this.#prefix = values.map((value) => prefix.get(value))
    this.#longest = values.reduce((longest, value) => Math.max(longest, value.length), 0)
    this.#prefixLengths = [...prefix.keys()].reduce((bits, value) => bits | (1 << (value.length & 31)), 0)
  }

  /** What is decided for the path `bytes[start, end)`; `undefined` where no literal path takes it. */
  find(bytes: Uint8Array, start: number, end: number): Decision | undefined {
    const table = this.#table
    const stop = Math.min(end, start + this.#longest)
    let best = this.#root
    let hash = table.seed
    for (let index = start; index < stop; index += 1) {
      const byte = bytes[index] ?? 0
      if (byte === SLASH && ((this.#prefixLengths >>> ((index - start) & 31)) & 1) === 1) {
        const value = table.find(bytes, start, index, hash)
        if (value !== ABSENT) best = this.#prefix[value] ?? best
      }
      hash = hashNext(hash, byte)
    }
    if (stop < end && bytes[stop] !== SLASH) return best
    const value = table.find(bytes, start, stop, hash)
    if (value === ABSENT) return best
    return (stop === end ? this.#exact[value] : undefined) ?? this.#prefix[value] ?? best
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
