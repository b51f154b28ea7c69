// The contributions that meet in a host -> its virtual host.
import { digestOfVirtualHost } from '../model/elements.ts'
import type { Route, VirtualHost } from '../model/route-table.ts'
import { serviceKeyOf } from './backends.ts'
import { changedKeys } from './changed-keys.ts'
import { type Claimed, nameOf, pathName, settleHost } from './conflicts.ts'
import type { BackendRef, Contribution } from './contribution.ts'
import type { Finding, Notes } from './finding.ts'
import type { Groups } from './groups.ts'
import { type MemberIndex, moveMembers } from './member-index.ts'
import { PersistentMap } from './persistent-map.ts'
import { hostName } from './read-ingress.ts'
import { type BackendUse, fallbackRoute, type Routed, type RoutingSources, routeTo } from './routing.ts'

/** A virtual host, and what it was compiled from. */
export interface HostOutcome {
  readonly virtualHost: VirtualHost
  /** `namespace/name` of every Service that was looked up, whether it exists or not. */
  readonly services: ReadonlySet<string>
  /** Every backend that a guard closes or could close here. */
  readonly closable: ReadonlySet<string>
  readonly uses: readonly BackendUse[]
}

export interface HostState {
  readonly outcomes: PersistentMap<HostOutcome>
  /** By Service the hosts that look it up. */
  readonly byService: MemberIndex
  readonly sources: RoutingSources
}

export interface HostChange {
  readonly host: string
  readonly before: HostOutcome | undefined
  readonly after: HostOutcome | undefined
}

interface HostStep {
  readonly state: HostState
  readonly changes: readonly HostChange[]
  readonly notes: Notes
}

export function emptyHosts(): HostState {
  const sources = { services: new Map(), fileBackends: new Map(), closedBackends: new Set<string>() }
  return { outcomes: new PersistentMap(), byService: new PersistentMap(), sources }
}

/** Compiles the hosts of `touched` and those that look up something that is another now. */
export function compileHosts(
  groups: Groups,
  touched: ReadonlySet<string>,
  sources: RoutingSources,
  last: HostState,
): HostStep {
  const changes: HostChange[] = []
  const notes = new Map<string, readonly Finding[]>()
  for (const host of new Set([...touched, ...staleHosts(last, sources)])) {
    const before = last.outcomes.get(host)
    const contributions = groups.byHost.get(host)
    const compiled = contributions ? compileHost(host, contributions, sources) : undefined
    notes.set(`host ${host}`, compiled?.findings ?? [])
    changes.push({ host, before, after: compiled && keepUnchanged(before, compiled.outcome) })
  }
  const outcomes = last.outcomes.with(changes.map(({ host, after }) => [host, after] as const))
  const moves = changes.map(({ host, before, after }) => ({
    member: host,
    before: before?.services ?? [],
    after: after?.services ?? [],
  }))
  const byService = moveMembers(last.byService, moves).index
  return { state: { outcomes, byService, sources }, changes, notes }
}

/** Hosts that looked up a Service which is another object now, or use a backend that was closed or opened. */
function staleHosts(last: HostState, sources: RoutingSources): readonly string[] {
  const services = changedKeys(last.sources.services, sources.services)
  const stale = [...services].flatMap((service) => [...(last.byService.get(service) ?? [])])
  const flipped = symmetricDifference(last.sources.closedBackends, sources.closedBackends)
  if (flipped.length === 0) return stale
  // Guards that are not built come and go seldom: no index is kept for them.
  const closed = [...last.outcomes.entries()].filter(([, { closable }]) => flipped.some((name) => closable.has(name)))
  return [...stale, ...closed.map(([host]) => host)]
}

function symmetricDifference(a: ReadonlySet<string>, b: ReadonlySet<string>): readonly string[] {
  return [...a, ...b].filter((name) => a.has(name) !== b.has(name))
}

