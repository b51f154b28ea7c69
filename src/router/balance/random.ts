import type { Endpoint } from '../../model/endpoint-table.ts'
import { type InFlight, loadOf } from './balancer.ts'
import { TwoChoices } from './two-choices.ts'

/** Takes the less busy of two endpoints that chance names (R20-133). */
export class RandomChoice extends TwoChoices {
  protected override costOf(endpoint: Endpoint, inFlight: InFlight): number {
    return loadOf(endpoint, inFlight)
  }
}
