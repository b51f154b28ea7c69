import type { Endpoint } from '../../model/endpoint-table.ts'
import { type Balancer, type BalancerInput, type InFlight, wasTried, weighted } from './balancer.ts'

/** Takes the better of two endpoints that chance names: power of two choices. What is better, a policy says. */
export abstract class TwoChoices implements Balancer {
  readonly #endpoints: readonly Endpoint[]

  constructor({ endpoints }: Pick<BalancerInput, 'endpoints'>) {
    this.#endpoints = weighted(endpoints)
  }

  /** What a request would cost at `endpoint`; less is better, and at equal costs the first of the two is taken. */
  protected abstract costOf(endpoint: Endpoint, inFlight: InFlight, nowMs: number): number

  pick(point: number, tried: readonly Endpoint[], inFlight: InFlight, nowMs: number): Endpoint | undefined {
    const left = tried.length === 0 ? this.#endpoints : this.#endpoints.filter((one) => !wasTried(tried, one))
    const { length } = left
    // One point names both: its 53 bits are enough for the second in what the first leaves over.
    const scaled = point * length
    const index = Math.floor(scaled)
    const first = left[index]
    if (!first || length === 1) return first
    const second = left[(index + 1 + Math.floor((scaled - index) * (length - 1))) % length]
    if (!second) return first
    return this.costOf(second, inFlight, nowMs) < this.costOf(first, inFlight, nowMs) ? second : first
  }
}
