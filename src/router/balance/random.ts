import type { Endpoint } from '../../model/endpoint-table.ts'
import { type Balancer, type BalancerInput, type InFlight, loadOf, wasTried, weighted } from './balancer.ts'

/** Takes the less busy of two endpoints that chance names: power of two choices (R20-133). */
export class RandomChoice implements Balancer {
  readonly #endpoints: readonly Endpoint[]

  constructor({ endpoints }: Pick<BalancerInput, 'endpoints'>) {
    this.#endpoints = weighted(endpoints)
  }

  pick(point: number, tried: readonly Endpoint[], inFlight: InFlight): Endpoint | undefined {
    const left = tried.length === 0 ? this.#endpoints : this.#endpoints.filter((one) => !wasTried(tried, one))
    const { length } = left
    // One point names both: its 53 bits are enough for the second in what the first leaves over.
    const scaled = point * length
    const index = Math.floor(scaled)
    const first = left[index]
    if (!first || length === 1) return first
    const second = left[(index + 1 + Math.floor((scaled - index) * (length - 1))) % length]
    return second && loadOf(second, inFlight) < loadOf(first, inFlight) ? second : first
  }
}
