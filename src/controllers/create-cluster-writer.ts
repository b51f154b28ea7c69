// Composes the writer from what flags and environment say: which Lease, which addresses, which connections.
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { ApiClient } from '../runtime/client.ts'
import type { ClusterAccess } from '../runtime/cluster-access.ts'
import { LeaderElection, type Term } from '../runtime/leader-election.ts'
import { SoleWriter } from '../runtime/sole-writer.ts'
import { type AddressSource, fixedAddresses, NO_ADDRESSES, nodeAddresses, serviceAddresses } from './address-source.ts'
import type { ClusterCaches } from './cluster-source.ts'
import { ClusterWriter, type Elector } from './cluster-writer.ts'
import { type LeaseNameSettings, leaseNameOf } from './lease-name.ts'
import type { ObservedGenerationMode } from './observed-generations.ts'
import { type OwnPods, ownPods } from './own-pods.ts'
import type { ServedGeneration } from './parameters-status.ts'
import { adminServiceIn, type ServiceName } from './service-name.ts'
import type { Numbering } from './tenure.ts'
import type { Tunables } from './tunables.ts'
import { type MakeInformer, type ReadingTimes, writerInformers } from './writer-informers.ts'

/** What the flags say about writing. */
export interface WritingSettings {
  /** `--read-only`. */
  readonly readOnly: boolean
  /** `--no-status-update`. */
  readonly noStatusUpdate: boolean
  readonly publishService: ServiceName | undefined
  readonly publishAddresses: readonly string[]
  readonly observedGeneration: ObservedGenerationMode
  readonly updateStatusOnShutdown: boolean
  /** `undefined`: this replica writes, and no other one runs (`--leader-elect=false`). */
  readonly election: ElectionSettings | undefined
}

export interface ElectionSettings {
  readonly durationMs: number
  readonly renewMs: number
  readonly retryMs: number
  /** `undefined`: made from who we are (R30-41). */
  readonly leaseName: string | undefined
  readonly leaseNamespace: string | undefined
}

/** Where this process runs; `undefined`: nobody said. */
interface PodPlace {
  readonly namespace: string | undefined
  readonly ip: string | undefined
  readonly hostIp: string | undefined
}

export interface CreateClusterWriterDeps {
  readonly access: ClusterAccess
  readonly writing: WritingSettings
  readonly identity: LeaseNameSettings
  /** Name of this pod. */
  readonly podName: string
  /** `POD_NAMESPACE`, `POD_IP` and `HOST_IP` are read. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Namespace of our account, where a file says it. */
  readonly accountNamespace: string | undefined
  /** `--admin-service`: the Service that names our pods; `undefined`: `ramjet-admin` in our own namespace. */
  readonly adminService: ServiceName | undefined
  readonly caches: ClusterCaches
  readonly numbering: Numbering
  /** What every worker serves; `undefined`: nothing yet. */
  readonly served: () => ServedGeneration | undefined
  readonly times: ReadingTimes
  readonly tunables: Tunables
  /** `ramjet/VERSION`. */
  readonly userAgent: string
  readonly onWarnings: () => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** The root logger. */
  readonly log: Logger
}

const CALL_TIMEOUT_MS = 10_000
const RELEASE_MS = 1000

/** The one writer of this process; it does nothing before `start`, and never anything where it may not. */
export function createClusterWriter(deps: CreateClusterWriterDeps): ClusterWriter {
  const { writing, identity, podName, tunables } = deps
  const pod = podOf(deps)
  const log = deps.log.child('writer')
  const { access, clock, timers, userAgent } = deps
  const shared = { access, clock, timers, userAgent }
  const client = new ApiClient({ ...shared, callTimeoutMs: CALL_TIMEOUT_MS })
  // Renewals wait for nothing else (R50-7), and one that hangs leaves time for another.
  const renewMs = writing.election?.renewMs ?? CALL_TIMEOUT_MS
  const leases = new ApiClient({ ...shared, callTimeoutMs: renewMs / 2 })
  const makeInformer = writerInformers({ ...deps, ...tunables, ...deps.times, client, log: deps.log.child('kube') })
  const pods = podsFor(deps, pod, makeInformer)
  return new ClusterWriter({
    ...deps,
    client,
    elector: writing.readOnly ? undefined : electorFor(deps, pod, leases),
    addresses: addressesFor(writing, pod, { pods, makeInformer }),
    pods,
    settings: {
      writesStatus: !writing.noStatusUpdate,
      observedGeneration: writing.observedGeneration,
      isNarrowed: identity.watchNamespaces !== undefined,
      clearsOnShutdown: writing.updateStatusOnShutdown,
      podName,
      podIp: pod.ip,
    },
    close: async () => {
      await Promise.all([client.close(), leases.close()])
    },
    log,
  })
}

function podOf({ env, accountNamespace }: CreateClusterWriterDeps): PodPlace {
  return { namespace: env['POD_NAMESPACE'] ?? accountNamespace, ip: env['POD_IP'], hostIp: env['HOST_IP'] }
}

function electorFor(
  { writing, podName, identity, tunables, log, ...deps }: CreateClusterWriterDeps,
  pod: PodPlace,
  client: ApiClient,
): ((onLead: (term: Term) => void) => Elector) | undefined {
  const { election } = writing
  if (!election) return (onLead) => new SoleWriter(onLead)
  const namespace = election.leaseNamespace ?? pod.namespace
  if (namespace === undefined) {
    log.warn({}, 'no namespace for the Lease, so nothing is written: give --leader-elect-namespace or POD_NAMESPACE')
    return undefined
  }
  const settings = {
    namespace,
    name: election.leaseName ?? leaseNameOf(identity),
    identity: `${podName}_${randomText(deps.random)}`,
    durationMs: election.durationMs,
    renewMs: election.renewMs,
    retryMs: election.retryMs,
    askAgainMs: tunables.askAgainMs,
    releaseMs: RELEASE_MS,
  }
  return (onLead) => new LeaderElection({ ...deps, client, settings, onLead, log: log.child('writer') })
}

/** A pod that is made anew under its name must not take itself for the one before. */
function randomText(random: () => number): string {
  return Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
}

function podsFor(
  { writing, adminService }: CreateClusterWriterDeps,
  pod: PodPlace,
  makeInformer: MakeInformer,
): OwnPods | undefined {
  const service = adminService ?? adminServiceIn(pod.namespace)
  const isNeeded = writing.updateStatusOnShutdown || usesNodes(writing, pod)
  return isNeeded && service ? ownPods(service, makeInformer) : undefined
}

/** Which addresses are written, in the order of R30-37. */
function addressesFor(
  writing: WritingSettings,
  pod: PodPlace,
  { pods, makeInformer }: { readonly pods: OwnPods | undefined; readonly makeInformer: MakeInformer },
): AddressSource {
  if (writing.publishService) return serviceAddresses(writing.publishService, makeInformer)
  if (writing.publishAddresses.length > 0) return fixedAddresses(writing.publishAddresses)
  return pods && usesNodes(writing, pod) ? nodeAddresses(pods, makeInformer) : NO_ADDRESSES
}

/** A pod on the network of its node has that node's address. */
function usesNodes({ publishService, publishAddresses }: WritingSettings, { ip, hostIp }: PodPlace): boolean {
  return !publishService && publishAddresses.length === 0 && ip !== undefined && ip === hostIp
}
