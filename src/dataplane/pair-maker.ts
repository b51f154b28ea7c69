import type { Result } from '../lib/result.ts'
import type { buildBalancers } from '../router/balance/balancers.ts'
import type { buildRouter } from '../router/router.ts'
import { type BuiltTables, buildTables, noTables } from './built-tables.ts'
import type { CounterColumn } from './counter-column.ts'
import type { ServedPair } from './engine.ts'
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
}

export interface PairMakerDeps {
  readonly builders: PairBuilders
  readonly counters: CounterColumn
  readonly workerIndex: number
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

  /** The pair of `message`, built beside `served` and without touching it. */
  build(served: BuiltPair | undefined, message: BuildMessage): Result<BuiltPair, string> {
    this.#deps.counters.addSegments(message.segments)
    changeRows(this.#routeSlots, message.routeRows)
    changeRows(this.#endpointSlots, message.endpointRows)
    const tables = buildTables(served?.tables ?? noTables(), message.delta)
    if (!tables.ok) return tables
    const pair = this.#pairOf(tables.value, served?.pair, message)
    return { ok: true, value: { sequence: message.sequence, tables: tables.value, pair } }
  }

  #pairOf(tables: BuiltTables, previous: ServedPair | undefined, { delta }: BuildMessage): ServedPair {
    const { builders, counters, workerIndex } = this.#deps
    const endpointSlots = this.#endpointSlots
    const balancers = builders.buildBalancers({
      routes: tables.routes,
      endpoints: tables.endpoints,
      workerIndex,
      inFlight: (address) => {
        const slot = endpointSlots.get(address)
        return slot === undefined ? 0 : counters.inFlight(slot)
      },
      ...(previous ? { previous: previous.balancers } : {}),
    })
    return {
      generation: delta.generation,
      digest: tables.routesDigest.root,
      endpointsVersion: delta.endpointsVersion,
      endpointsDigest: tables.endpointsDigest.root,
      routes: tables.routes,
      router:
        previous?.routes === tables.routes ? previous.router : builders.buildRouter(tables.routes, previous?.router),
      balancers,
      routeSlots: this.#routeSlots,
      endpointSlots,
    }
  }
}

function changeRows(slots: Map<string, number>, { freed, set }: RowChanges): void {
  for (const name of freed) slots.delete(name)
  for (const [name, row] of set) slots.set(name, row)
}
