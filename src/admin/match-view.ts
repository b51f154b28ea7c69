// GET /admin/match: which route takes a request, and why each nearer candidate does not.
import { parseAuthority } from '../lib/host-name.ts'
import { canonicalPath } from '../lib/request-path.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Pair } from '../model/generation.ts'
import type { MatchExplanation, PassedRoute } from '../model/match-explanation.ts'
import type { Route } from '../model/route-table.ts'
import { objectView } from './views.ts'

/** What one asks, as it was written. */
export interface MatchQuery {
  readonly host: string
  /** With or without a query. */
  readonly path: string
  readonly method: string
  /** `Name: value` each. No rule of this build looks at the method or at a header. */
  readonly headers: readonly string[]
}

export interface MatchSource {
  /** `undefined`: nothing is served yet. */
  readonly pair: Pair | undefined
  /** By the router that serves; host and path in their one form. */
  readonly explain: (pair: Pair, host: string, path: string) => MatchExplanation
}

const METHOD = /^[A-Z][A-Z-]{0,30}$/
const HEADER = /^[!#$%&'*+\-.^_`|~\w]+:.{0,4096}$/

/** The document, version 1; the error says what is wrong with the question. */
export function matchView({ pair, explain }: MatchSource, query: MatchQuery): Result<unknown, string> {
  const host = parseAuthority(query.host)
  if (host === undefined) return err('host is no host that a request could name')
  const path = canonicalPath(query.path.split('?')[0] ?? '')
  if (!path.ok) return err(`the path ${path.error}`)
  if (!METHOD.test(query.method)) return err('method must be a method such as GET')
  if (!query.headers.every((header) => HEADER.test(header))) return err('header must be NAME: VALUE')
  const found = pair && explain(pair, host, path.value)
  return ok({
    version: 1,
    generation: pair?.generation.number ?? 0,
    digest: pair?.generation.digest ?? null,
    endpointsVersion: pair?.endpoints.version ?? 0,
    host,
    path: path.value,
    virtual_host: found?.host ?? null,
    by: found?.by ?? 'none',
    route: found?.route ? routeView(found.route, pair) : null,
    passed_over: found?.passed.map(passedView) ?? [],
    left_out: found?.leftOut ?? 0,
  })
}

function passedView({ route, why }: PassedRoute): unknown {
  return { path: route.path, path_type: route.pathType, object: originView(route), why: `the path ${why}` }
}

function routeView(route: Route, pair: Pair | undefined): unknown {
  const { path, pathType, action } = route
  const backends = action.kind === 'forward' ? action.backends : []
  return {
    path,
    path_type: pathType,
    object: originView(route),
    action: action.kind,
    refused: action.kind === 'refuse' ? action.reason : null,
    https_first: route.httpsFirst === true,
    redirect_status: action.kind === 'redirect' ? action.status : null,
    backends: backends.map(({ backend, weight }) => ({
      backend,
      weight,
      endpoints: pair?.endpoints.table.byBackend.get(backend)?.endpoints.length ?? 0,
    })),
  }
}

function originView({ origin }: Route): unknown {
  return { ...objectView(origin), rule: origin.rule }
}
