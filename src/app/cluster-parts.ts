// What runs in cluster mode only: the caches, the writer, and the watch over the other replicas.
import { type ClusterSource, createClusterSource } from '../controllers/cluster-source.ts'
import type { ClusterWriter } from '../controllers/cluster-writer.ts'
import type { CompileLoop } from '../controllers/compile-loop.ts'
import { createClusterWriter } from '../controllers/create-cluster-writer.ts'
import { lookUpName } from '../controllers/look-up-name.ts'
import type { ServedGeneration } from '../controllers/parameters-status.ts'
import { ReplicaWatch } from '../controllers/replica-watch.ts'
import { adminServiceIn } from '../controllers/service-name.ts'
import type { SnapshotStore } from '../controllers/snapshot-store.ts'
import type { WantedLook } from '../controllers/wanted-objects.ts'
import type { ReadingTimes } from '../controllers/writer-informers.ts'
import type { Publishing } from '../generations/publish.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { KubernetesSettings } from '../settings/settings.ts'
import type { SecretName } from '../settings/tls.ts'
import type { AppDeps, AppOptions } from './app-options.ts'
import type { ClusterOrigin } from './open-source.ts'

/** What these parts see of the rest of the process. */
export interface ClusterPartsDeps {
  readonly options: AppOptions
  readonly deps: AppDeps
  readonly origin: ClusterOrigin
  readonly snapshots: SnapshotStore
  readonly loop: CompileLoop
  readonly publishing: Publishing
  /** Name of this pod. */
  readonly replica: string
  /** What every worker serves; `undefined`: nothing yet. */
  readonly served: () => ServedGeneration | undefined
  readonly ownClasses: () => readonly ObjectRef[]
  /** Called when the warnings of one part may say something else. */
  readonly onWarnings: () => void
  /** Told what is known of the Secret of the ticket keys. */
  readonly onTicketKeys: (look: WantedLook) => void
}

/** Built together and started in this order; each is stopped by whoever ends the process, in the order that it needs. */
export interface ClusterParts {
  readonly source: ClusterSource
  readonly writer: ClusterWriter
  /** `undefined`: this replica knows no Service that names the others. */
  readonly replicaWatch: ReplicaWatch | undefined
}

/** The parts of cluster mode; nothing runs before each is started. */
export function createClusterParts(parts: ClusterPartsDeps): ClusterParts {
  const source = createSource(parts)
  return { source, writer: createWriter(parts, source), replicaWatch: createReplicaWatch(parts) }
}

function createSource({
  options,
  deps,
  origin,
  snapshots,
  loop,
  ownClasses,
  onWarnings,
  onTicketKeys,
}: ClusterPartsDeps): ClusterSource {
  const { settings, version, tunables } = options
  const { kubernetes, certificates } = settings
  return createClusterSource({
    ...deps,
    access: origin.access,
    settings: {
      watchNamespaces: kubernetes.watchNamespaces ?? [],
      namespaceSelector: kubernetes.namespaceSelector?.requirements,
      watchTimeoutMs: kubernetes.watchTimeoutMs,
      resyncPeriodMs: kubernetes.resyncPeriodMs,
      certificateGraceMs: certificates.certificateGraceMs,
      defaultTlsSecret: secretRef(certificates.defaultTlsSecret),
      ticketKeySecret: secretRef(certificates.ticketKeySecret),
      userAgent: `ramjet/${version}`,
    },
    tunables,
    snapshots,
    loop,
    lookUp: kubernetes.allowExternalName ? lookUpName : undefined,
    ownClasses,
    onStatus: onWarnings,
    onTicketKeys,
  })
}

function secretRef(named: SecretName | undefined): ObjectRef | undefined {
  return named && { kind: 'Secret', ...named }
}

function createWriter(
  { options, deps, origin, publishing, replica, served, onWarnings }: ClusterPartsDeps,
  { caches }: ClusterSource,
): ClusterWriter {
  const { settings, env, version, tunables } = options
  const { kubernetes, writing } = settings
  return createClusterWriter({
    ...deps,
    access: origin.access,
    writing,
    identity: { ...kubernetes, namespaceSelector: kubernetes.namespaceSelector?.text },
    podName: replica,
    env,
    accountNamespace: origin.namespace,
    adminService: settings.adminService,
    caches,
    numbering: publishing,
    served,
    times: timesOf(kubernetes),
    tunables,
    userAgent: `ramjet/${version}`,
    onWarnings,
  })
}

function timesOf({ watchTimeoutMs, resyncPeriodMs }: KubernetesSettings): ReadingTimes {
  return { watchTimeoutMs, resyncPeriodMs }
}

function createReplicaWatch({ options, deps, origin, replica }: ClusterPartsDeps): ReplicaWatch | undefined {
  const { settings, env, version, tunables } = options
  const service = settings.adminService ?? adminServiceIn(env['POD_NAMESPACE'])
  if (service === undefined || settings.admin === undefined) return undefined
  const self = { name: replica, ip: env['POD_IP'] }
  return new ReplicaWatch({
    ...deps,
    access: origin.access,
    service,
    self,
    times: timesOf(settings.kubernetes),
    tunables,
    userAgent: `ramjet/${version}`,
  })
}
