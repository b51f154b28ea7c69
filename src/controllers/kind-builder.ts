// One kind of objects with its cache and its controller.
import type { Decode } from '../api/decode.ts'
import type { KubernetesObject } from '../api/meta.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiReader } from '../runtime/client.ts'
import { Controller } from '../runtime/controller.ts'
import { type MapToRequests, sourceOf } from '../runtime/handler.ts'
import { type CustomKindSettings, Informer } from '../runtime/informer.ts'
import { contentChanged, type Predicate } from '../runtime/predicate.ts'
import type { Reconciler } from '../runtime/reconciler.ts'
import type { ReflectorSettings } from '../runtime/reflector.ts'
import type { Resource, Selection } from '../runtime/resource.ts'
import type { Indexers } from '../runtime/store.ts'
import type { Tunables } from './tunables.ts'

export interface KindBuilderDeps {
  readonly client: ApiReader
  readonly settings: {
    /** Empty: all. */
    readonly watchNamespaces: readonly string[]
    readonly watchTimeoutMs: number
    /** 0: off. */
    readonly resyncPeriodMs: number
  }
  readonly tunables: Pick<Tunables, 'stallMarginMs' | 'askAgainMs'>
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

const PAGE_SIZE = 500

/** One kind with its cache and its controller, whatever its objects are. */
export interface WatchedKind {
  readonly informer: Pick<Informer<KubernetesObject>, 'run' | 'status' | 'hasSynced' | 'onStatus' | 'resource'>
  readonly controller: Controller
  readonly required: boolean
}

/** How a kind is read. */
export interface ReadPlan<T extends KubernetesObject> {
  readonly resource: Resource
  readonly decode: Decode<T>
  readonly selection?: Selection
  readonly indexers?: Indexers<T>
  readonly custom?: CustomKindSettings
}

/** Who keeps the snapshot as its cache is. */
export interface ControlPlan<T extends KubernetesObject> {
  readonly reconciler: Reconciler
  readonly map?: MapToRequests<T>
  /** Which changes are worth a reconcile; `contentChanged` where nothing is said. */
  readonly predicate?: Predicate<T>
  /** True where nothing is said. */
  readonly required?: boolean
}

/** Builds caches and controllers that differ in their kind alone. */
export class KindBuilder {
  readonly #deps: KindBuilderDeps

  constructor(deps: KindBuilderDeps) {
    this.#deps = deps
  }

  /** Joins a cache to a reconciler of its own. */
  control<T extends KubernetesObject>(
    informer: Informer<T>,
    { reconciler, map, predicate = contentChanged, required = true }: ControlPlan<T>,
  ): WatchedKind {
    const { clock, timers, log } = this.#deps
    const { plural } = informer.resource
    const source = sourceOf({ informer, predicates: [predicate], ...(map === undefined ? {} : { map }) })
    const controller = new Controller({
      name: plural,
      sources: [source],
      reconciler,
      clock,
      timers,
      log: log.child(`controllers.${plural}`),
    })
    return { informer, controller, required }
  }

  /** The one cache of a kind; it reads nothing before it is run. */
  informer<T extends KubernetesObject>({ resource, decode, selection, indexers, custom }: ReadPlan<T>): Informer<T> {
    const { client, settings, clock, timers, random, log } = this.#deps
    return new Informer({
      client,
      resource,
      decode,
      namespaces: settings.watchNamespaces,
      ...(selection === undefined ? {} : { selection }),
      ...(indexers === undefined ? {} : { indexers }),
      ...(custom === undefined ? {} : { custom }),
      settings: this.reading(),
      clock,
      timers,
      random,
      log: log.child('kube'),
    })
  }

  /** How every watch reads. */
  reading(): ReflectorSettings {
    const { settings, tunables } = this.#deps
    return {
      pageSize: PAGE_SIZE,
      watchTimeoutMs: settings.watchTimeoutMs,
      stallMarginMs: tunables.stallMarginMs,
      resyncPeriodMs: settings.resyncPeriodMs,
      askAgainMs: tunables.askAgainMs,
    }
  }
}

/** Whether all that can be had of the kind has been read. An optional kind is done without where it cannot be. */
export function isSettled({ informer, required }: WatchedKind): boolean {
  if (informer.hasSynced) return true
  const { kind } = informer.status().state
  return !required && (kind === 'forbidden' || kind === 'absent')
}
