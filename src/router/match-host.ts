// Which virtual host a request belongs to: the exact name, a wildcard of one label, or the catch-all (R10-10, R10-12).
import { ANY_HOST } from '../model/route-table.ts'
import { ABSENT, ByteTable } from './byte-table.ts'
import type { HostRoutes } from './host-routes.ts'

const DOT = 0x2e
const WILDCARD = '*.'

/** A virtual host by its name, which may be a wildcard or `ANY_HOST`. */
export interface NamedHost {
  readonly name: string
  readonly routes: HostRoutes
}

/** Finds virtual hosts by the bytes of a name. Immutable; names are exact keys and never found by part of them. */
export class HostIndex {
  readonly #exact: NameTable
  /** By what follows `*.`. */
  readonly #wildcards: NameTable
  readonly #any: HostRoutes | undefined

  /** No two of `hosts` have one name. */
  constructor(hosts: readonly NamedHost[], seed: number) {
    const exact = hosts.filter(({ name }) => !name.startsWith(WILDCARD) && name !== ANY_HOST)
    const wildcards = hosts.filter(({ name }) => name.startsWith(WILDCARD))
    this.#exact = new NameTable(exact, { seed, skip: 0 })
    this.#wildcards = new NameTable(wildcards, { seed, skip: WILDCARD.length })
    this.#any = hosts.find(({ name }) => name === ANY_HOST)?.routes
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

  /** The first `skip` characters of each name are not part of the key. */
  constructor(hosts: readonly NamedHost[], options: { readonly seed: number; readonly skip: number }) {
    this.isEmpty = hosts.length === 0
    this.#table = new ByteTable(
      hosts.map(({ name }) => (options.skip === 0 ? name : name.slice(options.skip))),
      options.seed,
    )
    this.#routes = hosts.map(({ routes }) => routes)
  }

  find(bytes: Uint8Array, start: number, end: number): HostRoutes | undefined {
    if (this.isEmpty) return undefined
    const value = this.#table.find(bytes, start, end)
    return value === ABSENT ? undefined : this.#routes[value]
  }
}
