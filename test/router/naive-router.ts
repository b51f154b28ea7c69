// A slow, obvious router for the property tests: it reads the table as the rules are written and keeps nothing.
import { RE2JS } from 're2js'
import type { PathMatch, Route, RouteTable, VirtualHost } from '../../src/model/route-table.ts'
import type { Decision } from '../../src/router/decision.ts'

export function naiveRoute(table: RouteTable, host: string, path: string): Decision {
  const virtualHost = naiveHost(table, host)
  const routes = virtualHost?.routes ?? []
  const exact = routes.find(({ match }) => match.type === 'Exact' && matches(match, path))
  if (exact) return decide(exact, true)
  const prefixes = routes.filter(({ match }) => match.type === 'Prefix' && matches(match, path))
  const longest = Math.max(...prefixes.map(lengthOf))
  const prefix = prefixes.find((route) => lengthOf(route) === longest)
  if (prefix) return decide(prefix, true)
  const regexes = routes.filter(({ match }) => match.type === 'Regex')
  if (regexes.length > 0 && path.length > 2048) return { kind: 'respond', reason: 'target-too-long', route: undefined }
  const regex = regexes.find(({ match }) => matches(match, path))
  if (regex) return decide(regex, true)
  const fallback = virtualHost?.fallback ?? table.defaultRoute
  return fallback ? decide(fallback, false) : { kind: 'respond', reason: 'no-route', route: undefined }
}

function naiveHost(table: RouteTable, host: string): VirtualHost | undefined {
  const [, ...rest] = host.split('.')
  return table.hosts.get(host) ?? table.hosts.get(`*.${rest.join('.')}`) ?? table.hosts.get('*')
}

function matches(match: PathMatch, path: string): boolean {
  switch (match.type) {
    case 'Exact':
      return path === match.value
    case 'Prefix':
      return `${path}/`.startsWith(`${match.value}/`)
    case 'Regex':
      return RE2JS.compile(match.pattern, RE2JS.CASE_INSENSITIVE).matcher(path).lookingAt()
  }
}

function lengthOf({ match }: Route): number {
  return match.type === 'Prefix' ? match.value.length : 0
}

function decide(route: Route, matched: boolean): Decision {
  const { action } = route
  switch (action.kind) {
    case 'forward':
      return { kind: 'forward', route, captures: undefined, matched }
    case 'redirect':
      return { kind: 'redirect', route, action, captures: undefined, matched }
    case 'refuse':
      return { kind: 'respond', reason: action.reason, route }
  }
}
