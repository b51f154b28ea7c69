// Where the routes come from: a file, or a cluster.
import type { RouteFile } from '../compiler/snapshot.ts'
import { RouteFileWatch } from '../manifests/static-routes.ts'
import type { ClusterAccess } from '../runtime/cluster-access.ts'
import { loadClusterAccess } from '../runtime/kubeconfig.ts'
import { accountNamespace, SERVICE_ACCOUNT_DIR } from '../runtime/service-account.ts'
import type { AppDeps, AppOptions } from './app-options.ts'

/** Where the routes come from, opened but not read from yet. */
export type Source = FileSource | ClusterOrigin

/** A routes file whose first reading was good. */
export interface FileSource {
  readonly kind: 'file'
  readonly path: string
  readonly file: RouteFile
  readonly watch: RouteFileWatch
}

export interface ClusterOrigin {
  readonly kind: 'cluster'
  readonly access: ClusterAccess
  /** Namespace of our account, where a file says it. */
  readonly namespace: string | undefined
}

/** Opens what the settings name. `onRoutes` takes each later reading of a routes file. Throws where it cannot be had. */
export async function openSource(
  { settings, env, tunables }: AppOptions,
  deps: AppDeps,
  onRoutes: (file: RouteFile) => void,
): Promise<Source> {
  if (settings.staticRoutes !== undefined) return await openFile(settings.staticRoutes, deps, onRoutes)
  const accessDeps = { clock: deps.clock, log: deps.log.child('kube'), tokenReadMs: tunables.tokenReadMs }
  const access = await loadClusterAccess({ ...settings.kubernetes, env }, accessDeps)
  const { serviceAccountDir = SERVICE_ACCOUNT_DIR } = settings.kubernetes
  return { kind: 'cluster', access, namespace: await accountNamespace(serviceAccountDir) }
}

async function openFile(
  path: string,
  { timers, log: root }: AppDeps,
  onRoutes: (file: RouteFile) => void,
): Promise<FileSource> {
  const log = root.child('manifests')
  const watch = new RouteFileWatch(path, {
    timers,
    onRoutes: (changed) => {
      log.info({ file: path, routes: changed.routes.length }, 'routes file changed')
      onRoutes(changed)
    },
    onFaults: (faults) => {
      for (const fault of faults) log.error({ fault }, 'routes file refused; the last good one serves on')
    },
  })
  return { kind: 'file', path, file: await watch.start(), watch }
}
