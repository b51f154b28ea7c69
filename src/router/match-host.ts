// Which virtual host a request belongs to: the exact name, a wildcard of one label, or the catch-all (R10-10, R10-12).
import { ANY_HOST } from '../model/route-table.ts'
import { ABSENT, ByteTable, hashRange } from './byte-table.ts'
import type { HostRoutes } from './host-routes.ts'

const DOT = 0x2e
const WILDCARD = '*.'

/** Finds virtual hosts by the bytes of a name. Immutable; names are exact keys and never found by part of them. */
export class HostIndex {
  readonly #exact: NameTable
  /** By what follows `*.`. */
  readonly #wildcards: NameTable
  readonly #any: HostRoutes | undefined

  constructor(hosts: ReadonlyMap<string, HostRoutes>, seed: number) {
    const exact = new Map<string, HostRoutes>()
    const wildcards = new Map<string, HostRoutes>()
    for (const [name, routes] of hosts) {
      if (name.startsWith(WILDCARD)) wildcards.set(name.slice(WILDCARD.length), routes)
      else if (name !== ANY_HOST) exact.set(name, routes)
    }
    this.#exact = new NameTable(exact, seed)
    this.#wildcards = new NameTable(wildcards, seed)
    this.#any = hosts.get(ANY_HOST)
  }

  /** The host that takes the name `bytes[start, end)`; `undefined` where none does and there is no catch-all. */
  find(bytes: Uint8Array, start: number, end: number): HostRoutes | undefined {
    return this.#exact.find(bytes, start, end) ?? this.#findWildcard(bytes, start, end) ?? this.#any
  }

  #findWildcard(bytes: Uint8Array, start: number, end: number): HostRoutes | undefined {
    if (this.#wildcards.isEmpty) return undefined
    for (let index = start + 1; index < end; index += 1) {
      if (bytes[index] === DOT) return this.#wildcards.find(bytes, index + 1, end)
    }
    return undefined
  }
}

class NameTable {
  readonly isEmpty: boolean
  readonly #table: ByteTable
  readonly #routes: readonly HostRoutes[]

  constructor(hosts: ReadonlyMap<string, HostRoutes>, seed: number) {
    this.isEmpty = hosts.size === 0
    this.#table = new ByteTable([...hosts.keys()], seed)
    this.#routes = [...hosts.values()]
  }

  find(bytes: Uint8Array, start: number, end: number): HostRoutes | undefined {
    if (this.isEmpty) return undefined
    const value = this.#table.find(bytes, start, end, hashRange(this.#table.seed, bytes, start, end))
    return value === ABSENT ? undefined : this.#routes[value]
  }
}
