import type { Backend } from '../model/route-table.ts'

type Backends = ReadonlyMap<string, Backend>

const NONE: Backends = new Map()

/** Backends of several generations in one map, the same one for as long as it is made of the same maps. */
export class BackendUnion {
  #of: readonly Backends[] = []
  #union: Backends = NONE

  /** Of two backends with one name that of the first map. */
  of(maps: readonly Backends[]): Backends {
    const distinct = [...new Set(maps)]
    const isSame = distinct.length === this.#of.length && distinct.every((map, index) => map === this.#of[index])
    if (isSame) return this.#union
    this.#of = distinct
    this.#union = unionOf(distinct)
    return this.#union
  }
}

function unionOf(maps: readonly Backends[]): Backends {
  const [only = NONE] = maps
  if (maps.length <= 1) return only
  return new Map(maps.toReversed().flatMap((map) => [...map]))
}
