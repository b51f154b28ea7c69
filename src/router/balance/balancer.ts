import type { Endpoint } from '../../model/endpoint-table.ts'
import type { Latencies } from './latencies.ts'

/** Requests in flight of an endpoint, over all workers, by its address. */
export type InFlight = (address: string) => number

/** Where a backend's rotation stands. One for a backend as long as it is served: it outlives its balancers (R00-17). */
export interface Cursor {
  next: number
}

/** What a balancer is built from. */
export interface BalancerInput {
  readonly endpoints: readonly Endpoint[]
  readonly cursor: Cursor
}

/**
 * Chooses among the endpoints of one backend. A state machine without clock or randomness (R20-144): its state is the
 * cursor, and for some policies what was measured of each endpoint.
 */
export interface Balancer {
  /**
   * An endpoint that is not in `tried`; `undefined` where none is left that has a weight (R20-130, R20-141). `point` is
   * a point in [0, 1): a random one, or that of the request's key for the policy hash. `nowMs` is of a clock that never
   * goes back. Allocates nothing while `tried` is empty.
   */
  pick(point: number, tried: readonly Endpoint[], inFlight: InFlight, nowMs: number): Endpoint | undefined
  /** What is measured of its endpoints; absent where the policy does not go by that. */
  readonly latencies?: Latencies
}

/** The endpoints that may get a request: those with a weight above 0. */
export function weighted(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.every(({ weight }) => weight > 0) ? endpoints : endpoints.filter(({ weight }) => weight > 0)
}

/** Gives the index that is next in a rotation over `length` entries, 1 or more, and moves the cursor on. */
export function advance(cursor: Cursor, length: number): number {
  // The set may have shrunk since the cursor was moved; and so it stays a small integer.
  const index = cursor.next % length
  cursor.next = index + 1
  return index
}

/** Reports whether the request was already sent towards this address. */
export function wasTried(tried: readonly Endpoint[], { address }: Endpoint): boolean {
  for (const endpoint of tried) if (endpoint.address === address) return true
  return false
}

/** How busy an endpoint is for its size: in flight over weight. */
export function loadOf(endpoint: Endpoint, inFlight: InFlight): number {
  return inFlight(endpoint.address) / endpoint.weight
}
