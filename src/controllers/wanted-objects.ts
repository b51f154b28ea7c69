// Secrets and ConfigMaps that a compile names one by one, and that no list delivers (R30-2).
import type { DataObject } from '../api/core.ts'
import { decodeDataObject } from '../api/decode-data.ts'
import { wantedKey } from '../compiler/wanted-key.ts'
import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import { ApiStatusError } from '../runtime/api-errors.ts'
import type { ApiReader } from '../runtime/client.ts'
import { Informer } from '../runtime/informer.ts'
import type { Runnable } from '../runtime/manager.ts'
import type { ReflectorSettings } from '../runtime/reflector.ts'
import { collectionPath, type Resource } from '../runtime/resource.ts'
import { waitFor } from '../runtime/wait.ts'
import type { DirtyMarker } from './compile-loop.ts'
import { warningsOf } from './kind-status.ts'
import { CONFIG_MAPS, SECRETS } from './kinds.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export interface WantedObjectsSettings {
  /** How many are watched, each by itself. */
  readonly wantedWatches: number
  /** How often those beyond that are asked for. */
  readonly pollWantedMs: number
  /** Namespaces that are watched; empty: all. Objects of others count as missing, but for those that flags name. */
  readonly namespaces: readonly string[]
  /** By `wantedKey`, what flags name: read in any namespace. */
  readonly anywhere: ReadonlySet<string>
  /** Of each watch. */
  readonly reading: ReflectorSettings
}

export interface WantedObjectsDeps {
  readonly client: ApiReader
  readonly settings: WantedObjectsSettings
  readonly snapshots: Pick<SnapshotStore, 'wantedObjects'>
  readonly loop: DirtyMarker
  /** Whom too many references are told to. */
  readonly classes: () => readonly ObjectRef[]
  /** `warnings()` says something else now. */
  readonly onStatus: () => void
  /** `look()` may say something else of this object now. */
  readonly onObject: (ref: ObjectRef, receivedAtMs?: number) => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

/** What is known of a wanted object; `unread`: nothing yet. */
export type WantedLook =
  | { readonly kind: 'object'; readonly object: DataObject }
  | { readonly kind: 'unread' | 'missing' | 'forbidden' }

interface Watched {
  readonly informer: Informer<DataObject>
  readonly controller: AbortController
  readonly ended: Promise<void>
}

const RESOURCES: ReadonlyMap<string, Resource> = new Map([
  ['Secret', SECRETS],
  ['ConfigMap', CONFIG_MAPS],
])
/** Polls at a time. */
const AT_ONCE = 8

/**
 * Keeps the wanted objects in the snapshot as the cluster has them. One that arrives, changes or goes marks the rebuild
 * dirty; one that is no longer wanted is let go.
 */
export class WantedObjects implements Runnable {
  readonly name = 'wanted objects'
  readonly #deps: WantedObjectsDeps
  readonly #watched = new Map<string, Watched>()
  /** Beyond the bound, in the order in which they were wanted. */
  readonly #polled = new Map<string, ObjectRef>()
  /** Wanted, and not read for once yet. */
  readonly #fresh = new Set<string>()
  /** By whoever wants them. */
  readonly #wantedBy = new Map<string, readonly ObjectRef[]>()
  #wanted: ReadonlyMap<string, ObjectRef> = new Map()
  #signal: AbortSignal | undefined
  #whenRead: AbortController | undefined
  /** Aborted when something is to be polled that was not asked for yet. */
  #added = new AbortController()
  #pollAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: WantedObjectsDeps) {
    this.#deps = deps
  }

