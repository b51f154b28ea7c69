// From the bytes of a request to the decision about it.
import { hash32 } from '../lib/hash.ts'
import type { Steps } from '../lib/steps.ts'
import type { RouteTable, VirtualHost } from '../model/route-table.ts'
import type { Decision } from './decision.ts'
import { decisionOf, HostRoutes } from './host-routes.ts'
import { HostIndex } from './match-host.ts'
import type { RequestView } from './request-view.ts'

export type { HostRoutes } from './host-routes.ts'

/**
 * Decides what happens to a request, in an order that R10-12, R10-13 and R10-26 give: the host first, and within it
 * Exact, the longest Prefix, the regexes in order, the host's fallback, the table's default route; else 404. Allocates
 * nothing per request (R80-18).
 */
export interface Router {
  /** What is decided for the request. */
  route(view: RequestView): Decision
  /**
   * The routes that the name `bytes[start, end)` is served by. A connection may keep them for its next request, as long
   * as it asks the same router.
   */
  findHost(bytes: Uint8Array, start: number, end: number): HostRoutes
  /** What is decided for the path of `view` within a host that this router gave. */
  findRoute(host: HostRoutes, view: RequestView): Decision
}

const NO_ROUTE: Decision = { kind: 'respond', reason: 'no-route', route: undefined }

/**
 * A router for `table`. Of a `previous` one it takes over the built part of every virtual host that is the very same
 * object, and where no name came or went the index of names too, so that a change costs the hosts it changes.
 */
export function buildRouter(table: RouteTable, previous?: Router): Router {
  const before = previous instanceof TableRouter ? previous : undefined
  const built = before?.built ?? new WeakMap<VirtualHost, HostRoutes>()
  const virtualHosts = [...table.hosts.values()]
  const changed = before && changedHosts(before.virtualHosts, virtualHosts)
  // Other names of a host share its list, and there may be thousands: of patterns each would take milliseconds (R11-44).
  const alike = new Map<VirtualHost['routes'], HostRoutes>()
  const hosts = (changed ?? virtualHosts).map((virtualHost) => {
    const routes = built.get(virtualHost) ?? buildHost(virtualHost, alike.get(virtualHost.routes), built)
    alike.set(virtualHost.routes, routes)
    return { name: virtualHost.host, routes }
  })
  const index = changed && before ? before.index.with(hosts) : HostIndex.of(hosts, hash32(table.digest))
  return new TableRouter({ table, virtualHosts, built, index })
}

/**
 * Builds the parts of these hosts step by step: the router after `previous` takes them over, whose own building is then
 * short.
 */
export function* buildAhead(previous: Router, virtualHosts: readonly VirtualHost[]): Steps<void> {
  if (!(previous instanceof TableRouter)) return
  const alike = new Map<VirtualHost['routes'], HostRoutes>()
  for (const virtualHost of virtualHosts) {
    const { built } = previous
    const routes = built.get(virtualHost) ?? buildHost(virtualHost, alike.get(virtualHost.routes), built)
    alike.set(virtualHost.routes, routes)
    yield
  }
}

interface RouterParts {
  readonly table: RouteTable
  readonly virtualHosts: readonly VirtualHost[]
  readonly built: WeakMap<VirtualHost, HostRoutes>
  readonly index: HostIndex
}

class TableRouter implements Router {
  /** In the order of their table. */
  readonly virtualHosts: readonly VirtualHost[]
  /** What was built for a virtual host, as long as somebody serves or keeps it. For the router after this one. */
  readonly built: WeakMap<VirtualHost, HostRoutes>
  readonly index: HostIndex
  readonly #unclaimed: HostRoutes = new HostRoutes(undefined)
  readonly #default: Decision

  constructor({ table, virtualHosts, built, index }: RouterParts) {
    this.virtualHosts = virtualHosts
    this.built = built
    this.index = index
    this.#default = table.defaultRoute ? decisionOf(table.defaultRoute, false) : NO_ROUTE
  }

  route(view: RequestView): Decision {
    return this.findRoute(this.findHost(view.bytes, view.hostStart, view.hostEnd), view)
  }

  findHost(bytes: Uint8Array, start: number, end: number): HostRoutes {
    return this.index.find(bytes, start, end) ?? this.#unclaimed
  }

  findRoute(host: HostRoutes, view: RequestView): Decision {
    return host.find(view) ?? host.fallback ?? this.#default
  }
}

/** Those of `after` that are not in `before`; `undefined` where the names or their order differ. */
function changedHosts(before: readonly VirtualHost[], after: readonly VirtualHost[]): VirtualHost[] | undefined {
  if (before.length !== after.length) return undefined
  const changed: VirtualHost[] = []
  for (const [at, virtualHost] of after.entries()) {
    const old = before[at]
    if (old === virtualHost) continue
    if (old?.host !== virtualHost.host) return undefined
    changed.push(virtualHost)
  }
  return changed
}

function buildHost(
  virtualHost: VirtualHost,
  alike: HostRoutes | undefined,
  built: WeakMap<VirtualHost, HostRoutes>,
): HostRoutes {
  const routes = new HostRoutes(virtualHost, alike)
  built.set(virtualHost, routes)
  return routes
}
