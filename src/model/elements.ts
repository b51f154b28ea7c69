// The digests of all that has one, in one place, so that the compiler and a worker that checks what it built agree.
import { canonicalJson } from '../lib/canonical.ts'
import { digestOf } from '../lib/digest.ts'
import type { BackendEndpoints, EndpointTable } from './endpoint-table.ts'
import {
  type Backend,
  backendKey,
  DEFAULT_ROUTE_KEY,
  hostKey,
  type Route,
  type RouteTable,
  type VirtualHost,
} from './route-table.ts'

/** Key to digest of every element of the configuration: what `RouteTable.digest` is the root of (R00-8). */
export function routeElements(table: Omit<RouteTable, 'digest'>): Map<string, string> {
  const elements = new Map<string, string>()
  for (const [host, { digest }] of table.hosts) elements.set(hostKey(host), digest)
  for (const [name, { digest }] of table.backends) elements.set(backendKey(name), digest)
  if (table.defaultRoute) elements.set(DEFAULT_ROUTE_KEY, digestOfRoute(table.defaultRoute))
  return elements
}

/** Name of a backend to the digest of its endpoints: what `EndpointTable.digest` is the root of. */
export function endpointElements(table: Omit<EndpointTable, 'digest'>): Map<string, string> {
  const elements = new Map<string, string>()
  for (const [backend, { digest }] of table.byBackend) elements.set(backend, digest)
  return elements
}

/** The digest of a route that stands by itself, as the default route does. */
export function digestOfRoute(route: Route): string {
  return digestOf(JSON.stringify(actedOn(route)))
}

/** `VirtualHost.digest` of what is left of it without. */
export function digestOfVirtualHost({ host, routes, fallback }: Omit<VirtualHost, 'digest'>): string {
  return digestOf(JSON.stringify([host, routes.map(actedOn), fallback ? actedOn(fallback) : null]))
}

/** `Backend.digest` of what is left of it without. */
export function digestOfBackend({ name, policy, fixedEndpoints }: Omit<Backend, 'digest'>): string {
  return digestOf(canonicalJson([name, policy, fixedEndpoints?.map((endpoint) => ({ ...endpoint })) ?? null]))
}

/** `BackendEndpoints.digest` of what is left of it without. */
export function digestOfEndpoints({ backend, endpoints }: Omit<BackendEndpoints, 'digest'>): string {
  return digestOf(canonicalJson([backend, endpoints.map((endpoint) => ({ ...endpoint }))]))
}

// Where a route comes from is for people: an object that takes over another's rule unchanged is no new configuration.
// Lists alone, since a host may have 10,000 routes and their keys would be sorted for each.
function actedOn({ id, match, action }: Route): readonly unknown[] {
  const value = match.type === 'Regex' ? match.pattern : match.value
  const target =
    action.kind === 'forward' ? action.backends.map(({ backend, weight }) => [backend, weight]) : action.reason
  return [id, match.type, value, action.kind, target]
}
