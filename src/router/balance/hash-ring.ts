import { hash32, mix32 } from '../../lib/hash.ts'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { type Balancer, wasTried, weighted } from './balancer.ts'

/** Places of an endpoint for each unit of its weight, as ketama has them. */
const PLACES_PER_WEIGHT = 160
/**
 * Places of all endpoints together: where they would be more, each has its part of these, and at least one. A change of
 * such a set moves some keys of other endpoints too.
 */
const MAX_PLACES = 65_536
const WHOLE = 2 ** 32
/** More than there are endpoints; what is left of the 53 bits of a number behind those of a place. */
const OWNERS = 2 ** 21

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
    this.#places = Uint32Array.from(places, (place) => Math.floor(place / OWNERS))
    this.#owners = Uint32Array.from(places, (place) => place % OWNERS)
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

/** Ascending, each the place times `OWNERS` plus the index of its endpoint: numbers sort natively, objects do not. */
function placesOf(endpoints: readonly Endpoint[]): Float64Array {
  const total = PLACES_PER_WEIGHT * endpoints.reduce((sum, { weight }) => sum + weight, 0)
  const scale = PLACES_PER_WEIGHT * Math.min(1, MAX_PLACES / total)
  const counts = endpoints.map(({ weight }) => Math.max(1, Math.round(weight * scale)))
  const places = new Float64Array(counts.reduce((sum, count) => sum + count, 0))
  let next = 0
  for (const [owner, { address }] of endpoints.entries()) {
    const seed = hash32(address)
    for (let place = counts[owner] ?? 0; place > 0; place -= 1) {
      places[next] = mix32(hash32(`-${place}`, seed)) * OWNERS + owner
      next += 1
    }
  }
  return places.toSorted()
}