// Workers are sent only objects that are new to them, so what came out the same stays the object it was.
function keepUnchanged(before: HostOutcome | undefined, after: HostOutcome): HostOutcome {
  const isSame = before && JSON.stringify(before.virtualHost) === JSON.stringify(after.virtualHost)
  return isSame ? { ...after, virtualHost: before.virtualHost } : after
}

function compileHost(
  host: string,
  contributions: readonly Contribution[],
  sources: RoutingSources,
): { readonly outcome: HostOutcome; readonly findings: readonly Finding[] } {
  const isHostClosed = contributions.some(({ closed }) => closed.host)
  const settled = settleHost(host, contributions)
  const routed = settled.kept.map(({ candidate, by }) => {
    const asked = { object: by.object, label: pathName(host, candidate), isClosed: isHostClosed || by.closed.location }
    return routeTo(candidate.backend, asked, sources)
  })
  const routes = settled.kept.map((claimed, index) => routeOf(host, claimed, routed[index]))
  const fallback = compileFallback(host, contributions, { isHostClosed, sources })
  const all = fallback.routed ? [...routed, fallback.routed] : routed
  const content = { host, routes, fallback: fallback.route }
  const refs = [...settled.kept.map(({ candidate }) => candidate.backend), ...fallback.refs]
  const outcome: HostOutcome = {
    virtualHost: { ...content, digest: digestOfVirtualHost(content) },
    services: new Set(refs.flatMap((ref) => serviceKeyOf(ref) ?? [])),
    closable: new Set(all.flatMap(({ closable }) => closable ?? [])),
    uses: all.flatMap(({ use }) => use ?? []),
  }
  return { outcome, findings: [...settled.findings, ...all.flatMap(({ findings }) => findings), ...fallback.findings] }
}

function routeOf(host: string, { candidate, by }: Claimed, routed: Routed | undefined): Route {
  const { match, path, pathType, origin } = candidate
  const action = routed?.action ?? { kind: 'refuse', reason: 'unresolved-service' }
  // A path begins with "/" and a host holds no space, so the parts cannot run into each other.
  const id = `${host} ${pathType} ${routed?.backend ?? ''} ${path}`
  return { id, match, path, pathType, action, source: by.source, origin }
}

interface Fallback {
  readonly route: Route | undefined
  readonly routed: Routed | undefined
  readonly refs: readonly BackendRef[]
  readonly findings: readonly Finding[]
}

/** R10-45: the default backend of the oldest object with rules for this host. A closed host is closed beyond its paths. */
function compileFallback(
  host: string,
  contributions: readonly Contribution[],
  { isHostClosed, sources }: { readonly isHostClosed: boolean; readonly sources: RoutingSources },
): Fallback {
  const declaring = contributions.filter(({ defaultBackend }) => defaultBackend && !defaultBackend.isGlobal)
  const [holder, ...others] = declaring
  if (!holder?.defaultBackend) {
    const closing = contributions.find(({ closed }) => closed.host)
    return { route: closing && closedRoute(host, closing), routed: undefined, refs: [], findings: [] }
  }
  const label = `the default backend for ${hostName(host)}`
  const ref = holder.defaultBackend.backend
  const routed = routeTo(
    ref,
    { object: holder.object, label, isClosed: isHostClosed || holder.closed.location },
    sources,
  )
  const route = fallbackRoute(host, holder.object, holder.source, routed)
  return { route, routed, refs: [ref], findings: others.map((other) => secondDefault(other, holder, label)) }
}

function closedRoute(host: string, { object, source }: Contribution): Route {
  const action = { kind: 'refuse', reason: 'access-rule' } as const
  return fallbackRoute(host, object, source, { action, backend: '', closable: undefined, use: undefined, findings: [] })
}

/** What an object is told whose default backend an older one's goes before. */
export function secondDefault(loser: Contribution, holder: Contribution, label: string): Finding {
  return {
    reason: 'DefaultBackendConflict',
    object: loser.object,
    field: loser.defaultBackend?.field ?? 'spec.defaultBackend',
    found: `${label} is that of ${nameOf(holder.object)}`,
    effect: 'this one is not used there',
  }
}
