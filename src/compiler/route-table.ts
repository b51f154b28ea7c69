// Hosts, backends and default route -> the route table and its digest, at the cost of what changed (R00-8).
import { type BucketedDigest, changeDigest, emptyDigest } from '../lib/bucketed-digest.ts'
import { NO_CERTIFICATES } from '../model/certificate-table.ts'
import { digestOfRoute } from '../model/elements.ts'
import {
  type Backend,
  backendKey,
  DEFAULT_ROUTE_KEY,
  hostKey,
  type Route,
  type RouteTable,
} from '../model/route-table.ts'
import { type BackendTermsState, termsOf } from './backend-terms.ts'
import type { BackendUsers } from './backend-users.ts'
import { type BackendSources, serviceBackend } from './backends.ts'
import type { CertificateStep } from './certificates.ts'
import { changeMap } from './copy-on-change.ts'
import type { HostChange } from './host-table.ts'

export interface RouteTableState {
  readonly table: RouteTable
  readonly digest: BucketedDigest
}

export function emptyRouteTable(): RouteTableState {
  const digest = emptyDigest()
  return { table: { hosts: new Map(), backends: new Map(), defaultRoute: undefined, digest: digest.root }, digest }
}

/** What the stages made of what changed. */
export interface TableChanges {
  readonly hosts: readonly HostChange[]
  readonly defaultRoute: Route | undefined
  readonly backends: ReadonlyMap<string, Backend | undefined>
  readonly certificates: Pick<CertificateStep, 'state' | 'set' | 'removed'>
}

/** The table after these changes; the very same one where none of them is a change. */
export function changeRouteTable(last: RouteTableState, changes: TableChanges): RouteTableState {
  const hosts = changeMap(
    last.table.hosts,
    changes.hosts.map(({ host, after }) => [host, after?.virtualHost] as const),
  )
  const { defaultRoute, certificates } = changes
  const backends = changeMap(last.table.backends, changes.backends)
  const { table } = certificates.state
  const isSame = hosts === last.table.hosts && backends === last.table.backends
  const isSameOtherwise =
    defaultRoute === last.table.defaultRoute && table === (last.table.certificates ?? NO_CERTIFICATES)
  if (isSame && isSameOtherwise) return last
  const set = new Map(certificates.set)
  const removed = [...certificates.removed]
  const note = (key: string, digest: string | undefined): void => {
    if (digest === undefined) removed.push(key)
    else set.set(key, digest)
  }
  for (const { host, after } of changes.hosts) note(hostKey(host), after?.virtualHost.digest)
  for (const [name, backend] of changes.backends) note(backendKey(name), backend?.digest)
  note(DEFAULT_ROUTE_KEY, defaultRoute && digestOfRoute(defaultRoute))
  const digest = changeDigest(last.digest, set, removed)
  const routes = { hosts, backends, defaultRoute, digest: digest.root }
  return { table: table.serverNames.size === 0 ? routes : { ...routes, certificates: table }, digest }
}

/** What backends are made of. */
export interface KnownBackends {
  readonly users: BackendUsers
  /** By name in the table. */
  readonly file: ReadonlyMap<string, Backend>
  readonly terms: BackendTermsState
  readonly sources: BackendSources
}

/** What becomes of the backends in `names`: `undefined` for one that nobody uses any more. */
export function compileBackends(
  names: Iterable<string>,
  { users, file, terms, sources }: KnownBackends,
  last: ReadonlyMap<string, Backend>,
): ReadonlyMap<string, Backend | undefined> {
  const backends = new Map<string, Backend | undefined>()
  for (const name of names) {
    if (!users.get(name)) backends.set(name, undefined)
    else
      backends.set(
        name,
        keepUnchanged(last.get(name), file.get(name) ?? serviceBackend(name, termsOf(terms, name, sources))),
      )
  }
  return backends
}

function keepUnchanged(before: Backend | undefined, after: Backend): Backend {
  return before?.digest === after.digest && before.source === after.source ? before : after
}
