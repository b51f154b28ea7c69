// The digests of all that has one, in one place, so that the compiler and a worker that checks what it built agree.
import { type Canonical, canonicalJson } from '../lib/canonical.ts'
import { digestOf } from '../lib/digest.ts'
import { certificateKey, NO_CERTIFICATES, serverNameKey } from './certificate-table.ts'
import type { BackendEndpoints, EndpointTable } from './endpoint-table.ts'
import type { RoutePolicy } from './policy.ts'
import {
  type Backend,
  backendKey,
  DEFAULT_ROUTE_KEY,
  type HashKey,
  hostKey,
  type Route,
  type RouteAction,
  type RouteTable,
  type VirtualHost,
} from './route-table.ts'

/** Key to digest of every element of the configuration: what `RouteTable.digest` is the root of (R00-8). */
export function routeElements(table: Omit<RouteTable, 'digest'>): Map<string, string> {
  const elements = new Map<string, string>()
  for (const [host, { digest }] of table.hosts) elements.set(hostKey(host), digest)
  for (const [name, { digest }] of table.backends) elements.set(backendKey(name), digest)
  if (table.defaultRoute) elements.set(DEFAULT_ROUTE_KEY, digestOfRoute(table.defaultRoute))
  const { certificates, serverNames } = table.certificates ?? NO_CERTIFICATES
  for (const [handle, { digest }] of certificates) elements.set(certificateKey(handle), digest)
  for (const [host, { digest }] of serverNames) elements.set(serverNameKey(host), digest)
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
  return digestOf(JSON.stringify(actedOn(route, new Map())))
}

/** `VirtualHost.digest` of what is left of it without. */
export function digestOfVirtualHost({ host, routes, fallback }: Omit<VirtualHost, 'digest'>): string {
  const policies: PolicyTexts = new Map()
  const acted = routes.map((route) => actedOn(route, policies))
  return digestOf(JSON.stringify([host, acted, fallback ? actedOn(fallback, policies) : null]))
}

/** `Backend.digest` of what is left of it without. */
export function digestOfBackend(backend: Omit<Backend, 'digest'>): string {
  const { name, policy, fixedEndpoints, slowStartMs, healthCheck, dialsService, protocol, tls } = backend
  return digestOf(
    canonicalJson({
      name,
      policy: typeof policy === 'string' ? policy : policy.key.map(plainHashPart),
      fixedEndpoints: fixedEndpoints?.map((endpoint) => ({ ...endpoint })),
      slowStartMs,
      healthCheck: healthCheck && { ...healthCheck },
      dialsService,
      protocol,
      tls: tls?.digest,
    }),
  )
}

/** `BackendEndpoints.digest` of what is left of it without. */
export function digestOfEndpoints({ backend, endpoints }: Omit<BackendEndpoints, 'digest'>): string {
  return digestOf(canonicalJson([backend, endpoints.map((endpoint) => ({ ...endpoint }))]))
}

/** All that a policy says, as JSON: equal texts for policies that act the same, and for no others. */
export function describePolicy(policy: RoutePolicy): string {
  return canonicalJson(plainPolicy(policy))
}

// Where a route comes from is for people: an object that takes over another's rule unchanged is no new configuration.
// Lists alone, since a host may have 10,000 routes and their keys would be sorted for each.
function actedOn({ id, match, action, policy, httpsFirst }: Route, policies: PolicyTexts): readonly unknown[] {
  const value = match.type === 'Regex' ? match.pattern : match.value
  const acted = [id, match.type, value, action.kind, targetOf(action)]
  const more = policy ? [...acted, policyText(policy, policies)] : acted
  return httpsFirst === true ? [...more, true] : more
}

function targetOf(action: RouteAction): unknown {
  switch (action.kind) {
    case 'forward':
      return action.backends.map(({ backend, weight }) => [backend, weight])
    case 'refuse':
      return action.reason
    case 'redirect': {
      const { base, template, keepsQuery } = action.location
      return [action.status, base, template, keepsQuery]
    }
  }
}

/** Policies as they enter a digest: the many routes of one object share one. */
type PolicyTexts = Map<RoutePolicy, string>

function policyText(policy: RoutePolicy, known: PolicyTexts): string {
  const text = known.get(policy) ?? describePolicy(policy)
  known.set(policy, text)
  return text
}

// The copies are for the types alone: an interface is no record.
function plainPolicy({ retry, rewrite, ...flat }: RoutePolicy): Canonical {
  return { ...flat, retry: retry && { ...retry }, rewrite: rewrite && { ...rewrite } }
}

function plainHashPart(part: HashKey[number]): Canonical {
  return typeof part === 'string' ? part : { ...part }
}
