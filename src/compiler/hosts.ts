// The contributions that meet in a host -> its virtual host.
import { digestOfVirtualHost } from '../model/elements.ts'
import type { Route, VirtualHost } from '../model/route-table.ts'
import { serviceKeyOf } from './backends.ts'
import { classDefault } from './class-terms.ts'
import { type Claimed, nameOf, pathName, settleHost } from './conflicts.ts'
import type { BackendRef, Contribution } from './contribution.ts'
import type { Finding } from './finding.ts'
import { hostName } from './read-ingress.ts'
import { type BackendUse, closedRoute, fallbackRoute, type Routed, type RoutingSources, routeTo } from './routing.ts'

/** A virtual host, and what it was compiled from. */
export interface HostOutcome {
  readonly virtualHost: VirtualHost
  /** `namespace/name` of every Service that was looked up, whether it exists or not. */
  readonly services: ReadonlySet<string>
  /** Every backend that a guard closes or could close here. */
  readonly closable: ReadonlySet<string>
  readonly uses: readonly BackendUse[]
  /** Whether a class of an object here sets a default backend: used only while no Ingress answers for all hosts. */
  readonly hasClassDefault: boolean
}

/** A route, and how it came about. */
interface Compiled {
  readonly route: Route
  readonly ref: BackendRef
  readonly routed: Routed
}

/** Compiles one host; `contributions` are in order of age. */
export function compileHost(
  host: string,
  contributions: readonly Contribution[],
  sources: RoutingSources,
): { readonly outcome: HostOutcome; readonly findings: readonly Finding[] } {
  const closing = contributions.find(({ closed }) => closed.host)
  const settled = settleHost(host, contributions)
  const paths = settled.kept.map((claimed) => compilePath(host, claimed, closing !== undefined, sources))
  const [holder, ...others] = contributions.filter(({ defaultBackend }) => defaultBackend?.isGlobal === false)
  const ofClass = defaultOfClass(contributions)
  const owner = ownDefault(holder) ?? (sources.hasCommonDefault ? undefined : ofClass)
  const fallback = owner && compileFallback(host, owner, closing !== undefined, sources)
  const all = fallback ? [...paths, fallback] : paths
  const content = {
    host,
    routes: paths.map(({ route }) => route),
    // A closed host is closed beyond the paths that its rules name.
    fallback: fallback?.route ?? (closing && closedRoute(host, closing)),
  }
  const outcome: HostOutcome = {
    virtualHost: { ...content, digest: digestOfVirtualHost(content) },
    services: new Set(all.flatMap(({ ref }) => serviceKeyOf(ref) ?? [])),
    closable: new Set(all.flatMap(({ routed }) => routed.closable ?? [])),
    uses: all.flatMap(({ routed }) => routed.use ?? []),
    hasClassDefault: ofClass !== undefined,
  }
  const conflicts = holder ? others.map((other) => secondDefault(other, holder, defaultLabel(host))) : []
  return { outcome, findings: [...settled.findings, ...all.flatMap(({ routed }) => routed.findings), ...conflicts] }
}

function compilePath(
  host: string,
  { candidate, by }: Claimed,
  isHostClosed: boolean,
  sources: RoutingSources,
): Compiled {
  const { match, path, pathType, origin, backend: ref } = candidate
  const isClosed = isHostClosed || by.closed.location
  const routed = routeTo(ref, { object: by.object, label: pathName(host, candidate), isClosed }, sources)
  // A path begins with "/" and a host holds no space, so the parts cannot run into each other.
  const id = `${host} ${pathType} ${routed.backend} ${path}`
  return { route: { id, match, path, pathType, action: routed.action, source: by.source, origin }, ref, routed }
}

/** Whose default backend takes what no path of a host takes. */
type DefaultOwner = Pick<Contribution, 'object' | 'source'> & {
  readonly backend: BackendRef
  readonly isClosed: boolean
}

/** R10-45: the default backend of the oldest object with rules for this host. */
function ownDefault(holder: Contribution | undefined): DefaultOwner | undefined {
  if (!holder?.defaultBackend) return undefined
  const { object, source, closed, defaultBackend } = holder
  return { object, source, backend: defaultBackend.backend, isClosed: closed.location }
}

/** In place of the flag's (R42-21): that of the class of the oldest object here whose class sets one. */
function defaultOfClass(contributions: readonly Contribution[]): DefaultOwner | undefined {
  for (const { source, terms } of contributions) {
    const found = classDefault(terms)
    if (found) return { ...found, source, isClosed: false }
  }
  return undefined
}

function compileFallback(host: string, owner: DefaultOwner, isHostClosed: boolean, sources: RoutingSources): Compiled {
  const { object, source, backend: ref, isClosed } = owner
  const routed = routeTo(ref, { object, label: defaultLabel(host), isClosed: isHostClosed || isClosed }, sources)
  return { route: fallbackRoute(host, object, source, routed), ref, routed }
}

function defaultLabel(host: string): string {
  return `the default backend for ${hostName(host)}`
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
