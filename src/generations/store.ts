// Numbers generations, keeps the last that served, and knows the served pair (R30-15, R30-16).
import { changeDigest, emptyDigest } from '../lib/bucketed-digest.ts'
import { endpointElements } from '../model/elements.ts'
import type { BackendEndpoints, EndpointTable } from '../model/endpoint-table.ts'
import type { Generation, LiveEndpoints, Pair, Tables } from '../model/generation.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { Warning } from '../model/warning.ts'

/** What is kept of a generation: the addresses that its configuration fixes belong to it (R00-22). */
interface Kept {
  readonly generation: Generation
  readonly fixed: readonly BackendEndpoints[]
}

/** The generations and endpoint tables of this process, by number and digest. */
export class GenerationStore {
  readonly #size: number
  /** Those that served, oldest first; the last one serves. */
  #kept: readonly Kept[] = []
  #newest: Kept | undefined
  #newestEndpoints: LiveEndpoints | undefined
  #served: Pair | undefined
  #lastNumber = 0
  #lastVersion = 0

  /** `size`: generations that are kept; 0 reads as 1. */
  constructor(size: number) {
    this.#size = Math.max(1, size)
  }

  current(): Pair | undefined {
    return this.#served
  }

  /** Compiled last, served or not. */
  newest(): Generation | undefined {
    return this.#newest?.generation
  }

  /** Oldest first. */
  kept(): readonly Generation[] {
    return this.#kept.map(({ generation }) => generation)
  }

  /** The pair of what was compiled: a digest other than that of the compile before gets the next number or version. */
  number({ routes, endpoints }: Tables, warnings: readonly Warning[]): Pair {
    const generation = this.#generationOf(routes, warnings)
    this.#newest = { generation, fixed: fixedEndpoints(routes, endpoints) }
    this.#newestEndpoints = this.#endpointsOf(endpoints)
    return { generation, endpoints: this.#newestEndpoints }
  }

  /** The generation that serves, with the endpoints of `pair`; `undefined` where none serves. */
  servedWith(pair: Pair): Pair | undefined {
    const served = this.#kept.at(-1)
    if (!served) return undefined
    const table = withFixed(pair.endpoints.table, served)
    const endpoints = table === pair.endpoints.table ? pair.endpoints : this.#endpointsOf(table)
    return { generation: served.generation, endpoints }
  }

  /** `generation` is what serves already, so it goes by the number that it has there; the other is never served. */
  isServed(generation: Generation): boolean {
    const served = this.#kept.at(-1)
    if (served?.generation.digest !== generation.digest) return false
    if (this.#newest?.generation === generation) this.#newest = served
    return true
  }

  /** Numbers of the generations that will be kept once `generation` serves. */
  keptWith(generation: Generation): number[] {
    return this.#withServed({ generation, fixed: [] }).map((kept) => kept.generation.number)
  }

  /** Every worker serves `pair`. */
  applied(pair: Pair): void {
    const { generation } = pair
    this.#served = pair
    if (this.#kept.at(-1)?.generation.number === generation.number) return
    const known = [this.#newest, ...this.#kept].find((kept) => kept?.generation.number === generation.number)
    this.#kept = this.#withServed({ generation, fixed: known?.fixed ?? [] })
  }

  #withServed(served: Kept): readonly Kept[] {
    const others = this.#kept.filter(({ generation }) => generation.number !== served.generation.number)
    return [...others, served].slice(-this.#size)
  }

  #generationOf(routes: RouteTable, warnings: readonly Warning[]): Generation {
    const before = this.#newest?.generation
    if (before?.digest === routes.digest) return before
    this.#lastNumber += 1
    return { number: this.#lastNumber, digest: routes.digest, routes, warnings }
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
