// What is served -> the document of GET /admin/backends.
import { formatBalancingPolicy } from '../model/balancing-policy.ts'
import type { SlotTotals } from '../model/counters.ts'
import type { BackendEndpoints, Endpoint } from '../model/endpoint-table.ts'
import type { Pair } from '../model/generation.ts'
import type { Backend } from '../model/route-table.ts'
import { protocolWord } from '../model/upstream-tls.ts'
import { type PageQuery, pageOf } from './paging.ts'
import type { ListFilter } from './views.ts'

export interface BackendsSource {
  /** `undefined`: nothing is served yet. */
  readonly pair: Pair | undefined
  /** By the address of an endpoint. */
  readonly totalsOf: (address: string) => SlotTotals
  /** What active checks found last; `undefined`: it is not checked. */
  readonly isHealthy: (backend: string, address: string) => boolean | undefined
}

/** The document, version 1: by name of the backend, its endpoints in the order of the table. */
export function backendsView(source: BackendsSource, filter: ListFilter, query: PageQuery): unknown {
  const { pair } = source
  const wanted = pair === undefined ? [] : backendsOf(pair, filter)
  const { items, next } = pageOf(wanted, query, ({ name }) => [name])
  return {
    version: 1,
    generation: pair?.generation.number ?? 0,
    endpointsVersion: pair?.endpoints.version ?? 0,
    digest: pair?.endpoints.table.digest ?? null,
    backends: items.map((backend) => backendView(backend, pair?.endpoints.table.byBackend.get(backend.name), source)),
    continue: next,
  }
}

function backendsOf({ generation }: Pair, { host, namespace }: ListFilter): readonly Backend[] {
  const { backends } = generation.routes
  const ofHost = host === undefined ? undefined : backendsOfHost(generation, host)
  return [...backends.values()]
    .filter(({ name }) => ofHost === undefined || ofHost.has(name))
    .filter(({ name }) => namespace === undefined || name.startsWith(`${namespace}/`))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function backendsOfHost({ routes }: Pair['generation'], host: string): ReadonlySet<string> {
  const virtualHost = routes.hosts.get(host)
  const all = virtualHost ? [...virtualHost.routes, ...(virtualHost.fallback ? [virtualHost.fallback] : [])] : []
  return new Set(
    all.flatMap(({ action }) => (action.kind === 'forward' ? action.backends.map(({ backend }) => backend) : [])),
  )
}

function backendView(
  { name, source, policy, protocol, tls }: Backend,
  entry: BackendEndpoints | undefined,
  facts: BackendsSource,
): unknown {
  return {
    backend: name,
    source,
    policy: formatBalancingPolicy(policy),
    protocol: protocolWord(protocol),
    tls: tls === undefined ? null : { verify: tls.verify, server_name: tls.serverName ?? null },
    endpoints: (entry?.endpoints ?? []).map((endpoint) => endpointView(name, endpoint, facts)),
  }
}

function endpointView(
  backend: string,
  { address, weight, readiness }: Endpoint,
  { totalsOf, isHealthy }: BackendsSource,
): unknown {
  const totals = totalsOf(address)
  return {
    address,
    weight,
    readiness,
    health: healthText(isHealthy(backend, address)),
    in_flight: totals.inFlight,
    ejections_total: totals.ejections,
    requests_total: totals.requests,
    errors_5xx_total: totals.errors5xx,
    upstream_latency_count: totals.latencyCount,
    upstream_latency_ms_sum: totals.latencyMsSum,
  }
}

function healthText(isHealthy: boolean | undefined): string {
  if (isHealthy === undefined) return 'unchecked'
  return isHealthy ? 'healthy' : 'unhealthy'
}
