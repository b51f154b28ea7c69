// The balancers of all backends that a pair names, and what one pair hands to the next.
import type { BackendEndpoints, Endpoint, EndpointTable } from '../../model/endpoint-table.ts'
import type { Backend, HashKey, RouteTable } from '../../model/route-table.ts'
import type { Balancer, BalancerInput, Cursor, InFlight } from './balancer.ts'
import { Ewma } from './ewma.ts'
import { HashRing } from './hash-ring.ts'
import { Latencies } from './latencies.ts'
import { LeastConn } from './least-conn.ts'
import { RandomChoice } from './random.ts'
import { RoundRobin } from './round-robin.ts'
import { type GrowingEndpoints, growingOf, SlowStart } from './slow-start.ts'

export interface BalancersInput {
  readonly routes: RouteTable
  readonly endpoints: EndpointTable
  /** Number of this worker, from 0: where its cursors start, so that workers do not all favour the first endpoint. */
  readonly workerIndex: number
  readonly inFlight: InFlight
  /** When they are built, on the clock that `pick` is told of: what is new since then grows (R20-143). */
  readonly nowMs: number
  /** Those of the pair before. */
  readonly previous?: Balancers
}

/** Chooses endpoints for one worker and one pair. */
export interface Balancers {
  /**
   * An endpoint of `backend` that is not in `tried`; `undefined` where none is left: none at all, none with a weight,
   * or all of them tried. `point` is in [0, 1). Allocates nothing while `tried` is empty.
   */
  pick(backend: string, point: number, tried: readonly Endpoint[], nowMs: number): Endpoint | undefined
  /** What the point of a request is made of (`hashPoint`); `undefined`: chance names it. */
  keyOf(backend: string): HashKey | undefined
  /** What is measured of a backend's endpoints; `undefined`: its policy does not go by that. */
  latenciesOf(backend: string): Latencies | undefined
}

interface Entry {
  readonly source: BackendEndpoints | undefined
  readonly backend: Backend
  readonly state: BackendState
  readonly balancer: Balancer
}

/** What the balancers of one backend hand on, by its name (R00-17). */
interface BackendState {
  readonly cursor: Cursor
  readonly growing: GrowingEndpoints
}

/**
 * The balancers of the backends of `input.routes`. What a backend's balancer knows is carried over by the name of the
 * backend, and a backend of which nothing changed keeps its balancer, so that building for one changed backend builds
 * one (R00-17, R20-142).
 */
export function buildBalancers(input: BalancersInput): Balancers {
  const { routes, endpoints, previous } = input
  const before = previous instanceof TableBalancers ? previous.entries : new Map<string, Entry>()
  const entries = new Map<string, Entry>()
  for (const [name, backend] of routes.backends) {
    const source = endpoints.byBackend.get(name)
    const known = before.get(name)
    const isSame = known !== undefined && known.source === source && known.backend === backend
    entries.set(name, isSame ? known : buildEntry(backend, source, known, input))
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

  pick(backend: string, point: number, tried: readonly Endpoint[], nowMs: number): Endpoint | undefined {
    return this.entries.get(backend)?.balancer.pick(point, tried, this.#inFlight, nowMs)
  }

  keyOf(backend: string): HashKey | undefined {
    const policy = this.entries.get(backend)?.backend.policy
    return typeof policy === 'object' ? policy.key : undefined
  }

  latenciesOf(backend: string): Latencies | undefined {
    return this.entries.get(backend)?.balancer.latencies
  }
}

function buildEntry(
  backend: Backend,
  source: BackendEndpoints | undefined,
  known: Entry | undefined,
  { workerIndex, nowMs }: BalancersInput,
): Entry {
  const endpoints = source?.endpoints ?? []
  const { slowStartMs = 0 } = backend
  const growth = { endpoints, before: known?.source?.endpoints ?? [], slowStartMs, nowMs }
  const state = {
    cursor: known?.state.cursor ?? { next: workerIndex },
    growing: growingOf({ ...growth, growing: known?.state.growing ?? new Map() }),
  }
  const latenciesOf = (): Latencies => new Latencies(endpoints, known?.balancer.latencies, nowMs)
  const balancer = buildBalancer(backend, { endpoints, cursor: state.cursor, latenciesOf })
  return { source, backend, state, balancer: withSlowStart(balancer, state, backend) }
}

interface PolicyInput extends BalancerInput {
  /** Called for a policy that goes by them. */
  readonly latenciesOf: () => Latencies
}

function buildBalancer({ policy }: Backend, { endpoints, cursor, latenciesOf }: PolicyInput): Balancer {
  if (typeof policy === 'object') return new HashRing(endpoints)
  switch (policy) {
    case 'roundRobin':
      return new RoundRobin({ endpoints, cursor })
    case 'leastConn':
      return new LeastConn({ endpoints, cursor })
    case 'random':
      return new RandomChoice({ endpoints })
    case 'ewma':
      return new Ewma(endpoints, latenciesOf())
  }
}

// A key must not lead elsewhere for a while, so a ring knows no growing.
function withSlowStart(balancer: Balancer, { growing }: BackendState, { policy, slowStartMs = 0 }: Backend): Balancer {
  return growing.size === 0 || typeof policy === 'object' ? balancer : new SlowStart(balancer, growing, slowStartMs)
}
