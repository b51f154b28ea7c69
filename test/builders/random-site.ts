// A small configuration that changes at random, as a table, as a routes file, and as what a client may be answered.
import { formatBalancingPolicy } from '../../src/model/balancing-policy.ts'
import { digestOfBackend, digestOfEndpoints, digestOfVirtualHost } from '../../src/model/elements.ts'
import type { BackendEndpoints } from '../../src/model/endpoint-table.ts'
import type { Tables } from '../../src/model/generation.ts'
import type { Backend, BalancingPolicy, PathMatch, Route, VirtualHost } from '../../src/model/route-table.ts'
import { withEndpointsDigest, withRoutesDigest } from './pair.ts'
import { backend as backendWith, endpoint as endpointWith, route as routeWith } from './route-table.ts'

/** An origin by its name, with its share. */
export interface SiteEndpoint {
  readonly origin: string
  readonly weight: number
}

export interface SiteBackend {
  readonly policy: BalancingPolicy
  readonly endpoints: readonly SiteEndpoint[]
}

export interface SiteRoute {
  readonly type: 'Exact' | 'Prefix'
  readonly path: string
  readonly backend: string
}

export interface Site {
  readonly backends: ReadonlyMap<string, SiteBackend>
  readonly hosts: ReadonlyMap<string, readonly SiteRoute[]>
  /** Backend of what no route takes. */
  readonly fallback: string | undefined
  /** Counts up, so that names that come are new. */
  readonly edits: number
}

/** Paths that routes have, and some that none has. */
export const SITE_PATHS = ['/', '/a', '/a/b', '/a/b/c', '/c', '/cc'] as const

const BY_PATH: BalancingPolicy = { kind: 'hash', key: [{ kind: 'uri' }] }
const POLICIES: readonly BalancingPolicy[] = ['roundRobin', 'leastConn', 'random', 'ewma', BY_PATH]
const HOSTS = 12
const BACKENDS = 8

/** Picks of one seed: equal seeds give equal sites. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1): mulberry32. */
  point(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  pick<T>(values: readonly T[]): T {
    const picked = values[Math.floor(this.point() * values.length)]
    if (picked === undefined) throw new RangeError('there is nothing to pick from')
    return picked
  }
}

export function randomSite(dice: Dice, origins: readonly string[]): Site {
  let site: Site = { backends: new Map(), hosts: new Map(), fallback: undefined, edits: 0 }
  for (let n = 0; n < BACKENDS; n += 1) site = withNewBackend(site, dice, origins)
  for (let n = 0; n < HOSTS; n += 1) site = withNewHost(site, dice)
  return site
}

/** `site` with one thing changed. */
export function editSite(site: Site, dice: Dice, origins: readonly string[]): Site {
  const edit = dice.pick(EDITS)
  return edit({ ...site, edits: site.edits + 1 }, dice, origins)
}

/** What a request may be answered with: names of origins, or a status. */
export function answersOf(site: Site, host: string, path: string): ReadonlySet<string> {
  const routes = site.hosts.get(host) ?? []
  const name = routes.find((one) => takes(one, path))?.backend ?? site.fallback
  if (name === undefined) return new Set(['404'])
  const live = site.backends.get(name)?.endpoints.filter(({ weight }) => weight > 0) ?? []
  return live.length > 0 ? new Set(live.map(({ origin }) => origin)) : new Set(['503'])
}

/** The tables of `site`; an origin is dialled at its address. */
export function tablesOfSite(site: Site, addressOf: ReadonlyMap<string, string>): Tables {
  const hosts = [...site.hosts].map(([host, routes]) => hostOf(host, routes))
  const used = new Set([...site.hosts.values()].flatMap((routes) => routes.map(({ backend }) => backend)))
  if (site.fallback !== undefined) used.add(site.fallback)
  const entries = [...site.backends].filter(([name]) => used.has(name))
  return {
    routes: withRoutesDigest({
      hosts: new Map(hosts.map((host) => [host.host, host])),
      backends: new Map(entries.map(([name, one]) => [name, backendOf(name, one)])),
      defaultRoute:
        site.fallback === undefined ? undefined : routeOf('', { type: 'Prefix', path: '/', backend: site.fallback }),
    }),
    endpoints: withEndpointsDigest(entries.map(([name, one]) => endpointsOf(name, one, addressOf))),
  }
}

