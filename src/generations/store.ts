// Numbers generations, keeps the last that served, and knows the served pair (R30-15, R30-16).
import { changeDigest, emptyDigest } from '../lib/bucketed-digest.ts'
import { endpointElements } from '../model/elements.ts'
import type { BackendEndpoints, EndpointTable } from '../model/endpoint-table.ts'
import type { Generation, LiveEndpoints, Pair, Tables } from '../model/generation.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { Warning } from '../model/warning.ts'

/** What is kept of a generation: the addresses that its configuration fixes belong to it (R00-22). */
export interface Kept {
  readonly generation: Generation
  readonly fixed: readonly BackendEndpoints[]
}

/** How somebody names a generation: by its number here, or by its digest, which means the same everywhere (R00-9). */
export type GenerationName = { readonly number: number } | { readonly digest: string }

/** The generations and endpoint tables of this process, by number and digest. */
export class GenerationStore {
  readonly #size: number
  /** Those that served, oldest first. */
  #kept: readonly Kept[] = []
  #newest: Kept | undefined
  #newestEndpoints: LiveEndpoints | undefined
  #served: Pair | undefined
  #servedKept: Kept | undefined
  /** What serves under the number before, while the newest generation is the same one under a new number. */
  #outgoing: { readonly served: Kept; readonly renumbered: Kept } | undefined
  #lastNumber = 0
  #lastVersion = 0

  /** `size`: generations that are kept; 0 reads as 1. */
  constructor(size: number) {
    this.#size = Math.max(1, size)
  }

  current(): Pair | undefined {
    return this.#served
  }

  /** What serves, as it is kept. */
  served(): Kept | undefined {
    return this.#servedKept
  }

  /** Compiled last, served or not. */
  newest(): Kept | undefined {
    return this.#newest
  }

  /** Oldest first. */
  kept(): readonly Generation[] {
    return this.#kept.map(({ generation }) => generation)
  }

  /** The kept generation of that name, of two with one digest the newer; `undefined`: none is kept. */
  find(name: GenerationName): Kept | undefined {
    return this.#kept.findLast(({ generation }) =>
      'number' in name ? generation.number === name.number : generation.digest === name.digest,
    )
  }

  /** What was compiled: a digest other than that of the compile before gets the next number or version. */
  number(
    { routes, endpoints }: Tables,
    warnings: readonly Warning[],
  ): {
    readonly kept: Kept
    readonly endpoints: LiveEndpoints
  } {
    const before = this.#newest
    const newest = before?.generation.digest === routes.digest ? before : this.#next({ routes, endpoints }, warnings)
    this.#newest = newest
    this.#newestEndpoints = this.#endpointsOf(endpoints)
    return { kept: newest, endpoints: this.#newestEndpoints }
  }

  /** A generation with the endpoints that were compiled for another one: those that it fixes are its own. */
  pairOf(kept: Kept, endpoints: LiveEndpoints): Pair {
    const table = withFixed(endpoints.table, kept)
    const own = table === endpoints.table ? endpoints : this.#endpointsOf(table)
    return { generation: kept.generation, endpoints: own }
  }

  /** Numbers of the generations that will be kept once this one serves. */
  keptWith(kept: Kept): number[] {
    return this.#including(kept).map(({ generation }) => generation.number)
  }

  /** Every worker serves `pair`, which was made of `kept`. Gives the number that it takes the place of, if it does. */
  applied(kept: Kept, pair: Pair): number | undefined {
    const outgoing = this.#outgoing
    this.#kept = this.#including(kept)
    this.#served = pair
    this.#servedKept = kept
    if (outgoing?.served !== kept) this.#outgoing = undefined
    return outgoing?.renumbered === kept ? outgoing.served.generation.number : undefined
  }

  /** Every number from now on is above `highest`. */
  numberAbove(highest: number): void {
    this.#lastNumber = Math.max(this.#lastNumber, highest)
  }

  /**
   * Gives the newest generation the next number. Where it `serves`, it stays what it is until the workers have the new
   * number, which they may refuse: then that one was never served. `undefined`: there is none.
   */
  renumberNewest(): { readonly before: number; readonly kept: Kept; readonly serves: boolean } | undefined {
    const newest = this.#newest
    if (!newest) return undefined
    this.#lastNumber += 1
    const renumbered = { ...newest, generation: { ...newest.generation, number: this.#lastNumber } }
    const refused = this.#outgoing?.renumbered === newest ? this.#outgoing.served : undefined
    const served = refused ?? (this.#servedKept === newest ? newest : undefined)
    if (served) this.#outgoing = { served, renumbered }
    else this.#kept = this.#kept.map((kept) => (kept === newest ? renumbered : kept))
    this.#newest = renumbered
    return { before: newest.generation.number, kept: renumbered, serves: served === newest }
  }

  #including(kept: Kept): readonly Kept[] {
    const { number } = kept.generation
    if (this.#kept.some(({ generation }) => generation.number === number)) return this.#kept
    const outgoing = this.#outgoing?.renumbered === kept ? this.#outgoing.served : undefined
    return [...this.#kept.filter((one) => one !== outgoing), kept].slice(-this.#size)
  }

  #next({ routes, endpoints }: Tables, warnings: readonly Warning[]): Kept {
    this.#lastNumber += 1
    const generation = { number: this.#lastNumber, digest: routes.digest, routes, warnings }
    return { generation, fixed: fixedEndpoints(routes, endpoints) }
  }

  #endpointsOf(table: EndpointTable): LiveEndpoints {
    const before = [this.#newestEndpoints, this.#served?.endpoints].find((one) => one?.table.digest === table.digest)
    if (before) return before
    this.#lastVersion += 1
    return { version: this.#lastVersion, table }
  }
}

function fixedEndpoints({ backends }: RouteTable, { byBackend }: EndpointTable): readonly BackendEndpoints[] {
  const fixed: BackendEndpoints[] = []
  for (const [name, backend] of backends) {
    const entry = backend.fixedEndpoints === undefined ? undefined : byBackend.get(name)
    if (entry) fixed.push(entry)
  }
  return fixed
}

// A table that was compiled for another generation has that one's fixed addresses.
function withFixed(table: EndpointTable, { fixed }: Kept): EndpointTable {
  const differing = fixed.filter(({ backend, digest }) => table.byBackend.get(backend)?.digest !== digest)
  if (differing.length === 0) return table
  const byBackend = new Map(table.byBackend)
  for (const entry of differing) byBackend.set(entry.backend, entry)
  return { byBackend, digest: changeDigest(emptyDigest(), endpointElements({ byBackend })).root }
}
