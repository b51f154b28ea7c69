import type { Decode } from '../api/decode.ts'
import type { KubernetesObject } from '../api/meta.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiReader } from './client.ts'
import { HeldRemovals } from './held-removals.ts'
import type { Lister } from './lister.ts'
import { type MalformedObject, malformedObject, rawKey } from './malformed.ts'
import type { EventHandler, ObjectEvent } from './object-event.ts'
import {
  type PendingList,
  Reflector,
  type ReflectorSettings,
  type ReflectorSink,
  type ReflectorState,
} from './reflector.ts'
import type { Resource, Selection } from './resource.ts'
import { isKindServed } from './served-kind.ts'
import { type Indexers, Store } from './store.ts'

export interface InformerDeps<T extends KubernetesObject> {
  readonly client: ApiReader
  readonly resource: Resource
  /** Gives the trimmed form in which objects are stored (R50-4). */
  readonly decode: Decode<T>
  /** Namespaces to read, one list and watch each; empty: all, with one. Ignored for what is cluster-scoped. */
  readonly namespaces: readonly string[]
  /** `undefined`: all objects. */
  readonly selection?: Selection
  readonly indexers?: Indexers<T>
  /** For a kind that a CRD defines: what becomes of its objects when the CRD goes. `undefined`: it never does. */
  readonly custom?: CustomKindSettings
  readonly settings: ReflectorSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

/** How long objects outlive a CRD (R50-5). */
export interface CustomKindSettings {
  /** How long a removal waits until it is known whether the whole kind goes. */
  readonly holdMs: number
  /** How long the API server must have said that there is no such kind before its objects are let go. */
  readonly keepMs: number
}

/** What can be said about a kind: the worst of its namespaces. */
export interface InformerStatus {
  readonly resource: Resource
  readonly state: ReflectorState
  /** The namespace that `state` is about; `undefined`: all of them. */
  readonly namespace: string | undefined
  readonly objects: number
  /** Milliseconds since list, event or bookmark proved every watch alive; `undefined`: at least one never was. */
  readonly lastSyncAgeMs: number | undefined
  readonly watchRestarts: number
  readonly malformed: readonly MalformedObject[]
}

/** The one cache of a kind for all its readers: a store that reflectors fill, and handlers that hear of each change. */
export class Informer<T extends KubernetesObject> {
  readonly #deps: InformerDeps<T>
  readonly #store: Store<T>
  readonly #reflectors: ReadonlyMap<string | undefined, Reflector>
  readonly #malformed = new Map<string, MalformedObject>()
  readonly #handlers: EventHandler<T>[] = []
  readonly #listeners: (() => void)[] = []
  readonly #held: HeldRemovals | undefined
  #letGo: Cancel | undefined

  constructor(deps: InformerDeps<T>) {
    this.#deps = deps
    this.#store = new Store(deps.indexers)
    this.#held = deps.custom && this.#holding(deps.custom)
    const named = deps.resource.namespaced && deps.namespaces.length > 0
    const namespaces = named ? [...new Set(deps.namespaces)] : [undefined]
    this.#reflectors = new Map(namespaces.map((namespace) => [namespace, this.#reflector(namespace)]))
  }

  get lister(): Lister<T> {
    return this.#store
  }

  get resource(): Resource {
    return this.#deps.resource
  }

