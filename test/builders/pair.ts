// Tables whose digests are true, as a worker checks them.
import { changeDigest, emptyDigest } from '../../src/lib/bucketed-digest.ts'
import {
  digestOfBackend,
  digestOfEndpoints,
  digestOfVirtualHost,
  endpointElements,
  routeElements,
} from '../../src/model/elements.ts'
import type { BackendEndpoints, EndpointTable } from '../../src/model/endpoint-table.ts'
import type { Pair, Tables } from '../../src/model/generation.ts'
import type { Backend, RouteTable, VirtualHost } from '../../src/model/route-table.ts'
import { backend, endpoint, prefix, virtualHost } from './route-table.ts'

/** Hosts, each with the addresses that its one route `/` leads to. */
export type Sites = Readonly<Record<string, readonly string[]>>

export interface SiteOptions {
  /** The addresses are written in the configuration, as in a routes file. */
  readonly isFixed?: boolean
  /** Host that the default route leads to. */
  readonly fallbackTo?: string
}

/** The id of the one route of a host. */
export function routeIdOf(host: string): string {
  return `${host} Prefix / ${backendOf(host)}`
}

/** The backend of a host. */
export function backendOf(host: string): string {
  return `shop/${host}:80`
}

export function tablesOf(sites: Sites, options: SiteOptions = {}): Tables {
  const names = Object.keys(sites)
  const hosts = names.map((host) => siteHost(host))
  const backends = names.map((host) => siteBackend(host, options.isFixed ? (sites[host] ?? []) : undefined))
  const entries = names.map((host) => siteEndpoints(host, sites[host] ?? []))
  const { fallbackTo } = options
  return {
    routes: withRoutesDigest({
      hosts: new Map(hosts.map((host) => [host.host, host])),
      backends: new Map(backends.map((one) => [one.name, one])),
      defaultRoute: fallbackTo === undefined ? undefined : siteRoute(fallbackTo, { id: 'default' }),
    }),
    endpoints: withEndpointsDigest(entries),
  }
}

export function pairOf(sites: Sites, numbers: { readonly generation?: number; readonly version?: number } = {}): Pair {
  return asPair(tablesOf(sites), numbers)
}

export function asPair(
  { routes, endpoints }: Tables,
  { generation = 1, version = generation }: { readonly generation?: number; readonly version?: number } = {},
): Pair {
  return {
    generation: { number: generation, digest: routes.digest, routes, warnings: [] },
    endpoints: { version, table: endpoints },
  }
}

/** `table` with the digest that its elements have. */
export function withRoutesDigest(table: Omit<RouteTable, 'digest'>): RouteTable {
  return { ...table, digest: changeDigest(emptyDigest(), routeElements(table)).root }
}

/** The table of `entries` with the digest that they have. */
export function withEndpointsDigest(entries: readonly BackendEndpoints[]): EndpointTable {
  const byBackend = new Map(entries.map((entry) => [entry.backend, entry]))
  return { byBackend, digest: changeDigest(emptyDigest(), endpointElements({ byBackend })).root }
}

export function siteEndpoints(host: string, addresses: readonly string[]): BackendEndpoints {
  const fields = { backend: backendOf(host), endpoints: addresses.map((address) => endpoint(address)) }
  return { ...fields, digest: digestOfEndpoints(fields) }
}

function siteRoute(host: string, fields: { readonly id: string }): VirtualHost['routes'][number] {
  return prefix('', { ...fields, action: { kind: 'forward', backends: [{ backend: backendOf(host), weight: 1 }] } })
}

function siteHost(host: string): VirtualHost {
  const one = virtualHost(host, [siteRoute(host, { id: routeIdOf(host) })])
  return { ...one, digest: digestOfVirtualHost(one) }
}

function siteBackend(host: string, fixed: readonly string[] | undefined): Backend {
  const one = backend(backendOf(host), { fixedEndpoints: fixed?.map((address) => endpoint(address)) })
  return { ...one, digest: digestOfBackend(one) }
}
