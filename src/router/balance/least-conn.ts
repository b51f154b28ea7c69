import type { Endpoint } from '../../model/endpoint-table.ts'
import {
  advance,
  type Balancer,
  type BalancerInput,
  type Cursor,
  type InFlight,
  loadOf,
  wasTried,
  weighted,
} from './balancer.ts'

/** Takes the endpoint with the fewest requests in flight over its weight; ties take turns (R20-132). */
export class LeastConn implements Balancer {
  readonly #endpoints: readonly Endpoint[]
  readonly #cursor: Cursor

  constructor({ endpoints, cursor }: BalancerInput) {
    this.#endpoints = weighted(endpoints)
    this.#cursor = cursor
  }

  pick(_point: number, tried: readonly Endpoint[], inFlight: InFlight): Endpoint | undefined {
    const { length } = this.#endpoints
    if (length === 0) return undefined
    const start = advance(this.#cursor, length)
    let best: Endpoint | undefined
    let least = Number.POSITIVE_INFINITY
    for (let step = 0; step < length; step += 1) {
      const endpoint = this.#endpoints[(start + step) % length]
      if (!endpoint || wasTried(tried, endpoint)) continue
      const load = loadOf(endpoint, inFlight)
      if (load >= least) continue
      best = endpoint
      least = load
    }
    return best
  }
}