/** The fields of a routes file. */
export interface RoutesDocument {
  readonly defaultBackend?: string
  readonly backends: readonly object[]
  readonly routes: readonly object[]
}

/** `site` as a routes file. */
export function fileOfSite(site: Site, addressOf: ReadonlyMap<string, string>): RoutesDocument {
  const backends = [...site.backends].map(([name, { policy, endpoints }]) => ({
    name,
    policy: formatBalancingPolicy(policy),
    endpoints: endpoints.map(({ origin, weight }) => ({ address: addressOf.get(origin), weight })),
  }))
  const routes = [...site.hosts].flatMap(([host, ofHost]) =>
    ofHost.map(({ type, path, backend }) => ({ host, path, pathType: type, backend })),
  )
  const fallback = site.fallback === undefined ? {} : { defaultBackend: site.fallback }
  return { ...fallback, backends, routes }
}

type Edit = (site: Site, dice: Dice, origins: readonly string[]) => Site

const EDITS: readonly Edit[] = [
  (site, dice) => withRoutes(site, dice, (routes) => [randomRoute(site, dice), ...routes]),
  (site, dice) => withRoutes(site, dice, (routes) => without(routes, dice)),
  (site, dice) => withRoutes(site, dice, (routes) => [randomRoute(site, dice), ...without(routes, dice)]),
  (site, dice) => withReplacedHost(site, dice),
  (site, dice, origins) => withReplacedBackend(site, dice, origins),
  (site, dice, origins) => withBackend(site, dice, (one) => ({ ...one, endpoints: grown(one, dice, origins) })),
  (site, dice) => withBackend(site, dice, (one) => ({ ...one, endpoints: without(one.endpoints, dice) })),
  (site, dice, origins) => withBackend(site, dice, (one) => ({ ...one, endpoints: randomEndpoints(dice, origins) })),
  (site, dice) => withBackend(site, dice, (one) => ({ ...one, endpoints: reweighed(one, dice) })),
  (site, dice) => withBackend(site, dice, (one) => ({ ...one, policy: dice.pick(POLICIES) })),
  (site, dice) => ({ ...site, fallback: dice.point() < 0.5 ? undefined : dice.pick([...site.backends.keys()]) }),
]

function withRoutes(site: Site, dice: Dice, change: (routes: readonly SiteRoute[]) => readonly SiteRoute[]): Site {
  const host = dice.pick([...site.hosts.keys()])
  return { ...site, hosts: new Map(site.hosts).set(host, inOrder(change(site.hosts.get(host) ?? []))) }
}

function withBackend(site: Site, dice: Dice, change: (backend: SiteBackend) => SiteBackend): Site {
  const [name, before] = dice.pick([...site.backends])
  const { policy, endpoints } = change(before)
  // In one order, as the compiler has them: to change places is no change.
  const sorted = endpoints.toSorted((a, b) => a.origin.localeCompare(b.origin))
  return { ...site, backends: new Map(site.backends).set(name, { policy, endpoints: sorted }) }
}

function withNewHost(site: Site, dice: Dice): Site {
  const routes = inOrder([randomRoute(site, dice), randomRoute(site, dice), randomRoute(site, dice)])
  const host = `h-${site.edits}-${site.hosts.size}.example`
  return { ...site, hosts: new Map(site.hosts).set(host, routes) }
}

function withReplacedHost(site: Site, dice: Dice): Site {
  const old = dice.pick([...site.hosts.keys()])
  return withNewHost({ ...site, hosts: withoutKey(site.hosts, old) }, dice)
}

function withNewBackend(site: Site, dice: Dice, origins: readonly string[]): Site {
  const made = { policy: dice.pick(POLICIES), endpoints: randomEndpoints(dice, origins) }
  return { ...site, backends: new Map(site.backends).set(`b-${site.edits}-${site.backends.size}`, made) }
}

