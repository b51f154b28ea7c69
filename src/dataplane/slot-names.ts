// The names in a pair that own a row of the counters: ids of routes and addresses of endpoints.
import type { BackendEndpoints, Endpoint } from '../model/endpoint-table.ts'
import type { Pair } from '../model/generation.ts'
import type { Backend, Route, VirtualHost } from '../model/route-table.ts'
import type { Changed, PairDelta } from './delta.ts'
import type { NameChange, NameSpace } from './slots.ts'

/** How the ids of routes change when `delta` is put onto `base`. */
export function routeNameChanges(base: Pair | undefined, delta: PairDelta): NameChange[] {
  const before = base?.generation.routes
  const changes = changesOf('configuration', delta.hosts, {
    before: before?.hosts,
    keyOf: ({ host }: VirtualHost) => host,
    namesOf: routeIds,
  })
  if (delta.defaultRoute) {
    pushNames(changes, 'configuration', { names: idsOf(before?.defaultRoute), by: -1 })
    pushNames(changes, 'configuration', { names: idsOf(delta.defaultRoute.route), by: 1 })
  }
  return changes
}

/** As `routeNameChanges`, for the addresses of endpoints: the live ones, and those written in the configuration. */
export function endpointNameChanges(base: Pair | undefined, delta: PairDelta): NameChange[] {
  const live = changesOf('live', delta.endpoints, {
    before: base?.endpoints.table.byBackend,
    keyOf: ({ backend }: BackendEndpoints) => backend,
    namesOf: ({ endpoints }) => addressesOf(endpoints),
  })
  const fixed = changesOf('configuration', delta.backends, {
    before: base?.generation.routes.backends,
    keyOf: ({ name }: Backend) => name,
    namesOf: ({ fixedEndpoints }) => addressesOf(fixedEndpoints ?? []),
  })
  return [...live, ...fixed]
}

/** Ids of the routes that `delta` brings. */
export function routeNamesOf(delta: PairDelta): string[] {
  return [...delta.hosts.set.flatMap(routeIds), ...idsOf(delta.defaultRoute?.route)]
}

/** Addresses of the endpoints that `delta` brings. */
export function endpointNamesOf(delta: PairDelta): string[] {
  return delta.endpoints.set.flatMap(({ endpoints }) => addressesOf(endpoints))
}

interface Source<T> {
  readonly before: ReadonlyMap<string, T> | undefined
  readonly keyOf: (element: T) => string
  readonly namesOf: (element: T) => readonly string[]
}

function changesOf<T>(space: NameSpace, changed: Changed<T>, { before, keyOf, namesOf }: Source<T>): NameChange[] {
  const changes: NameChange[] = []
  const drop = (key: string): void => {
    const old = before?.get(key)
    if (old !== undefined) pushNames(changes, space, { names: namesOf(old), by: -1 })
  }
  for (const key of changed.removed) drop(key)
  for (const element of changed.set) {
    drop(keyOf(element))
    pushNames(changes, space, { names: namesOf(element), by: 1 })
  }
  return changes
}

function pushNames(
  changes: NameChange[],
  space: NameSpace,
  { names, by }: { readonly names: readonly string[]; readonly by: number },
): void {
  for (const name of names) changes.push({ space, name, by })
}

function routeIds({ routes, fallback }: VirtualHost): string[] {
  return [...routes.map(({ id }) => id), ...idsOf(fallback)]
}

function idsOf(route: Route | undefined): string[] {
  return route ? [route.id] : []
}

function addressesOf(endpoints: readonly Endpoint[]): string[] {
  return endpoints.map(({ address }) => address)
}
