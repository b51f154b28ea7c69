import type { ServedPair } from '../../src/dataplane/engine.ts'
import { NO_WAYS, type UpstreamWays, waysOf } from '../../src/dataplane/upstream/way.ts'
import type { EndpointTable } from '../../src/model/endpoint-table.ts'
import type { RouteTable } from '../../src/model/route-table.ts'
import { buildBalancers } from '../../src/router/balance/balancers.ts'
import { buildRouter } from '../../src/router/router.ts'

export interface ServedPairParts {
  readonly routes: RouteTable
  readonly endpoints: EndpointTable
  /** Slots by `Route.id`, and by address. */
  readonly routeSlots: ReadonlyMap<string, number>
  readonly endpointSlots: ReadonlyMap<string, number>
  /** The first one where nothing is said. */
  readonly number?: number
  /** Those of the pair before: what stays the same stays the same object. */
  readonly ways?: UpstreamWays
}

/** A pair as a worker has built it from these tables; its digests say its number and nothing else. */
export function servedPairOf({ routes, endpoints, number = 1, ways = NO_WAYS, ...slots }: ServedPairParts): ServedPair {
  return {
    generation: number,
    digest: `generation ${number}`,
    endpointsVersion: number,
    endpointsDigest: `endpoints ${number}`,
    routes,
    router: buildRouter(routes),
    balancers: buildBalancers({ routes, endpoints, workerIndex: 0, nowMs: 0, inFlight: () => 0 }),
    ways: waysOf(routes.backends, ways),
    ...slots,
  }
}
