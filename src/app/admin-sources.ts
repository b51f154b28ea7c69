// What the admin API shows, read from the part that owns it.
import { AdminToken } from '../admin/admin-token.ts'
import { type AdminServer, createAdminServer } from '../admin/api.ts'
import type { EffectiveSetting } from '../admin/config-view.ts'
import type { AdminSources } from '../admin/paths.ts'
import type { ConfigValue } from '../manifests/operator-config.ts'
import type { Replica } from '../model/replica.ts'
import { explainMatch } from '../router/explain.ts'
import { formatReachable } from '../settings/address.ts'
import type { AppDeps, AppOptions } from './app-options.ts'
import { kindsOf, type Parts } from './parts.ts'
import { scrape } from './scrape.ts'

/** What the admin API is built over. */
export interface AdminParts {
  readonly options: AppOptions
  readonly deps: AppDeps
  readonly parts: Parts
}

/** The admin listener of this process, not listening yet. */
export function createAdmin(admin: AdminParts): AdminServer {
  const { settings, tunables } = admin.options
  const { timers, log: root } = admin.deps
  const log = root.child('admin')
  const { adminProtect, adminTokenFile } = settings
  const token = adminTokenFile === undefined ? undefined : new AdminToken(adminTokenFile, log)
  return createAdminServer(adminSources(admin), {
    guard: { protect: adminProtect, token },
    timers,
    log,
    peerMs: tunables.peerMs,
  })
}

function adminSources({ options, deps, parts }: AdminParts): AdminSources {
  const { replica, dataPlane, publishing, readiness, warnings, config, expiry } = parts
  return {
    healthy: () => dataPlane.healthy(),
    readiness: () => readiness.report(),
    workers: () => dataPlane.workers(),
    kinds: () => kindsOf(parts),
    metrics: (format) => scrape(parts, deps, format),
    routes: () => ({
      pair: publishing.current(),
      replica,
      totalsOf: (routeId) => dataPlane.routeTotals(routeId),
    }),
    warnings: () => warnings.all(),
    generations: () => ({
      pair: publishing.current(),
      pinned: publishing.pinned()?.number,
      history: publishing.history(),
    }),
    pin: (name) => publishing.pin(name),
    release: () => publishing.release(),
    backends: () => ({
      pair: publishing.current(),
      totalsOf: (address) => dataPlane.endpointTotals(address),
      isHealthy: (backend, address) => dataPlane.isHealthy(backend, address),
    }),
    match: () => ({
      pair: publishing.current(),
      explain: ({ generation }, host, path) => explainMatch(generation.routes, host, path),
    }),
    certificates: () => ({ pair: publishing.current(), records: expiry.records, nowMs: deps.clock.wallMs() }),
    settings: () => [...options.effective, ...configSettings(config()?.effectiveConfig() ?? [])],
    replicas: () => replicasOf(parts),
  }
}

/** Those of the admin Service; this one alone where they are not known (R32-40). */
function replicasOf({ replica, cluster, admin, readiness }: Parts): readonly Replica[] {
  const known = cluster()?.replicaWatch?.replicas() ?? []
  if (known.some(({ self }) => self)) return known
  const address = admin().address()
  if (!address) return known
  const self = { name: replica, address: formatReachable(address), self: true }
  return [{ ...self, ready: readiness.report().isReady }, ...known]
}

function configSettings(values: readonly ConfigValue[]): readonly EffectiveSetting[] {
  return values.map(({ field, value, file, line }) => ({
    name: field,
    value: typeof value === 'string' ? value : JSON.stringify(value),
    origin: 'file',
    place: `${file}:${line}`,
  }))
}
