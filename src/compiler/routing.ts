// A candidate that holds its place -> a route, and what is told about its backend.
import type { RedirectTarget, RoutePolicy } from '../model/policy.ts'
import type { Route, RouteAction } from '../model/route-table.ts'
import { type BackendSources, resolveBackend } from './backends.ts'
import type { BackendRef, Contribution } from './contribution.ts'
import type { ContributionIndex } from './contribution-index.ts'
import { type Finding, quote } from './finding.ts'

/** What routes are made with. */
export interface RoutingSources extends BackendSources {
  /** Names of the backends that a guard closes for everybody (R11-163). */
  readonly closedBackends: ReadonlySet<string>
  /** Names of those that nobody can dial in the way that is asked for (R50-17). */
  readonly undialable: ReadonlySet<string>
  /** By server name, those with TLS entries for it. */
  readonly tlsNames: ContributionIndex
  /** Whether an object without rules answers for whatever is left over, everywhere (R10-44). */
  readonly hasCommonDefault: boolean
}

/** A route that sends requests to a backend: whom to tell when that backend has no endpoint. */
export interface BackendUse {
  readonly backend: string
  readonly object: Contribution['object']
  readonly field: string
  /** The path and host, for the message. */
  readonly label: string
}

/** Where requests of a route go. */
export interface Routed {
  readonly action: RouteAction
  /** Of the backend, or the reference in words: part of the route's identity. */
  readonly backend: string
  /** The backend that a guard could close, whether it does or not; `undefined` where there is none. */
  readonly closable: string | undefined
  readonly use: BackendUse | undefined
  readonly findings: readonly Finding[]
}

/** Decides where requests go that are for `ref`. `isClosed`: a guard of the location or the host closes the route. */
export function routeTo(
  ref: BackendRef,
  asked: { readonly object: Contribution['object']; readonly label: string; readonly isClosed: boolean },
  sources: RoutingSources,
): Routed {
  const { object, label } = asked
  const target = resolveBackend(ref, sources)
  const backend = target.name
  if (target.kind === 'refused') {
    const { warning: reason, problem, cause } = target
    const effect = 'such requests are answered 503'
    const finding = { reason, object, field: ref.field, found: `${label} ${problem}`, effect }
    const action = refuse(asked.isClosed ? 'access-rule' : target.reason)
    return { action, backend, closable: undefined, use: undefined, findings: cause ? [finding, cause] : [finding] }
  }
  if (asked.isClosed || sources.closedBackends.has(backend)) {
    return { action: refuse('access-rule'), backend, closable: backend, use: undefined, findings: [] }
  }
  if (sources.undialable.has(backend)) {
    const found = `${label} goes to ${quote(backend)}, a headless Service whose port has a name for its targetPort`
    const finding = { object, field: `${ref.field}.port`, found, effect: 'such requests are answered 503' }
    const findings = [{ ...finding, reason: 'UnsupportedValue' as const }]
    return { action: refuse('unsupported-backend'), backend, closable: backend, use: undefined, findings }
  }
  const use = { backend, object, field: ref.field, label }
  return { action: forward(backend), backend, closable: backend, use, findings: [] }
}

/** Requests are sent elsewhere, unless a guard closes the route: whether the backend exists does not matter then. */
export function redirected(routed: Routed, location: RedirectTarget): Routed {
  const { action } = routed
  if (action.kind === 'refuse' && action.reason === 'access-rule') return routed
  return { ...routed, action: { kind: 'redirect', status: 302, location }, use: undefined, findings: [] }
}

/** The route with the limits of its object: only what is forwarded has any. */
export function withPolicy(route: Route, policy: RoutePolicy | undefined): Route {
  return policy && route.action.kind === 'forward' ? { ...route, policy } : route
}

/** The route with its https redirect, where one is due; what a guard closes is closed for everybody (R11-9). */
export function withHttps(route: Route, isDue: boolean): Route {
  const isClosed = route.action.kind === 'refuse' && route.action.reason === 'access-rule'
  return isDue && !isClosed ? { ...route, httpsFirst: true } : route
}

/** The route that takes what no path takes, of a host or of the table; `place` says of which. */
export function fallbackRoute(place: string, by: Contribution['object'], source: Route['source'], to: Routed): Route {
  return {
    id: `${place} default ${to.backend}`,
    match: { type: 'Prefix', value: '' },
    path: '/',
    pathType: 'Prefix',
    action: to.action,
    source,
    origin: { ...by, rule: 'default' },
  }
}

/** What takes the paths of a closed host that no rule names. */
export function closedRoute(host: string, { object, source }: Contribution): Route {
  const to = { action: refuse('access-rule'), backend: '', closable: undefined, use: undefined, findings: [] }
  return fallbackRoute(host, object, source, to)
}

function refuse(reason: Extract<RouteAction, { kind: 'refuse' }>['reason']): RouteAction {
  return { kind: 'refuse', reason }
}

function forward(backend: string): RouteAction {
  return { kind: 'forward', backends: [{ backend, weight: 1 }] }
}
