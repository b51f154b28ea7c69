import type { Clock } from '../lib/clock.ts'
import type { Result } from '../lib/result.ts'
import type { Steps } from '../lib/steps.ts'
import type { BackendEndpoints } from '../model/endpoint-table.ts'
import type { Balancers, buildBalancers } from '../router/balance/balancers.ts'
import { buildAhead, type buildRouter } from '../router/router.ts'
import { type BuiltTables, buildTables, noTables } from './built-tables.ts'
import type { CounterColumn } from './counter-column.ts'
import type { Changed } from './delta.ts'
import type { ServedPair } from './engine.ts'
import { NO_WAYS, type UpstreamWays, waysOf } from './upstream/way.ts'
import type { BuildMessage, RowChanges } from './worker-protocol.ts'

/** What a pair is built with; the router's own functions but in tests. */
export interface PairBuilders {
  readonly buildRouter: typeof buildRouter
  readonly buildBalancers: typeof buildBalancers
}

/** A pair that was built and may be assigned. */
export interface BuiltPair {
  readonly sequence: number
  readonly tables: BuiltTables
  readonly pair: ServedPair
  /** What makes the endpoints out of those that were served when it was built. */
  readonly endpoints: Changed<BackendEndpoints>
}

export interface PairMakerDeps {
  readonly builders: PairBuilders
  readonly counters: CounterColumn
  readonly workerIndex: number
  readonly clock: Clock
}

/** Makes the pairs of one worker, each out of the one before it and what differs. */
export class PairMaker {
  readonly #deps: PairMakerDeps
  // One map each for all pairs: main frees a row only when no pair that could be asked for it is left.
  readonly #routeSlots = new Map<string, number>()
  readonly #endpointSlots = new Map<string, number>()

  constructor(deps: PairMakerDeps) {
    this.#deps = deps
  }

  /** The pair of `message`, built beside `served` and without touching it, step by step. */
  *build(served: BuiltPair | undefined, message: BuildMessage): Steps<Result<BuiltPair, string>> {
    const { sequence, delta } = message
    this.#deps.counters.addSegments(message.segments)
    changeRows(this.#routeSlots, message.routeRows)
    changeRows(this.#endpointSlots, message.endpointRows)
    yield
    const tables = yield* buildTables(served?.tables ?? noTables(), delta)
    if (!tables.ok) return tables
    if (served) yield* buildAhead(served.pair.router, delta.hosts.set)
    yield
    const pair = yield* this.#pairOf(tables.value, served, message)
    return { ok: true, value: { sequence, tables: tables.value, pair, endpoints: delta.endpoints } }
  }

  *#pairOf(tables: BuiltTables, served: BuiltPair | undefined, { delta }: BuildMessage): Steps<ServedPair> {
    const { buildRouter } = this.#deps.builders
    const { routes } = tables
    const isSameRoutes = served?.tables.routes === routes
    const router = isSameRoutes ? served.pair.router : buildRouter(routes, served?.pair.router)
    yield
    const balancers = this.#balancersOf(tables, served)
    yield
    return {
      generation: delta.generation,
      digest: tables.routesDigest.root,
      endpointsVersion: delta.endpointsVersion,
      endpointsDigest: tables.endpointsDigest.root,
      routes,
      router,
      balancers,
      ways: waysOfTable(routes, served),
      routeSlots: this.#routeSlots,
      endpointSlots: this.#endpointSlots,
    }
  }

  // Neither depends on the virtual hosts, which are what changes most often.
  #balancersOf({ routes, endpoints }: BuiltTables, served: BuiltPair | undefined): Balancers {
    const isSame = served?.tables.routes.backends === routes.backends && served.tables.endpoints === endpoints
    if (isSame) return served.pair.balancers
    const { builders, counters, workerIndex, clock } = this.#deps
    const endpointSlots = this.#endpointSlots
    return builders.buildBalancers({
      routes,
      endpoints,
      workerIndex,
      nowMs: clock.monotonicMs(),
      inFlight: (address) => {
        const slot = endpointSlots.get(address)
        return slot === undefined ? 0 : counters.inFlight(slot)
      },
      ...(served ? { previous: served.pair.balancers } : {}),
    })
  }
}

function waysOfTable({ backends }: BuiltTables['routes'], served: BuiltPair | undefined): UpstreamWays {
  if (served?.tables.routes.backends === backends) return served.pair.ways
  return waysOf(backends, served?.pair.ways ?? NO_WAYS)
}

function changeRows(slots: Map<string, number>, { freed, set }: RowChanges): void {
  for (const name of freed) slots.delete(name)
  for (const [name, row] of set) slots.set(name, row)
}
