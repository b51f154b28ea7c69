import type { Endpoint } from '../../model/endpoint-table.ts'
import { advance, type Balancer, type BalancerInput, type Cursor, wasTried, weighted } from './balancer.ts'
import { smoothRotation } from './rotation.ts'

/** Takes endpoints in turn, uneven weights interleaved (R20-131, R20-140). */
export class RoundRobin implements Balancer {
  readonly #rotation: readonly Endpoint[]
  readonly #cursor: Cursor

  constructor({ endpoints, cursor }: BalancerInput) {
    this.#rotation = smoothRotation(weighted(endpoints))
    this.#cursor = cursor
  }

  pick(_point: number, tried: readonly Endpoint[]): Endpoint | undefined {
    const rotation = this.#rotation
    for (let turn = 0; turn < rotation.length; turn += 1) {
      const endpoint = rotation[advance(this.#cursor, rotation.length)]
      if (endpoint && !wasTried(tried, endpoint)) return endpoint
    }
    return undefined
  }
}
