import { hash32, mix32 } from '../../lib/hash.ts'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { type Balancer, wasTried, weighted } from './balancer.ts'

/** Places of an endpoint for each unit of its weight, as ketama has them. */
const PLACES_PER_WEIGHT = 160
/** Places of all endpoints together: where they would be more, each has its part of these, and at least one. */
const MAX_PLACES = 65_536
const WHOLE = 2 ** 32

interface Place {
  readonly at: number
  /** Index of its endpoint. */
  readonly owner: number
}

/**
 * Takes the endpoint whose place follows the point on a ring (R20-135). An endpoint that comes or goes moves the keys of
 * its own places and no other. The ring depends on the endpoints alone, so that all workers and replicas choose alike.
 */
export class HashRing implements Balancer {
  readonly #endpoints: readonly Endpoint[]
  /** Ascending. */
  readonly #places: Uint32Array
  readonly #owners: Uint32Array

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = weighted(endpoints)
    const places = placesOf(this.#endpoints)
    this.#places = Uint32Array.from(places, ({ at }) => at)
    this.#owners = Uint32Array.from(places, ({ owner }) => owner)
  }

  pick(point: number, tried: readonly Endpoint[]): Endpoint | undefined {
    const { length } = this.#places
    const start = this.#firstFrom(Math.floor(point * WHOLE))
    for (let step = 0; step < length; step += 1) {
      const endpoint = this.#endpoints[this.#owners[(start + step) % length] ?? 0]
      if (endpoint && !wasTried(tried, endpoint)) return endpoint
    }
    return undefined
  }

  /** Index of the first place at `at` or behind it; past the last one where there is none. */
  #firstFrom(at: number): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#places[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

function placesOf(endpoints: readonly Endpoint[]): readonly Place[] {
  const total = PLACES_PER_WEIGHT * endpoints.reduce((sum, { weight }) => sum + weight, 0)
  const scale = PLACES_PER_WEIGHT * Math.min(1, MAX_PLACES / total)
  const places: Place[] = []
  for (const [owner, { address, weight }] of endpoints.entries()) {
    const count = Math.max(1, Math.round(weight * scale))
    const seed = hash32(address)
    for (let place = 0; place < count; place += 1) places.push({ at: mix32(hash32(`-${place}`, seed)), owner })
  }
  // Endpoints come in the order of their addresses, so that of two at one place always the same goes first.
  return places.toSorted((a, b) => a.at - b.at)
}
