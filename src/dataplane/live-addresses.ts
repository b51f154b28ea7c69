import type { BackendEndpoints, EndpointTable } from '../model/endpoint-table.ts'
import type { Changed } from './delta.ts'
import type { AddressSet } from './engine.ts'

/** The addresses that the served pair has an endpoint for, kept at the cost of what changes. */
export class LiveAddresses implements AddressSet {
  /** In how many backends an address stands. */
  readonly #counts = new Map<string, number>()

  has(address: string): boolean {
    return this.#counts.has(address)
  }

  /** Takes the step from `base` to the table that `changed` makes of it. */
  change(base: EndpointTable | undefined, { set, removed }: Changed<BackendEndpoints>): void {
    for (const entry of set) this.#count(entry, 1)
    for (const { backend } of set) this.#count(base?.byBackend.get(backend), -1)
    for (const backend of removed) this.#count(base?.byBackend.get(backend), -1)
  }

  #count(entry: BackendEndpoints | undefined, by: number): void {
    for (const { address } of entry?.endpoints ?? []) {
      const count = (this.#counts.get(address) ?? 0) + by
      if (count > 0) this.#counts.set(address, count)
      else this.#counts.delete(address)
    }
  }
}
