import type { Endpoint } from '../../model/endpoint-table.ts'
import type { InFlight } from './balancer.ts'
import type { Latencies } from './latencies.ts'
import { TwoChoices } from './two-choices.ts'

/** Added to what was measured: endpoints that nobody knows yet are told apart by what is in flight at them. */
const FLOOR_MS = 1

/**
 * Takes of two endpoints that chance names the one whose waiting requests will be answered sooner: its latency times what
 * is in flight there with this request, over its weight (R20-134). An endpoint that hangs is left that way although it
 * has not answered yet.
 */
export class Ewma extends TwoChoices {
  readonly latencies: Latencies

  constructor(endpoints: readonly Endpoint[], latencies: Latencies) {
    super({ endpoints })
    this.latencies = latencies
  }

  protected override costOf({ address, weight }: Endpoint, inFlight: InFlight, nowMs: number): number {
    return ((this.latencies.of(address, nowMs) + FLOOR_MS) * (inFlight(address) + 1)) / weight
  }
}
