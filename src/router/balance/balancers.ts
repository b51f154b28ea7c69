// The balancers of all backends that a pair names, and what one pair hands to the next.
import type { BackendEndpoints, Endpoint, EndpointTable } from '../../model/endpoint-table.ts'
import type { BalancingPolicy, RouteTable } from '../../model/route-table.ts'
import type { Balancer, BalancerInput, Cursor, InFlight } from './balancer.ts'
import { LeastConn } from './least-conn.ts'
import { RandomChoice } from './random.ts'
import { RoundRobin } from './round-robin.ts'

export interface BalancersInput {
  readonly routes: RouteTable
  readonly endpoints: EndpointTable
  /** Number of this worker, from 0: where its cursors start, so that workers do not all favour the first endpoint. */
  readonly workerIndex: number
  readonly inFlight: InFlight
  /** Those of the pair before. */
  readonly previous?: Balancers
}

/** Chooses endpoints for one worker and one pair. */
export interface Balancers {
  /**
   * An endpoint of `backend` that is not in `tried`; `undefined` where none is left: none at all, none with a weight,
   * or all of them tried. `point` is a random point in [0, 1). Allocates nothing while `tried` is empty.
   */
  pick(backend: string, point: number, tried: readonly Endpoint[]): Endpoint | undefined
}

interface Entry {
  readonly source: BackendEndpoints | undefined
  readonly policy: BalancingPolicy
  readonly cursor: Cursor
  readonly balancer: Balancer
}

/**
 * The balancers of the backends of `input.routes`. A cursor is carried over by the name of its backend, and a backend
 * of which nothing changed keeps its balancer, so that building for one changed backend builds one (R00-17, R20-142).
 */
export function buildBalancers(input: BalancersInput): Balancers {
  const { routes, endpoints, workerIndex, previous } = input
  const before = previous instanceof TableBalancers ? previous.entries : new Map<string, Entry>()
  const entries = new Map<string, Entry>()
  for (const [name, { policy }] of routes.backends) {
    const source = endpoints.byBackend.get(name)
    const known = before.get(name)
    const isSame = known !== undefined && known.source === source && known.policy === policy
    entries.set(name, isSame ? known : buildEntry(source, policy, known?.cursor ?? { next: workerIndex }))
  }
  return new TableBalancers(entries, input.inFlight)
}

class TableBalancers implements Balancers {
  /** By the backend's name, for the balancers after these. */
  readonly entries: ReadonlyMap<string, Entry>
  readonly #inFlight: InFlight

  constructor(entries: ReadonlyMap<string, Entry>, inFlight: InFlight) {
    this.entries = entries
    this.#inFlight = inFlight
  }

  pick(backend: string, point: number, tried: readonly Endpoint[]): Endpoint | undefined {
    return this.entries.get(backend)?.balancer.pick(point, tried, this.#inFlight)
  }
}

function buildEntry(source: BackendEndpoints | undefined, policy: BalancingPolicy, cursor: Cursor): Entry {
  return { source, policy, cursor, balancer: buildBalancer(policy, { endpoints: source?.endpoints ?? [], cursor }) }
}

function buildBalancer(policy: BalancingPolicy, input: BalancerInput): Balancer {
  switch (policy) {
    case 'roundRobin':
      return new RoundRobin(input)
    case 'leastConn':
      return new LeastConn(input)
    case 'random':
      return new RandomChoice(input)
  }
}