  /** Makes these all that `by` wants. */
  want(by: string, objects: readonly ObjectRef[]): void {
    if (objects === this.#wantedBy.get(by)) return
    this.#wantedBy.set(by, objects)
    const all = [...this.#wantedBy.values()].flat()
    const wanted = new Map(all.filter((ref) => this.#isReadable(ref)).map((ref) => [wantedKey(ref), ref]))
    for (const key of this.#wanted.keys()) if (!wanted.has(key)) this.#letGo(key)
    const before = this.#wanted
    this.#wanted = wanted
    for (const [key, ref] of wanted) if (!before.has(key)) this.#begin(key, ref)
    this.#promote()
    this.#noteRead()
    this.#deps.onStatus()
  }

  /** What is known of it, wanted or not. */
  look(ref: ObjectRef): WantedLook {
    const key = wantedKey(ref)
    const object = this.#deps.snapshots.wantedObjects.get(key)
    if (object) return { kind: 'object', object }
    if (!this.#isReadable(ref)) return { kind: 'forbidden' }
    if (!this.#wanted.has(key) || this.#fresh.has(key)) return { kind: 'unread' }
    const state = this.#watched.get(key)?.informer.status().state.kind
    return { kind: state === 'forbidden' ? 'forbidden' : 'missing' }
  }

  /** Resolves when all that is wanted now was read once, or could not be, or after `ms`. */
  async readAll(ms: number): Promise<void> {
    this.#whenRead = new AbortController()
    this.#noteRead()
    await waitFor(ms, this.#deps.timers, this.#whenRead.signal)
  }

  warnings(): readonly Warning[] {
    const own = [...this.#watched.values()].flatMap(({ informer }) => warningsOf(informer.status()))
    // One missing permission concerns each object that it would let us read.
    const distinct = [...new Map(own.map((warning) => [JSON.stringify(warning), warning])).values()]
    return [...distinct, ...this.#tooMany()]
  }

  /** Reads until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const [key, ref] of this.#wanted) this.#begin(key, ref)
    while (!signal.aborted) await this.#pollOnce(signal)
    await Promise.all([...this.#watched.values()].map(({ ended }) => ended))
  }

  #isReadable(ref: ObjectRef): boolean {
    const { namespaces, anywhere } = this.#deps.settings
    const isWatched = namespaces.length === 0 || namespaces.includes(ref.namespace) || anywhere.has(wantedKey(ref))
    return RESOURCES.has(ref.kind) && isWatched
  }

  #begin(key: string, ref: ObjectRef): void {
    const [signal, resource] = [this.#signal, RESOURCES.get(ref.kind)]
    this.#fresh.add(key)
    if (!signal || !resource || this.#watched.has(key)) return
    if (this.#watched.size < this.#deps.settings.wantedWatches) {
      this.#polled.delete(key)
      this.#watched.set(key, this.#watch(key, { ref, resource, signal }))
      return
    }
    this.#polled.set(key, ref)
    this.#added.abort()
  }

  #watch(
    key: string,
    of: { readonly ref: ObjectRef; readonly resource: Resource; readonly signal: AbortSignal },
  ): Watched {
    const { client, settings, clock, timers, random, log } = this.#deps
    const { namespace, name } = of.ref
    const informer = new Informer({
      client,
      resource: of.resource,
      decode: decodeDataObject,
      namespaces: [namespace],
      selection: { name },
      settings: settings.reading,
      clock,
      timers,
      random,
      log,
    })
    const controller = new AbortController()
    const stop = AbortSignal.any([of.signal, controller.signal])
    informer.addHandler(({ type, object }, receivedAtMs) => {
      if (!controller.signal.aborted) this.#put(key, type === 'deleted' ? undefined : object, receivedAtMs)
    })
    informer.onStatus(() => {
      const { state } = informer.status()
      if (state.kind !== 'syncing') this.#wasRead(key)
      this.#deps.onStatus()
    })
    return { informer, controller, ended: informer.run(stop) }
  }

  #put(key: string, object: DataObject | undefined, receivedAtMs?: number): void {
    if (!this.#deps.snapshots.wantedObjects.put(key, object)) return
    this.#deps.loop.markDirty({ kind: 'all' }, receivedAtMs)
    this.#tell(key, receivedAtMs)
  }

  #letGo(key: string): void {
    this.#watched.get(key)?.controller.abort(new Error('no longer wanted'))
    this.#watched.delete(key)
    this.#polled.delete(key)
    this.#fresh.delete(key)
    // Nobody looks at it any more, so nothing has to be compiled for this.
    this.#deps.snapshots.wantedObjects.put(key, undefined)
  }

  /** Gives watches that became free to those that are polled. */
  #promote(): void {
    for (const [key, ref] of this.#polled) {
      if (this.#watched.size >= this.#deps.settings.wantedWatches) return
      this.#begin(key, ref)
    }
  }

  /** Asks for what was not asked for yet, and for all that is polled once in an interval; waits until it is time. */
  async #pollOnce(signal: AbortSignal): Promise<void> {
    const { clock, timers, settings } = this.#deps
    this.#added = new AbortController()
    const isDue = clock.monotonicMs() >= this.#pollAtMs
    if (isDue) this.#pollAtMs = clock.monotonicMs() + settings.pollWantedMs
    await this.#poll(isDue ? [...this.#polled] : [...this.#polled].filter(([key]) => this.#fresh.has(key)), signal)
    await waitFor(
      Math.max(0, this.#pollAtMs - clock.monotonicMs()),
      timers,
      AbortSignal.any([signal, this.#added.signal]),
    )
  }

  async #poll(refs: readonly (readonly [string, ObjectRef])[], signal: AbortSignal): Promise<void> {
    const left = refs.values()
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, refs.length) }, async () => {
        for (const [key, ref] of left) if (!signal.aborted) await this.#ask(key, ref, signal)
      }),
    )
  }

  async #ask(key: string, { kind, namespace, name }: ObjectRef, signal: AbortSignal): Promise<void> {
    const resource = RESOURCES.get(kind)
    if (!resource) return
    const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
    try {
      const decoded = decodeDataObject(await this.#deps.client.get(path, { signal }))
      this.#asked(key, decoded.ok ? decoded.value : undefined)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiStatusError && error.status === 404) this.#asked(key, undefined)
      else this.#deps.log.debug({ object: key, reason: messageOf(error) }, 'a wanted object was not read')
      this.#wasRead(key)
    }
  }

  #asked(key: string, object: DataObject | undefined): void {
    // Meanwhile it may have got a watch, or be wanted no more.
    if (!this.#polled.has(key)) return
    const known = this.#deps.snapshots.wantedObjects.get(key)
    const isSame = known?.metadata.resourceVersion === object?.metadata.resourceVersion
    if (!isSame) this.#put(key, object)
    this.#wasRead(key)
  }

  #wasRead(key: string): void {
    if (this.#fresh.delete(key)) this.#tell(key)
    this.#noteRead()
  }

  #tell(key: string, receivedAtMs?: number): void {
    const ref = this.#wanted.get(key)
    if (ref) this.#deps.onObject(ref, receivedAtMs)
  }

  #noteRead(): void {
    if (this.#fresh.size === 0) this.#whenRead?.abort()
  }

  #tooMany(): readonly Warning[] {
    const { settings, classes } = this.#deps
    const beyond = this.#polled.size
    if (beyond === 0) return []
    const message = `${this.#wanted.size} Secrets and ConfigMaps are named one by one, and ${settings.wantedWatches} are watched; the other ${beyond} are asked for once a minute`
    return classes().map((object) => ({ reason: 'TooManyReferences', object, field: '-', message }))
  }
}
