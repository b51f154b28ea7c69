import type { DataObject, Service } from '../api/core.ts'
import { decodeNamespace, decodeService } from '../api/decode-core.ts'
import { decodeTlsSecret } from '../api/decode-data.ts'
import { decodeEndpointSlice } from '../api/decode-discovery.ts'
import { decodeIngress, decodeIngressClass } from '../api/decode-networking.ts'
import type { Ingress, IngressClass } from '../api/networking.ts'
import type { Wanted } from '../compiler/result.ts'
import type { Clock } from '../lib/clock.ts'
import type { LabelSelector } from '../lib/label-selector.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import { ApiClient } from '../runtime/client.ts'
import type { ClusterAccess } from '../runtime/cluster-access.ts'
import type { Informer } from '../runtime/informer.ts'
import { Manager } from '../runtime/manager.ts'
import { requestKey } from '../runtime/reconciler.ts'
import { createClassParametersReconciler } from './class-parameters.ts'
import type { CompileLoop } from './compile-loop.ts'
import { BY_SERVICE, createEndpointSliceReconciler, servicesOf } from './endpoint-slice.ts'
import { ExternalNames, type LookUp } from './external-names.ts'
import { createIngressReconciler } from './ingress.ts'
import { createIngressClassReconciler } from './ingress-class.ts'
import { isSettled, KindBuilder, type WatchedKind } from './kind-builder.ts'
import { type KindStatus, problemOf, warningsOf } from './kind-status.ts'
import {
  CLASS_PARAMETERS,
  ENDPOINT_SLICES,
  INGRESS_CLASSES,
  INGRESSES,
  NAMESPACES,
  SECRETS,
  SERVICES,
} from './kinds.ts'
import { BY_NAMESPACE, ingressesOf, selectedNamespaces } from './namespaces.ts'
import { TLS_TYPE } from './read-tls-secret.ts'
import { type SecretSettings, SecretSources } from './secret-sources.ts'
import { createServiceReconciler } from './service.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { decodeClassParameters, type StoredParameters, specChanged } from './stored-parameters.ts'
import { createTlsSecretReconciler } from './tls-secret.ts'
import type { Tunables } from './tunables.ts'
import type { WantedLook } from './wanted-objects.ts'
import { ingressChanged } from './written-fields.ts'

export interface ClusterSourceSettings extends SecretSettings {
  /** `--watch-namespace`; empty: all. */
  readonly watchNamespaces: readonly string[]
  /** `--namespace-selector`: Ingresses of other namespaces are left out; `undefined`: of none. */
  readonly namespaceSelector?: LabelSelector | undefined
  /** `--watch-timeout`. */
  readonly watchTimeoutMs: number
  /** `--resync-period`; 0: off. */
  readonly resyncPeriodMs: number
  /** `ramjet/VERSION`. */
  readonly userAgent: string
}

export interface ClusterSourceDeps {
  readonly access: ClusterAccess
  readonly settings: ClusterSourceSettings
  readonly tunables: Tunables
  /** Filled with what the cluster holds. */
  readonly snapshots: SnapshotStore
  /** Told of each change, and started once the snapshot holds all there is. */
  readonly loop: Pick<CompileLoop, 'markDirty' | 'start'>
  /** Resolves the names of ExternalName Services (R10-38); `undefined`: nobody does. */
  readonly lookUp?: LookUp | undefined
  /** Told what is known of the Secret of the ticket keys, each time that it may be something else. */
  readonly onTicketKeys?: (look: WantedLook) => void
  /** Our IngressClasses, for what concerns all of them. */
  readonly ownClasses: () => readonly ObjectRef[]
  /** Called when `kinds()` or `warnings()` may say something else. */
  readonly onStatus?: () => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** The root logger. */
  readonly log: Logger
}

/** The caches that others than the compile read: whoever writes onto these objects. */
export interface ClusterCaches {
  readonly ingresses: Informer<Ingress>
  readonly ingressClasses: Informer<IngressClass>
  readonly services: Informer<Service>
  readonly classParameters: Informer<StoredParameters>
}

