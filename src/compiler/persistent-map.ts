import { hash32 } from '../lib/hash.ts'

const BUCKETS = 256

/**
 * An immutable map of which a changed copy costs only the buckets that change. For what a memo carries along: to copy
 * a Map of 10,000 entries took 0.8 ms, and a compile carries several. The order of its entries means nothing.
 */
export class PersistentMap<V> {
  readonly #buckets: readonly ReadonlyMap<string, V>[]

  constructor(buckets: readonly ReadonlyMap<string, V>[] = []) {
    this.#buckets = buckets
  }

  get(key: string): V | undefined {
    return this.#buckets[hash32(key) % BUCKETS]?.get(key)
  }

  *entries(): Generator<[string, V]> {
    for (const bucket of this.#buckets) if (bucket) yield* bucket
  }

  /** A map with these entries put in, those with the value `undefined` taken out; the same map where there are none. */
  with(changes: Iterable<readonly [string, V | undefined]>): PersistentMap<V> {
    const copies = new Map<number, Map<string, V>>()
    for (const [key, value] of changes) {
      const index = hash32(key) % BUCKETS
      const copy = copies.get(index) ?? new Map(this.#buckets[index])
      if (value === undefined) copy.delete(key)
      else copy.set(key, value)
      copies.set(index, copy)
    }
    if (copies.size === 0) return this
    return new PersistentMap(Array.from({ length: BUCKETS }, (_, index) => copies.get(index) ?? this.#bucket(index)))
  }

  #bucket(index: number): ReadonlyMap<string, V> {
    return this.#buckets[index] ?? new Map()
  }
}
