// The smallest valid values of the route table and the endpoint table; a test states only what matters to it.
import type { BackendEndpoints, Endpoint, EndpointTable } from '../../src/model/endpoint-table.ts'
import type { Backend, PathMatch, Route, RouteTable, VirtualHost } from '../../src/model/route-table.ts'

export function route(match: PathMatch, fields: Partial<Route> = {}): Route {
  const path = match.type === 'Regex' ? match.pattern : match.value
  const pathType = match.type === 'Regex' ? 'ImplementationSpecific' : match.type
  return {
    id: `${match.type} ${path}`,
    match,
    path,
    pathType,
    action: { kind: 'forward', backends: [{ backend: 'shop/web:80', weight: 1 }] },
    source: 'ingress',
    origin: { kind: 'Ingress', namespace: 'shop', name: 'web', rule: '0/0' },
    ...fields,
  }
}

export function exact(value: string, fields: Partial<Route> = {}): Route {
  return route({ type: 'Exact', value }, fields)
}

/** `value` without the trailing slash: `''` takes all. */
export function prefix(value: string, fields: Partial<Route> = {}): Route {
  return route({ type: 'Prefix', value }, fields)
}

export function regex(pattern: string, fields: Partial<Route> = {}): Route {
  return route({ type: 'Regex', pattern }, fields)
}

export function virtualHost(host: string, routes: readonly Route[], fields: Partial<VirtualHost> = {}): VirtualHost {
  return { host, routes, fallback: undefined, digest: `digest of ${host}`, ...fields }
}

export function routeTable(hosts: readonly VirtualHost[], fields: Partial<RouteTable> = {}): RouteTable {
  return {
    hosts: new Map(hosts.map((host) => [host.host, host])),
    backends: new Map(),
    defaultRoute: undefined,
    digest: 'digest of a table',
    ...fields,
  }
}

export function backend(name: string, fields: Partial<Backend> = {}): Backend {
  return {
    name,
    source: 'ingress',
    policy: 'roundRobin',
    fixedEndpoints: undefined,
    digest: `digest of ${name}`,
    ...fields,
  }
}

/** `address` as `192.0.2.1:80`. */
export function endpoint(address: string, fields: Partial<Endpoint> = {}): Endpoint {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replaceAll(/[[\]]/g, '')
  return { address, host, port: Number(address.slice(colon + 1)), weight: 1, readiness: 'ready', ...fields }
}

export function endpointTable(backends: Readonly<Record<string, readonly Endpoint[]>>): EndpointTable {
  const entries = Object.entries(backends).map(([name, endpoints]): [string, BackendEndpoints] => [
    name,
    { backend: name, endpoints, digest: JSON.stringify(endpoints) },
  ])
  return { byBackend: new Map(entries), digest: JSON.stringify(entries) }
}