/** The routes of a cluster, read for as long as it runs. */
export interface ClusterSource {
  readonly caches: ClusterCaches
  /** Begins to read; returns at once, and no state of the API server makes it fail. */
  start(): void
  /** Resolves when nothing of it runs any more; every connection to the API server is then closed. */
  stop(): Promise<void>
  /** Whether every required kind was listed once and all of it has reached the snapshot. Stays true. */
  synced(): boolean
  kinds(): readonly KindStatus[]
  /** Makes these the external names that are resolved: what the last compile wants. */
  wantNames(names: ReadonlyMap<string, string>): void
  /** Makes these the Secrets and ConfigMaps that are read one by one: what the last compile wants. */
  wantObjects(wanted: Pick<Wanted, 'objects' | 'tlsSecrets'>): void
  /** Resolves when all that is wanted now was asked for once, or after a time that a start may lose for it. */
  wantedAsked(): Promise<void>
  /** Objects that could not be read and kinds that may not be, as warnings beside those of a compile. */
  warnings(): readonly Warning[]
}

const CALL_TIMEOUT_MS = 30_000
const STOP_MS = 2000
const FIRST_WANTED_MS = 2000
/** Longer than discovery needs to tell that a CRD is being removed. */
const HOLD_REMOVALS_MS = 1000

/** A source that watches Ingresses, IngressClasses, Services and EndpointSlices; it does nothing before `start`. */
export function createClusterSource(deps: ClusterSourceDeps): ClusterSource {
  return new WatchedCluster(deps)
}

class WatchedCluster implements ClusterSource {
  readonly caches: ClusterCaches
  readonly #deps: ClusterSourceDeps
  readonly #client: ApiClient
  readonly #builder: KindBuilder
  readonly #manager: Manager
  readonly #kinds: readonly WatchedKind[]
  readonly #names: ExternalNames | undefined
  readonly #tlsSecrets: Informer<DataObject>
  readonly #secrets: SecretSources
  #hasSynced = false

