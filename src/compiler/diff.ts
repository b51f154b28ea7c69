// Two compiled tables -> what the second one changed, in words for people (R30-20).
import { formatBalancingPolicy } from '../model/balancing-policy.ts'
import { type GenerationDiff, NO_DIFF } from '../model/generation-diff.ts'
import type { RedirectTarget } from '../model/policy.ts'
import type { Backend, Route, RouteAction, RouteTable, VirtualHost } from '../model/route-table.ts'
import { protocolWord } from '../model/upstream-tls.ts'
import { changedKeys } from './changed-keys.ts'
import { diffCertificates, diffTlsPolicies } from './diff-certificates.ts'
import { compareText } from './order.ts'

/**
 * What differs between two compiled generations; `before` undefined: there was none. Virtual hosts and backends that
 * are the very same object are passed over, so one change among 10,000 routes costs a walk over the hosts. The same
 * route from another object is no change, nor is `/foo/` in place of `/foo` in a Prefix.
 */
export function diffTables(before: RouteTable | undefined, after: RouteTable): GenerationDiff {
  if (before?.digest === after.digest) return NO_DIFF
  const { policiesChanged, ...hosts } = diffHosts(before?.hosts ?? new Map(), after.hosts)
  return {
    ...NO_DIFF,
    ...hosts,
    ...diffCertificates(before?.certificates, after.certificates),
    policiesChanged: [
      ...diffDefaultPolicy(before?.defaultRoute, after.defaultRoute),
      ...policiesChanged,
      ...diffTlsPolicies(before?.certificates, after.certificates),
    ],
    backendsChanged: diffBackends(before?.backends ?? new Map(), after.backends),
    defaultBackendChanged: targetOf(before?.defaultRoute) !== targetOf(after.defaultRoute),
  }
}

type HostMap = ReadonlyMap<string, VirtualHost>
type HostDiff = Pick<
  GenerationDiff,
  'routesAdded' | 'routesRemoved' | 'policiesChanged' | 'hostsAdded' | 'hostsRemoved'
>

function diffHosts(before: HostMap, after: HostMap): HostDiff {
  const changed = [...changedKeys(before, after)].toSorted(compareText)
  const routes = changed.map((name) => diffRoutes(linesOf(before.get(name)), linesOf(after.get(name))))
  return {
    routesAdded: routes.flatMap(({ added }) => added),
    routesRemoved: routes.flatMap(({ removed }) => removed),
    policiesChanged: routes.flatMap(({ repoliced }) => repoliced),
    hostsAdded: changed.filter((name) => !before.has(name)),
    hostsRemoved: changed.filter((name) => !after.has(name)),
  }
}

/** Where it leads to something else, that is told as another default backend. */
function diffDefaultPolicy(before: Route | undefined, after: Route | undefined): readonly string[] {
  if (!before || !after || targetOf(before) !== targetOf(after)) return []
  return policyOf(before) === policyOf(after) ? [] : [`(default) -> ${targetOf(after)}`]
}

interface RouteDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly repoliced: readonly string[]
}

function diffRoutes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): RouteDiff {
  const all = [...changedKeys(before, after)].toSorted(compareText)
  return {
    added: all.filter((line) => !before.has(line)),
    removed: all.filter((line) => !after.has(line)),
    repoliced: all.filter((line) => before.has(line) && after.has(line)),
  }
}

/** The routes of a host, as lines for people, each with the text of its policy. */
function linesOf(host: VirtualHost | undefined): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  if (!host) return lines
  for (const route of host.routes) lines.set(`${host.host} ${matchOf(route)} -> ${targetOf(route)}`, policyOf(route))
  const { fallback } = host
  if (fallback) lines.set(`${host.host} (default) -> ${targetOf(fallback)}`, policyOf(fallback))
  return lines
}

function matchOf({ match }: Route): string {
  switch (match.type) {
    case 'Prefix':
      return match.value === '' ? '/' : match.value
    case 'Exact':
      return `${match.value} (Exact)`
    case 'Regex':
      return `${match.pattern} (Regex)`
  }
}

function policyOf({ policy, httpsFirst }: Route): string {
  return JSON.stringify([policy ?? null, httpsFirst === true])
}

function targetOf(route: Route | undefined): string {
  return route === undefined ? 'nothing' : actionText(route.action)
}

function actionText(action: RouteAction): string {
  switch (action.kind) {
    case 'forward':
      return forwardText(action.backends)
    case 'refuse':
      return `503 (${action.reason})`
    case 'redirect':
      return `${action.status} ${locationText(action.location)}`
  }
}

function locationText({ template, keepsQuery }: RedirectTarget): string {
  const text = template.map((part) => (typeof part === 'string' ? part : `$${part}`)).join('')
  return keepsQuery ? text : `${text} without the query`
}

function forwardText(backends: Extract<RouteAction, { readonly kind: 'forward' }>['backends']): string {
  const [only] = backends
  if (only && backends.length === 1) return only.backend
  return backends.map(({ backend, weight }) => `${backend} (${weight})`).join(', ')
}

function diffBackends(before: ReadonlyMap<string, Backend>, after: ReadonlyMap<string, Backend>): readonly string[] {
  return [...changedKeys(before, after)].toSorted(compareText).flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)]
    // One that came or went has come or gone with its routes.
    return old && now && old.digest !== now.digest ? [`${name} ${changesOf(old, now).join(', ')}`] : []
  })
}

function changesOf(before: Backend, after: Backend): readonly string[] {
  return [
    ...changeOf('policy', formatBalancingPolicy(before.policy), formatBalancingPolicy(after.policy)),
    ...changeOf('addresses', addressesOf(before), addressesOf(after)),
    ...changeOf('slow start', `${before.slowStartMs ?? 0} ms`, `${after.slowStartMs ?? 0} ms`),
    ...changeOf('health check', checkOf(before), checkOf(after)),
    ...(headersOf(before) === headersOf(after) ? [] : ['headers of the health check']),
    ...changeOf('routing', routingOf(before), routingOf(after)),
    ...changeOf('protocol', protocolWord(before.protocol), protocolWord(after.protocol)),
    ...changeOf('TLS', tlsOf(before), tlsOf(after)),
  ]
}

function changeOf(what: string, before: string, after: string): readonly string[] {
  return before === after ? [] : [`${what} ${before}->${after}`]
}

function addressesOf({ fixedEndpoints }: Backend): string {
  const texts = fixedEndpoints?.map(({ address, weight }) => (weight === 1 ? address : `${address} (${weight})`))
  return texts?.toSorted(compareText).join(' ') ?? 'of the cluster'
}

function checkOf({ healthCheck }: Backend): string {
  if (healthCheck === undefined) return 'none'
  const { path, host, intervalMs, timeoutMs, healthy, unhealthy, statuses } = healthCheck
  const asked = host === undefined ? path : `${path} of ${host}`
  const good = statuses.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
  return `${asked} every ${intervalMs} ms within ${timeoutMs} ms (good ${good}; healthy ${healthy}, unhealthy ${unhealthy})`
}

// Their values may be secret (R42-19): that they differ is told, and not how.
function headersOf({ healthCheck }: Backend): string {
  return JSON.stringify(healthCheck?.headers ?? [])
}

// That the material differs is told, and not how.
function tlsOf({ tls }: Backend): string {
  if (tls === undefined) return 'none'
  const name = tls.serverName === undefined ? '' : ` ${tls.serverName}`
  return `${tls.verify ? 'verified' : 'not verified'}${name} (${tls.digest.slice(0, 8)})`
}

function routingOf({ dialsService }: Backend): string {
  return dialsService === true ? 'service' : 'endpoint'
}
