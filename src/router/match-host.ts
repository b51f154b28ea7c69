// Which virtual host a request belongs to: the exact name, a wildcard of one label, or the catch-all (R10-10, R10-12).
import { bytesOf } from '../lib/bytes-of.ts'
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

  private constructor(exact: NameTable, wildcards: NameTable, any: HostRoutes | undefined) {
    this.#exact = exact
    this.#wildcards = wildcards
    this.#any = any
  }

  /** The index of `hosts`, no two of which have one name. */
  static of(hosts: readonly NamedHost[], seed: number): HostIndex {
    const { exact, wildcards, any } = sorted(hosts)
    return new HostIndex(NameTable.of(exact, seed), NameTable.of(wildcards, seed), any)
  }

  /** This index, where `hosts`, whose names it has, lead to other routes. Costs those hosts and a copy of a list. */
  with(hosts: readonly NamedHost[]): HostIndex {
    const { exact, wildcards, any } = sorted(hosts)
    return new HostIndex(this.#exact.with(exact), this.#wildcards.with(wildcards), any ?? this.#any)
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

interface Sorted {
  readonly exact: readonly NamedHost[]
  /** By what follows `*.`. */
  readonly wildcards: readonly NamedHost[]
  readonly any: HostRoutes | undefined
}

function sorted(hosts: readonly NamedHost[]): Sorted {
  const exact: NamedHost[] = []
  const wildcards: NamedHost[] = []
  let any: HostRoutes | undefined
  for (const host of hosts) {
    if (host.name === ANY_HOST) any = host.routes
    else if (host.name.startsWith(WILDCARD)) wildcards.push({ ...host, name: host.name.slice(WILDCARD.length) })
    else exact.push(host)
  }
  return { exact, wildcards, any }
}

class NameTable {
  readonly isEmpty: boolean
  readonly #table: ByteTable
  readonly #routes: readonly HostRoutes[]

  private constructor(table: ByteTable, routes: readonly HostRoutes[]) {
    this.isEmpty = routes.length === 0
    this.#table = table
    this.#routes = routes
  }

  static of(hosts: readonly NamedHost[], seed: number): NameTable {
    return new NameTable(
      new ByteTable(
        hosts.map(({ name }) => name),
        seed,
      ),
      hosts.map(({ routes }) => routes),
    )
  }

  /** This table, where names that it has lead to other routes. */
  with(hosts: readonly NamedHost[]): NameTable {
    if (hosts.length === 0) return this
    const changed = [...this.#routes]
    for (const { name, routes } of hosts) changed[this.#table.find(bytesOf(name), 0, name.length)] = routes
    return new NameTable(this.#table, changed)
  }

  find(bytes: Uint8Array, start: number, end: number): HostRoutes | undefined {
    if (this.isEmpty) return undefined
    const value = this.#table.find(bytes, start, end)
    return value === ABSENT ? undefined : this.#routes[value]
  }
}
