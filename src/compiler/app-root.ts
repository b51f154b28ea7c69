// Where a request for exactly `/` of a host is sent (R11-48).
import { buildRegexSet, NO_MATCH, TOO_COSTLY } from '../lib/regex-set.ts'
import type { Route, VirtualHost } from '../model/route-table.ts'
import type { Contribution } from './contribution.ts'

const ROOT = '/'
const ROOT_BYTES: Uint8Array = Uint8Array.of(0x2f)

/**
 * The routes of a host that sends `/` to `appRoot`: the redirect stands in the place of the route that takes `/`, so what
 * guards that one guards it too. Where none does, it is `by`'s.
 */
export function withAppRoot(
  { host, routes, fallback }: Omit<VirtualHost, 'digest'>,
  appRoot: string,
  by: Pick<Contribution, 'object' | 'source'>,
): readonly Route[] {
  const taker = takerOfRoot({ routes, fallback })
  if (taker && isGuarded(taker)) return routes
  const location = { base: 'origin', template: [appRoot], keepsQuery: false } as const
  const redirect: Route = {
    id: `${host} Exact app-root ${ROOT}`,
    match: { type: 'Exact', value: ROOT },
    path: ROOT,
    pathType: 'Exact',
    action: { kind: 'redirect', status: 302, location },
    source: taker?.source ?? by.source,
    origin: taker?.origin ?? { ...by.object, rule: 'app-root' },
    ...(taker?.httpsFirst === true ? { httpsFirst: true as const } : {}),
  }
  return [redirect, ...routes.filter(({ match }) => match.type !== 'Exact' || match.value !== ROOT)]
}

/** The route that takes `/` of a host. */
export function takerOfRoot({ routes, fallback }: Pick<VirtualHost, 'routes' | 'fallback'>): Route | undefined {
  return routeOfRoot(routes) ?? fallback
}

/** By the order of R10-26. */
function routeOfRoot(routes: readonly Route[]): Route | undefined {
  const literal = (type: 'Exact' | 'Prefix', value: string): Route | undefined =>
    routes.find(({ match }) => match.type === type && match.value === value)
  return literal('Exact', ROOT) ?? literal('Prefix', '') ?? regexOfRoot(routes)
}

function regexOfRoot(routes: readonly Route[]): Route | undefined {
  const regexes = routes.flatMap((route) =>
    route.match.type === 'Regex' ? [{ route, text: route.match.pattern }] : [],
  )
  if (regexes.length === 0) return undefined
  const index = buildRegexSet(regexes).match(ROOT_BYTES, 0, ROOT_BYTES.length)
  return index === NO_MATCH || index === TOO_COSTLY ? undefined : regexes[index]?.route
}

function isGuarded({ action }: Route): boolean {
  return action.kind === 'refuse' && action.reason === 'access-rule'
}
