// What the control plane knows -> the documents of the admin API.
import type { SlotTotals } from '../model/counters.ts'
import type { Pair } from '../model/generation.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Route } from '../model/route-table.ts'
import { WARNING_REASONS } from '../model/warning.ts'
import type { CurrentWarning } from '../observability/current-warnings.ts'
import { compareKeys, type PageQuery, pageOf } from './paging.ts'

export interface RoutesSource {
  /** `undefined`: nothing is served yet. */
  readonly pair: Pair | undefined
  /** Name of this pod. */
  readonly replica: string
  readonly totalsOf: (routeId: string) => SlotTotals
}

/** What is left out of a list: nothing where `undefined`. */
export interface ListFilter {
  readonly host: string | undefined
  readonly namespace: string | undefined
}

interface HostedRoute {
  readonly host: string
  readonly route: Route
}

/** The document of `GET /admin/routes`, version 1: by host, path and path type. */
export function routesView(source: RoutesSource, filter: ListFilter, query: PageQuery): unknown {
  const { pair, replica, totalsOf } = source
  const served = pair === undefined ? [] : hostedRoutes(pair, filter)
  const { items, next } = pageOf(served, query, routeKey)
  return {
    version: 1,
    generation: pair?.generation.number ?? 0,
    digest: pair?.generation.digest ?? null,
    endpointsVersion: pair?.endpoints.version ?? 0,
    replica,
    routes: items.map((item) => routeView(item, pair, totalsOf(item.route.id))),
    continue: next,
  }
}

function hostedRoutes({ generation }: Pair, filter: ListFilter): readonly HostedRoute[] {
  const { hosts, defaultRoute } = generation.routes
  const all: HostedRoute[] = []
  for (const { host, routes, fallback } of hosts.values()) {
    for (const route of routes) all.push({ host, route })
    if (fallback !== undefined) all.push({ host, route: fallback })
  }
  if (defaultRoute !== undefined) all.push({ host: '*', route: defaultRoute })
  return all
    .filter(({ host, route }) => isWanted(filter, host, route.origin))
    .toSorted((a, b) => compareKeys(routeKey(a), routeKey(b)))
}

function isWanted(filter: ListFilter, host: string | undefined, { namespace }: ObjectRef): boolean {
  const isOfHost = filter.host === undefined || filter.host === host
  return isOfHost && (filter.namespace === undefined || filter.namespace === namespace)
}

// The id comes last, so that no two routes have one key.
function routeKey({ host, route }: HostedRoute): readonly string[] {
  return [host, route.path, route.pathType, route.id]
}

function routeView({ host, route }: HostedRoute, pair: Pair | undefined, totals: SlotTotals): unknown {
  const { action, origin } = route
  const [first] = action.kind === 'forward' ? action.backends : []
  const endpoints = first && pair?.endpoints.table.byBackend.get(first.backend)
  return {
    host,
    path: route.path,
    path_type: route.pathType,
    backend: first?.backend ?? null,
    refused: action.kind === 'refuse' ? action.reason : null,
    endpoints: endpoints?.endpoints.length ?? 0,
    requests_total: totals.requests,
    errors_5xx_total: totals.errors5xx,
    upstream_latency_count: totals.latencyCount,
    upstream_latency_ms_sum: totals.latencyMsSum,
    canary: null,
    canary_stats: null,
    mirror: null,
    source: route.source,
    object: { ...objectView(origin), rule: origin.rule },
  }
}

/** An object; null stands for no namespace. */
export function objectView({ kind, namespace, name }: ObjectRef): Record<string, string | null> {
  return { kind, namespace: namespace === '' ? null : namespace, name }
}

/** The document of `GET /admin/warnings`, version 1: by object, reason and field. */
export function warningsView(warnings: readonly CurrentWarning[], filter: ListFilter, query: PageQuery): unknown {
  const wanted = warnings
    .filter(({ warning }) => isWanted({ ...filter, host: undefined }, undefined, warning.object))
    .toSorted((a, b) => compareKeys(warningKey(a), warningKey(b)))
  const { items, next } = pageOf(wanted, query, warningKey)
  return { version: 1, warnings: items.map(warningView), continue: next }
}

function warningKey({ warning: { object, reason, field, message } }: CurrentWarning): readonly string[] {
  return [object.kind, object.namespace, object.name, reason, field, message]
}

function warningView({ warning, sinceMs }: CurrentWarning): unknown {
  const { reason, object, field, message } = warning
  return {
    object: objectView(object),
    reason,
    field,
    message,
    severity: WARNING_REASONS[reason].severity,
    since: new Date(sinceMs).toISOString(),
  }
}