  constructor(deps: ClusterSourceDeps) {
    const { access, settings, clock, timers, log } = deps
    this.#deps = deps
    const { userAgent } = settings
    this.#client = new ApiClient({ access, clock, timers, userAgent, callTimeoutMs: CALL_TIMEOUT_MS })
    this.#builder = new KindBuilder({ ...deps, client: this.#client })
    this.#manager = new Manager({ timers, stopMs: STOP_MS, log: log.child('runtime') })
    this.caches = {
      ingresses: this.#builder.informer({
        resource: INGRESSES,
        decode: decodeIngress,
        indexers: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
      }),
      ingressClasses: this.#builder.informer({ resource: INGRESS_CLASSES, decode: decodeIngressClass }),
      services: this.#builder.informer({ resource: SERVICES, decode: decodeService }),
      classParameters: this.#builder.informer({
        resource: CLASS_PARAMETERS,
        decode: decodeClassParameters,
        custom: { holdMs: HOLD_REMOVALS_MS, keepMs: deps.tunables.removedKindMs },
      }),
    }
    this.#tlsSecrets = this.#builder.informer({
      resource: SECRETS,
      decode: decodeTlsSecret,
      selection: { type: TLS_TYPE },
    })
    this.#secrets = this.#planSecrets()
    this.#kinds = this.#planKinds()
    this.#names = this.#planNames()
    for (const { informer } of this.#kinds) informer.onStatus(() => this.#statusChanged())
  }

  start(): void {
    for (const { informer } of this.#kinds) {
      this.#manager.start({ name: `cache of ${informer.resource.plural}`, run: (signal) => informer.run(signal) })
    }
    for (const { controller } of this.#kinds) this.#manager.start(controller)
    if (this.#names) this.#manager.start(this.#names)
    this.#manager.start(this.#secrets.reading)
  }

  async stop(): Promise<void> {
    await this.#manager.stop()
    this.#secrets.stop()
    await this.#client.close()
  }

  synced(): boolean {
    return this.#hasSynced
  }

  kinds(): readonly KindStatus[] {
    return this.#kinds.map(({ informer, controller, required }) => {
      const status = informer.status()
      return {
        kind: status.resource.kind,
        required,
        hasSynced: informer.hasSynced,
        state: status.state.kind,
        problem: problemOf(status),
        objects: status.objects,
        lastSyncAgeMs: status.lastSyncAgeMs,
        watchRestarts: status.watchRestarts,
        queueDepth: controller.queueDepth,
        reconcileErrors: controller.errors,
      }
    })
  }

  wantNames(names: ReadonlyMap<string, string>): void {
    this.#names?.want(names)
  }

  wantObjects(wanted: Pick<Wanted, 'objects' | 'tlsSecrets'>): void {
    this.#secrets.want(wanted)
  }

  async wantedAsked(): Promise<void> {
    await Promise.all([this.#names?.askedAll(FIRST_WANTED_MS), this.#secrets.readAll(FIRST_WANTED_MS)])
  }

  warnings(): readonly Warning[] {
    return [...this.#kinds.flatMap(({ informer }) => warningsOf(informer.status())), ...this.#secrets.warnings()]
  }

  #planNames(): ExternalNames | undefined {
    const { lookUp, snapshots, loop, clock, timers, log } = this.#deps
    return lookUp && new ExternalNames({ lookUp, snapshots, loop, clock, timers, log: log.child('controllers.names') })
  }

  #planSecrets(): SecretSources {
    const { settings, tunables, log } = this.#deps
    return new SecretSources({
      ...this.#deps,
      client: this.#client,
      listed: this.#tlsSecrets.lister,
      settings: { ...tunables, ...settings, namespaces: settings.watchNamespaces, reading: this.#builder.reading() },
      classes: () => this.#deps.ownClasses(),
      onStatus: () => this.#deps.onStatus?.(),
      onTicketKeys: (look) => this.#deps.onTicketKeys?.(look),
      log: log.child('controllers.wanted'),
    })
  }

  #planKinds(): readonly WatchedKind[] {
    const { snapshots, loop } = this.#deps
    const { ingressClasses, services, classParameters } = this.caches
    const slices = this.#builder.informer({
      resource: ENDPOINT_SLICES,
      decode: decodeEndpointSlice,
      indexers: { [BY_SERVICE]: (slice) => servicesOf(slice).map(requestKey) },
    })
    const ofClasses = createIngressClassReconciler({ lister: ingressClasses.lister, snapshots, loop })
    const ofParameters = createClassParametersReconciler({ lister: classParameters.lister, snapshots, loop })
    const ofServices = createServiceReconciler({ lister: services.lister, snapshots, loop })
    const ofSlices = createEndpointSliceReconciler({ lister: slices.lister, snapshots, loop })
    const ofSecrets = createTlsSecretReconciler(this.#secrets)
    return [
      ...this.#planIngresses(),
      this.#builder.control(ingressClasses, { reconciler: ofClasses }),
      this.#builder.control(classParameters, { reconciler: ofParameters, predicate: specChanged, required: false }),
      this.#builder.control(services, { reconciler: ofServices }),
      this.#builder.control(slices, { reconciler: ofSlices, map: servicesOf }),
      this.#builder.control(this.#tlsSecrets, { reconciler: ofSecrets, required: false }),
    ]
  }

  /** Where namespaces are selected, a change of one is judged by each of its Ingresses. */
  #planIngresses(): readonly WatchedKind[] {
    const { settings, snapshots, loop } = this.#deps
    const { ingresses } = this.caches
    const predicate = ingressChanged
    const deps = { lister: ingresses.lister, snapshots, loop }
    const selector = settings.namespaceSelector
    if (!selector) return [this.#builder.control(ingresses, { reconciler: createIngressReconciler(deps), predicate })]
    const namespaces = this.#builder.informer({ resource: NAMESPACES, decode: decodeNamespace })
    const isSelected = selectedNamespaces(namespaces.lister, selector)
    const reconciler = createIngressReconciler({ ...deps, isSelected })
    return [
      this.#builder.control(ingresses, { reconciler, predicate }),
      this.#builder.control(namespaces, { reconciler, map: ingressesOf(ingresses.lister), required: false }),
    ]
  }

  #statusChanged(): void {
    void this.#startLoopWhenFilled()
    this.#deps.onStatus?.()
  }

  /** A table from half of the objects would answer 404 for the other half, so the first compile waits for all. */
  async #startLoopWhenFilled(): Promise<void> {
    if (this.#hasSynced || !this.#kinds.every(isSettled)) return
    await Promise.all(this.#kinds.map(({ controller }) => controller.whenIdle()))
    if (this.#hasSynced) return
    this.#hasSynced = true
    this.#deps.loop.start()
    this.#deps.onStatus?.()
  }
}
