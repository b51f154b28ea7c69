// The contributions that meet in a host -> its virtual host.
import { AnnotationReader } from '../annotations/annotation-reader.ts'
import { APP_ROOT, readHostSettings, SERVER_ALIAS } from '../annotations/rewriting.ts'
import { classPolicy } from '../annotations/route-policy.ts'
import { digestOfVirtualHost } from '../model/elements.ts'
import type { RoutePolicy } from '../model/policy.ts'
import type { Route, VirtualHost } from '../model/route-table.ts'
import { takerOfRoot, withAppRoot } from './app-root.ts'
import { serviceKeyOf } from './backends.ts'
import { classDefault } from './class-default.ts'
import { type Claimed, nameOf, pathName, settleHost } from './conflicts.ts'
import type { BackendRef, Contribution } from './contribution.ts'
import type { Finding } from './finding.ts'
import { type HostTls, hasTls, readHostTls } from './host-tls.ts'
import { oldestTexts } from './oldest-texts.ts'
import { hostName } from './read-ingress.ts'
import {
  type BackendUse,
  closedRoute,
  fallbackRoute,
  type Routed,
  type RoutingSources,
  redirected,
  routeTo,
  withHttps,
  withPolicy,
} from './routing.ts'

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
  /** Whether it depends on TLS of the host what its routes do. */
  readonly dependsOnTls: boolean
  /** Other names that the host has, and who says so. */
  readonly aliases: HostAliases | undefined
  /** What is said about its handshakes; absent: nothing. */
  readonly tls?: HostTls
}

export interface HostAliases {
  readonly names: readonly string[]
  readonly by: Contribution
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
  const place = { host, isClosed: closing !== undefined, hasTls: hasTls(host, sources.tlsNames) }
  const paths = settled.kept.map((claimed) => compilePath(place, claimed, sources))
  const [holder, ...others] = contributions.filter(({ defaultBackend }) => defaultBackend?.isGlobal === false)
  const ofClass = defaultOfClass(contributions)
  const owner = ownDefault(holder) ?? (sources.hasCommonDefault ? undefined : ofClass)
  const fallback = owner && compileFallback(place, owner, sources)
  const all = fallback ? [...paths, fallback] : paths
  const written = {
    host,
    routes: paths.map(({ route }) => route),
    // A closed host is closed beyond the paths that its rules name.
    fallback: fallback?.route ?? (closing && closedRoute(host, closing)),
  }
  const whole = settleWhole(written, contributions)
  const content = { ...written, routes: whole.routes }
  const outcome: HostOutcome = {
    virtualHost: { ...content, digest: digestOfVirtualHost(content) },
    services: new Set(all.flatMap(({ ref }) => serviceKeyOf(ref) ?? [])),
    closable: new Set(all.flatMap(({ routed }) => routed.closable ?? [])),
    uses: all.flatMap(({ routed }) => routed.use ?? []),
    hasClassDefault: ofClass !== undefined,
    dependsOnTls: [...settled.kept.map(({ candidate }) => candidate), ...contributions].some(isWithTls),
    aliases: whole.aliases,
    ...(whole.tls ? { tls: whole.tls } : {}),
  }
  const conflicts = holder ? others.map((other) => secondDefault(other, holder, defaultLabel(host))) : []
  const ofRoutes = all.flatMap(({ routed }) => routed.findings)
  return { outcome, findings: [...settled.findings, ...ofRoutes, ...conflicts, ...whole.findings] }
}

/** What keys of the whole host come to: each is that of the oldest object that sets it. */
interface WholeHost {
  readonly routes: readonly Route[]
  readonly aliases: HostAliases | undefined
  readonly tls: HostTls | undefined
  readonly findings: readonly Finding[]
}

function settleWhole(written: Omit<VirtualHost, 'digest'>, contributions: readonly Contribution[]): WholeHost {
  const { host } = written
  const said = oldestTexts(contributions, ({ hostTexts }) => hostTexts, hostName(host))
  const { appRoot, aliases } = readHostSettings(new AnnotationReader(said.texts))
  const handshakes = readHostTls(host, said, takerOfRoot(written))
  const rootBy = said.holders.get(APP_ROOT)
  const aliasesBy = said.holders.get(SERVER_ALIAS)
  return {
    routes: appRoot !== undefined && rootBy ? withAppRoot(written, appRoot, rootBy) : written.routes,
    aliases: aliasesBy && { names: aliases, by: aliasesBy },
    tls: handshakes.tls,
    findings: [...said.findings, ...handshakes.findings],
  }
}

/** What holds for all routes of a host. */
interface Place {
  readonly host: string
  readonly isClosed: boolean
  readonly hasTls: boolean
}

function isWithTls({ https }: Pick<Contribution, 'https'>): boolean {
  return https === 'with-tls'
}

function isHttpsDue(https: Contribution['https'], { hasTls: itHas }: Place): boolean {
  return https === 'always' || (https === 'with-tls' && itHas)
}

function compilePath(place: Place, { candidate, by }: Claimed, sources: RoutingSources): Compiled {
  const { match, path, pathType, policy, redirect, https, origin, backend: ref } = candidate
  const { host } = place
  const isClosed = place.isClosed || by.closed.location
  const found = routeTo(ref, { object: by.object, label: pathName(host, candidate), isClosed }, sources)
  const routed = redirect ? redirected(found, redirect) : found
  // A path begins with "/" and a host holds no space, so the parts cannot run into each other.
  const id = `${host} ${pathType} ${routed.backend} ${path}`
  const route = { id, match, path, pathType, action: routed.action, source: by.source, origin }
  return { route: withHttps(withPolicy(route, policy), isHttpsDue(https, place)), ref, routed }
}

/** Whose default backend takes what no path of a host takes. */
export type DefaultOwner = Pick<Contribution, 'object' | 'source'> & {
  readonly backend: BackendRef
  readonly policy: RoutePolicy | undefined
  readonly https: Contribution['https']
  readonly isClosed: boolean
}

/** R10-45: the default backend of the oldest object with rules for this host. */
function ownDefault(holder: Contribution | undefined): DefaultOwner | undefined {
  if (!holder?.defaultBackend) return undefined
  const { object, source, closed, defaultBackend, policy, https } = holder
  return { object, source, backend: defaultBackend.backend, policy, https, isClosed: closed.location }
}

/** In place of the flag's (R42-21): that of the class of the oldest object here whose class sets one. */
function defaultOfClass(contributions: readonly Contribution[]): DefaultOwner | undefined {
  for (const { source, terms } of contributions) {
    const found = classDefault(terms)
    if (found) return { ...found, source, policy: classPolicy(terms.fields), https: undefined, isClosed: false }
  }
  return undefined
}

function compileFallback(place: Place, owner: DefaultOwner, sources: RoutingSources): Compiled {
  const { host } = place
  const { object, source, backend: ref, isClosed } = owner
  const routed = routeTo(ref, { object, label: defaultLabel(host), isClosed: place.isClosed || isClosed }, sources)
  const route = withPolicy(fallbackRoute(host, object, source, routed), owner.policy)
  return { route: withHttps(route, isHttpsDue(owner.https, place)), ref, routed }
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