/** A backend goes, and a new one takes its place in every route. */
function withReplacedBackend(site: Site, dice: Dice, origins: readonly string[]): Site {
  const old = dice.pick([...site.backends.keys()])
  const made = withNewBackend({ ...site, backends: withoutKey(site.backends, old) }, dice, origins)
  const name = [...made.backends.keys()].at(-1) ?? old
  const moved = (backend: string): string => (backend === old ? name : backend)
  const hosts = [...made.hosts].map(([host, routes]): [string, readonly SiteRoute[]] => [
    host,
    routes.map((one) => ({ ...one, backend: moved(one.backend) })),
  ])
  return { ...made, hosts: new Map(hosts), fallback: made.fallback === undefined ? undefined : moved(made.fallback) }
}

function withoutKey<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  return new Map([...map].filter(([name]) => name !== key))
}

function randomRoute(site: Site, dice: Dice): SiteRoute {
  const type = dice.pick(['Exact', 'Prefix'] as const)
  return { type, path: dice.pick(SITE_PATHS), backend: dice.pick([...site.backends.keys()]) }
}

function randomEndpoints(dice: Dice, origins: readonly string[]): readonly SiteEndpoint[] {
  const chosen = new Set([dice.pick(origins), dice.pick(origins)])
  return [...chosen].toSorted().map((origin) => ({ origin, weight: 1 }))
}

function grown({ endpoints }: SiteBackend, dice: Dice, origins: readonly string[]): readonly SiteEndpoint[] {
  const origin = dice.pick(origins)
  const others = endpoints.filter((one) => one.origin !== origin)
  return [{ origin, weight: 1 }, ...others].slice(0, MAX_ENDPOINTS)
}

function reweighed({ endpoints }: SiteBackend, dice: Dice): readonly SiteEndpoint[] {
  return endpoints.map(({ origin }) => ({ origin, weight: dice.pick([0, 1, 2, 7]) }))
}

function without<T>(values: readonly T[], dice: Dice): readonly T[] {
  const gone = Math.floor(dice.point() * values.length)
  return values.filter((_one, index) => index !== gone)
}

const MAX_ENDPOINTS = 4

/** As they take precedence, the newest of two that are alike alone: Exact, then longer prefixes; one order for each set. */
function inOrder(routes: readonly SiteRoute[]): readonly SiteRoute[] {
  const newest = routes.filter(
    ({ type, path }, index) => routes.findIndex((one) => one.type === type && one.path === path) === index,
  )
  return newest.toSorted(
    (a, b) => a.type.localeCompare(b.type) || b.path.length - a.path.length || a.path.localeCompare(b.path),
  )
}

function takes({ type, path }: SiteRoute, asked: string): boolean {
  if (type === 'Exact') return asked === path
  return path === '/' || asked === path || asked.startsWith(`${path}/`)
}

function hostOf(host: string, routes: readonly SiteRoute[]): VirtualHost {
  const fields = { host, routes: routes.map((one) => routeOf(host, one)), fallback: undefined }
  return { ...fields, digest: digestOfVirtualHost(fields) }
}

function routeOf(host: string, { type, path, backend }: SiteRoute): Route {
  const match: PathMatch = { type, value: type === 'Prefix' && path === '/' ? '' : path }
  return routeWith(match, {
    id: `${host} ${type} ${path} ${backend}`,
    action: { kind: 'forward', backends: [{ backend, weight: 1 }] },
  })
}

function backendOf(name: string, { policy }: SiteBackend): Backend {
  const one = backendWith(name, { policy })
  return { ...one, digest: digestOfBackend(one) }
}

function endpointsOf(
  name: string,
  { endpoints }: SiteBackend,
  addressOf: ReadonlyMap<string, string>,
): BackendEndpoints {
  const dialled = endpoints.map(({ origin, weight }) => endpointWith(addressOf.get(origin) ?? '', { weight }))
  const fields = { backend: name, endpoints: dialled }
  return { ...fields, digest: digestOfEndpoints(fields) }
}