  /** Whether every namespace was listed once; stays true whatever happens later. */
  get hasSynced(): boolean {
    return [...this.#reflectors.values()].every(({ hasListed }) => hasListed)
  }

  /** Tells `handler` of every object there is now, as additions, and of each change from here on. */
  addHandler(handler: EventHandler<T>): void {
    this.#handlers.push(handler)
    const nowMs = this.#deps.clock.monotonicMs()
    for (const object of this.#store.list()) handler({ type: 'added', object }, nowMs)
  }

  /** Calls `listener` after each change of state and of the malformed objects; `status` has the news. */
  onStatus(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Keeps the cache current until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const parts = [...this.#reflectors.values(), ...(this.#held ? [this.#held] : [])]
    await Promise.all(parts.map((part) => part.run(signal)))
    this.#letGo?.()
  }

  status(): InformerStatus {
    const nowMs = this.#deps.clock.monotonicMs()
    const all = [...this.#reflectors]
    const [namespace, worst] = all.reduce((a, b) => (rank(b[1].state) > rank(a[1].state) ? b : a))
    const proved = all.map(([, { provedAtMs }]) => provedAtMs ?? Number.NaN)
    const oldest = Math.min(...proved)
    return {
      resource: this.#deps.resource,
      state: worst.state,
      namespace,
      objects: this.#store.size,
      lastSyncAgeMs: Number.isNaN(oldest) ? undefined : nowMs - oldest,
      watchRestarts: all.reduce((sum, [, { watchRestarts }]) => sum + watchRestarts, 0),
      malformed: [...this.#malformed.values()],
    }
  }

  #reflector(namespace: string | undefined): Reflector {
    const { client, resource, selection, settings, clock, timers, random, log } = this.#deps
    const onState = (): void => this.#stateChanged()
    const sink = this.#sink(namespace)
    const place = { resource, namespace, selection }
    return new Reflector({ client, ...place, sink, settings, clock, timers, random, log, onState })
  }

  #sink(namespace: string | undefined): ReflectorSink {
    return {
      startList: () => this.#pendingList(namespace),
      set: (raw) => this.#set(raw),
      delete: (raw) => {
        const key = rawKey(raw)
        this.#forgive(key)
        if (this.#held) this.#held.hold(key)
        else this.#tell(this.#store.delete(key))
      },
    }
  }

  #pendingList(namespace: string | undefined): PendingList {
    const objects: T[] = []
    const malformed = new Map<string, MalformedObject>()
    return {
      add: (raw) => {
        const decoded = this.#deps.decode(raw)
        if (decoded.ok) objects.push(decoded.value)
        else malformed.set(rawKey(raw), malformedObject(raw, decoded.error))
      },
      commit: () => {
        for (const [key, object] of this.#malformed) {
          const covered = namespace === undefined || object.namespace === namespace
          if (covered && !malformed.has(key)) this.#forgive(key)
        }
        for (const [key, object] of malformed) this.#report(key, object)
        this.#held?.clear()
        this.#tell(this.#store.replace(objects, namespace))
      },
    }
  }

  #set(raw: unknown): void {
    const decoded = this.#deps.decode(raw)
    const key = rawKey(raw)
    if (decoded.ok) {
      this.#forgive(key)
      this.#held?.release(key)
      this.#tell(this.#store.set(decoded.value))
      return
    }
    this.#report(key, malformedObject(raw, decoded.error))
    // The last good form is not kept: after a restart it would be gone as well (13: UndecodableObject).
    this.#tell(this.#store.delete(key))
  }

  #report(key: string, object: MalformedObject): void {
    const known = this.#malformed.get(key)
    this.#malformed.set(key, object)
    if (known?.fault.field === object.fault.field && known.fault.message === object.fault.message) return
    this.#changed()
  }

  #forgive(key: string): void {
    if (this.#malformed.delete(key)) this.#changed()
  }

  #tell(events: readonly ObjectEvent<T>[]): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const event of events) for (const handler of this.#handlers) handler(event, nowMs)
  }

  #holding({ holdMs }: CustomKindSettings): HeldRemovals {
    const { client, resource, timers, log } = this.#deps
    return new HeldRemovals({
      isServed: (signal) => isKindServed(client, resource, signal),
      remove: (keys) => {
        for (const key of keys) this.#tell(this.#store.delete(key))
        this.#changed()
      },
      holdMs,
      timers,
      log,
    })
  }

  /** The time of a kind that is gone runs from the first answer that says so to the first that says otherwise. */
  #stateChanged(): void {
    const { custom, timers } = this.#deps
    const isAbsent = [...this.#reflectors.values()].some(({ state }) => state.kind === 'absent')
    if (!isAbsent) {
      this.#letGo?.()
      this.#letGo = undefined
    } else if (custom && this.#store.size > 0) {
      this.#letGo ??= timers.after(custom.keepMs, () => {
        this.#held?.clear()
        this.#tell(this.#store.replace([]))
        this.#changed()
      })
    }
    this.#changed()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** How much a state keeps a kind from being served whole. */
function rank(state: ReflectorState): number {
  switch (state.kind) {
    case 'synced':
      return 0
    case 'syncing':
      return 1
    case 'absent':
      return 2
    case 'forbidden':
      return 3
  }
}
