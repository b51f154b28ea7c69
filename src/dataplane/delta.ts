// What differs between two pairs, element by element: that alone is sent to a worker (R00-10).
import { type Certificate, NO_CERTIFICATES, type ServerName } from '../model/certificate-table.ts'
import type { BackendEndpoints, EndpointTable } from '../model/endpoint-table.ts'
import type { Pair } from '../model/generation.ts'
import type { Backend, Route, RouteTable, VirtualHost } from '../model/route-table.ts'

export interface Changed<T> {
  /** New elements, and those whose digest differs. */
  readonly set: readonly T[]
  /** Keys of those that are gone. */
  readonly removed: readonly string[]
}

/** Turns the tables of one pair into those of another. */
export interface PairDelta {
  readonly generation: number
  readonly digest: string
  readonly endpointsVersion: number
  readonly endpointsDigest: string
  readonly hosts: Changed<VirtualHost>
  readonly backends: Changed<Backend>
  readonly endpoints: Changed<BackendEndpoints>
  readonly certificates: Changed<Certificate>
  readonly serverNames: Changed<ServerName>
  /** `undefined`: as before. */
  readonly defaultRoute: { readonly route: Route | undefined } | undefined
}

/** What turns `base` into `next`; from no base it is the whole. */
export function diffPairs(base: Pair | undefined, next: Pair): PairDelta {
  const { generation, endpoints } = next
  const before = base?.generation.routes
  const after = generation.routes
  return {
    generation: generation.number,
    digest: after.digest,
    endpointsVersion: endpoints.version,
    endpointsDigest: endpoints.table.digest,
    hosts: diffMaps(before?.hosts, after.hosts),
    backends: diffMaps(before?.backends, after.backends),
    certificates: diffMaps(before?.certificates?.certificates, (after.certificates ?? NO_CERTIFICATES).certificates),
    serverNames: diffMaps(before?.certificates?.serverNames, (after.certificates ?? NO_CERTIFICATES).serverNames),
    endpoints: diffMaps(base?.endpoints.table.byBackend, endpoints.table.byBackend),
    defaultRoute: before?.defaultRoute === after.defaultRoute ? undefined : { route: after.defaultRoute },
  }
}

/** The route table that `delta` makes of `base`; what does not change is the very table or map of `base`. */
export function changeRoutes(base: RouteTable, delta: PairDelta): RouteTable {
  if (base.digest === delta.digest) return base
  return {
    hosts: changeMap(base.hosts, delta.hosts, ({ host }) => host),
    backends: changeMap(base.backends, delta.backends, ({ name }) => name),
    defaultRoute: delta.defaultRoute ? delta.defaultRoute.route : base.defaultRoute,
    ...changeCertificates(base, delta),
    digest: delta.digest,
  }
}

function changeCertificates({ certificates: base }: RouteTable, delta: PairDelta): Pick<RouteTable, 'certificates'> {
  const before = base ?? NO_CERTIFICATES
  const certificates = changeMap(before.certificates, delta.certificates, ({ handle }) => handle)
  const serverNames = changeMap(before.serverNames, delta.serverNames, ({ host }) => host)
  if (certificates !== before.certificates || serverNames !== before.serverNames) {
    return { certificates: { certificates, serverNames } }
  }
  return base ? { certificates: base } : {}
}

/** As `changeRoutes`, for the endpoint table. */
export function changeEndpoints(base: EndpointTable, delta: PairDelta): EndpointTable {
  if (base.digest === delta.endpointsDigest) return base
  return {
    byBackend: changeMap(base.byBackend, delta.endpoints, ({ backend }) => backend),
    digest: delta.endpointsDigest,
  }
}

interface Element {
  readonly digest: string
}

const NOTHING: Changed<never> = { set: [], removed: [] }

function diffMaps<T extends Element>(
  before: ReadonlyMap<string, T> | undefined,
  after: ReadonlyMap<string, T>,
): Changed<T> {
  if (before === after) return NOTHING
  if (before === undefined) return { set: [...after.values()], removed: [] }
  const set: T[] = []
  let kept = 0
  for (const [key, element] of after) {
    const old = before.get(key)
    if (old !== undefined) kept += 1
    // Most elements are the very objects of before; only the others need their digests compared.
    if (old !== element && old?.digest !== element.digest) set.push(element)
  }
  return { set, removed: kept === before.size ? [] : missing(before, after) }
}

function missing(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const keys: string[] = []
  for (const key of before.keys()) if (!after.has(key)) keys.push(key)
  return keys
}

function changeMap<T>(
  base: ReadonlyMap<string, T>,
  { set, removed }: Changed<T>,
  keyOfElement: (element: T) => string,
): ReadonlyMap<string, T> {
  if (set.length === 0 && removed.length === 0) return base
  const map = new Map(base)
  for (const key of removed) map.delete(key)
  for (const element of set) map.set(keyOfElement(element), element)
  return map
}
