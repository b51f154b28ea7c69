// Which route takes a request and why none before it does, by the router that serves.
import { bytesOf } from '../lib/bytes-of.ts'
import { wildcardOver } from '../lib/host-name.ts'
import type { MatchExplanation, PassedRoute } from '../model/match-explanation.ts'
import { ANY_HOST, type Route, type RouteTable, type VirtualHost } from '../model/route-table.ts'
import type { Decision } from './decision.ts'
import { buildRouter } from './router.ts'

const SHOWN = 100

/** Explains the decision about `host` and `path`, both in their one form; `''`: the request names no host. */
export function explainMatch(table: RouteTable, host: string, path: string): MatchExplanation {
  // The hosts that the name could belong to are enough, and there may be 10,000.
  const router = buildRouter({ ...table, hosts: candidatesOf(table, host) })
  const bytes = bytesOf(`${host}${path}`)
  const [hostEnd, pathEnd] = [host.length, bytes.length]
  const routes = router.findHost(bytes, 0, hostEnd)
  const decision = router.findRoute(routes, { bytes, hostStart: 0, hostEnd, pathStart: hostEnd, pathEnd })
  const passed = passedBy(routes.virtualHost, decision.route)
  return {
    host: routes.virtualHost?.host,
    route: decision.route,
    by: byOf(decision, routes.virtualHost),
    passed: passed.slice(0, SHOWN),
    leftOut: Math.max(0, passed.length - SHOWN),
  }
}

function candidatesOf({ hosts }: RouteTable, host: string): ReadonlyMap<string, VirtualHost> {
  const found = [host, wildcardOver(host), ANY_HOST].flatMap((name) => {
    const virtualHost = hosts.get(name)
    return virtualHost ? [[name, virtualHost] as const] : []
  })
  return new Map(found)
}

/** Routes are in order of precedence, so all before the one that takes it were asked and did not. */
function passedBy(host: VirtualHost | undefined, taken: Route | undefined): readonly PassedRoute[] {
  const routes = host?.routes ?? []
  const index = taken === undefined ? -1 : routes.indexOf(taken)
  return (index < 0 ? routes : routes.slice(0, index)).map((route) => ({ route, why: whyNot(route) }))
}

function whyNot({ match }: Route): string {
  switch (match.type) {
    case 'Exact':
      return `is not "${match.value}"`
    case 'Prefix':
      return `is not below "${match.value}"`
    case 'Regex':
      return `does not match ${match.pattern}`
  }
}

function byOf(decision: Decision, host: VirtualHost | undefined): MatchExplanation['by'] {
  if (decision.route === undefined) return 'none'
  return host?.routes.includes(decision.route) === true ? 'path' : 'default'
}
