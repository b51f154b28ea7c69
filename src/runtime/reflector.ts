import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { mayI } from './access-review.ts'
import { ApiStatusError, ApiUnreachableError } from './api-errors.ts'
import { Backoff, READER_BACKOFF } from './backoff.ts'
import type { ApiReader } from './client.ts'
import { listPages } from './list-pages.ts'
import { ReadingLog } from './reading-log.ts'
import { collectionPath, type Resource, resourceName, type Selection, selectionQuery } from './resource.ts'
import { isOlderVersion, troubleOf } from './trouble.ts'
import { waitFor } from './wait.ts'
import { parseWatchLine, type WatchEvent } from './watch-event.ts'
import { WatchGuard } from './watch-guard.ts'

/** Where a kind stands with the API server. `forbidden` and `absent` are asked again; what was read before is kept. */
export type ReflectorState =
  | { readonly kind: 'syncing' /** The last failure; empty before the first. */; readonly problem: string }
  | { readonly kind: 'synced' }
  | { readonly kind: 'forbidden'; readonly verb: 'list' | 'watch' }
  | { readonly kind: 'absent' }

/** Takes what the reflector reads. */
export interface ReflectorSink {
  startList(): PendingList
  /** One object as it is now. */
  set(raw: unknown): void
  delete(raw: unknown): void
}

/** A list that is being read, outside of what is in use: one that is never committed has no effect. */
export interface PendingList {
  add(raw: unknown): void
  /** Makes the list all there is, in one step. */
  commit(): void
}

export interface ReflectorSettings {
  /** Objects a page of a list (R50-1). */
  readonly pageSize: number
  /** How long a watch is asked to last; jittered by a tenth (R50-2). */
  readonly watchTimeoutMs: number
  /** A watch without event and bookmark for so long after `watchTimeoutMs` is taken for dead (R50-2). */
  readonly stallMarginMs: number
  /** After about so long everything is listed and compared (R30-8); 0: never. */
  readonly resyncPeriodMs: number
  /** How often a kind that is absent or forbidden is asked for again. */
  readonly askAgainMs: number
}

export interface ReflectorDeps {
  readonly client: ApiReader
  readonly resource: Resource
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined
  /** `undefined`: all objects. */
  readonly selection?: Selection | undefined
  readonly sink: ReflectorSink
  readonly settings: ReflectorSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
  /** Told after each change of `state`. */
  readonly onState: () => void
}

/** A watch that the server ended sooner than this is a failure, and not the end of its time. */
const SHORTEST_WATCH_MS = 1000
/** A watch that lasted so long must have had a bookmark: 1.37 sends them within two minutes, and one before the end. */
const QUIET_WATCH_MS = 120_000
/** A kind that is refused is asked for so often by the ordinary back-off, before the slow asking begins. */
const EARLY_ATTEMPTS = 3

/** Keeps a sink equal to one collection of the API server: list, watch from there, and list again where that breaks. */
export class Reflector {
  readonly #deps: ReflectorDeps
  readonly #path: string
  readonly #backoff: Backoff
  readonly #log: ReadingLog
  /** Where to watch from; `undefined`: list first. */
  #version: string | undefined
  #newestVersion: string | undefined
  #state: ReflectorState = { kind: 'syncing', problem: '' }
  #hasListed = false
  #doing: 'list' | 'watch' = 'list'
  #provedAtMs: number | undefined
  #resyncAtMs: number | undefined
  /** Answers in a row that the kind is forbidden or absent. */
  #refusals = 0
  #watchesBegun = 0
  #heardInWatch = false

  constructor(deps: ReflectorDeps) {
    this.#deps = deps
    this.#path = collectionPath(deps.resource, deps.namespace)
    this.#backoff = new Backoff(READER_BACKOFF, deps.random)
    const place = deps.namespace === undefined ? {} : { namespace: deps.namespace }
    this.#log = new ReadingLog(deps.log, { kind: deps.resource.plural, ...place })
  }

  get state(): ReflectorState {
    return this.#state
  }

  /** Whether a whole list has ever reached the sink. */
  get hasListed(): boolean {
    return this.#hasListed
  }

  /** When the API server last proved alive by list, event or bookmark (monotonic); `undefined`: never. */
  get provedAtMs(): number | undefined {
    return this.#provedAtMs
  }

  /** Watches begun after the first one. */
  get watchRestarts(): number {
    return Math.max(0, this.#watchesBegun - 1)
  }

  /** Reads until `signal` is aborted; no failure ends it. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(signal)
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal)
      }
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined) {
      await this.#ask(signal)
      this.#version = await this.#list(signal)
    }
    await this.#watch(this.#version, signal)
  }

  /** Asks before it reads (R30-48), so that an audit log has no refusals of ours. */
  async #ask(signal: AbortSignal): Promise<void> {
    const { client, resource, namespace, selection } = this.#deps
    for (const verb of ['list', 'watch'] as const) {
      this.#doing = verb
      if (await mayI(client, { verb, resource, namespace, name: selection?.name }, signal)) continue
      const answer = { status: 403, reason: 'Forbidden', retryAfterMs: 0, causes: [] }
      throw new ApiStatusError(`the API server says that we may not ${verb} ${resourceName(resource)}`, answer)
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, sink, settings, selection } = this.#deps
    this.#doing = 'list'
    const list = sink.startList()
    const take = (items: readonly unknown[]): void => {
      this.#prove()
      for (const item of items) list.add(item)
    }
    const query = selectionQuery(selection)
    const version = await listPages(client, { path: this.#path, query, pageSize: settings.pageSize, signal, take })
    this.#noteVersion(version)
    this.#resyncAtMs = this.#nextResync()
    list.commit()
    this.#hasListed = true
    this.#enter({ kind: 'synced' })
    this.#log.listed(version)
    return version
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const { clock, timers, settings } = this.#deps
    this.#doing = 'watch'
    this.#watchesBegun += 1
    const lastMs = this.#jittered(settings.watchTimeoutMs)
    const beganMs = clock.monotonicMs()
    const silenceMs = lastMs + settings.stallMarginMs
    const guard = new WatchGuard(signal, { silenceMs, endAtMs: this.#resyncAtMs, clock, timers })
    try {
      await this.#readWatch(version, lastMs, guard)
    } catch (error) {
      if (!guard.isDue) throw error
      this.#version = undefined
      return
    } finally {
      guard.clear()
    }
    this.#judgeEnd(clock.monotonicMs() - beganMs)
  }

  /** Looks at a watch that the server ended after `lastedMs`. */
  #judgeEnd(lastedMs: number): void {
    if (lastedMs < SHORTEST_WATCH_MS) {
      const name = resourceName(this.#deps.resource)
      throw new ApiUnreachableError(`the watch of ${name} ended as soon as it began`)
    }
    // A server whose etcd was restored lets a version of its future be watched, and says nothing until it gets there.
    if (lastedMs < QUIET_WATCH_MS || this.#heardInWatch) return
    this.#version = undefined
    this.#log.wasSilent()
  }

  /** Hands on what the watch sends until the server ends it. */
  async #readWatch(version: string, lastMs: number, guard: WatchGuard): Promise<void> {
    const timeoutSeconds = String(Math.max(1, Math.round(lastMs / 1000)))
    const place = { resourceVersion: version, allowWatchBookmarks: 'true', timeoutSeconds }
    const query = { ...selectionQuery(this.#deps.selection), ...place }
    this.#heardInWatch = false
    for await (const batch of this.#deps.client.watch(this.#path, { query, signal: guard.signal })) {
      for (const line of batch) this.#take(parseWatchLine(line))
      this.#heardInWatch = true
      guard.alive()
      this.#enter({ kind: 'synced' })
    }
  }

  #take(event: WatchEvent): void {
    if (event.type === 'error') throw event.error
    this.#prove()
    if (event.type === 'set') this.#deps.sink.set(event.raw)
    if (event.type === 'deleted') this.#deps.sink.delete(event.raw)
    if (event.resourceVersion === undefined) return
    this.#version = event.resourceVersion
    this.#newestVersion = event.resourceVersion
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, timers } = this.#deps
    const nowMs = clock.monotonicMs()
    const trouble = troubleOf(error)
    switch (trouble.kind) {
      case 'forbidden':
      case 'absent':
        return waitFor(this.#refused(trouble.kind, error), timers, signal)
      case 'expired':
        this.#version = undefined
        this.#log.expired(error, trouble.backwards)
        return waitFor(this.#backoff.delayMs(nowMs), timers, signal)
      case 'passing':
        this.#log.failed(error, this.#doing)
        if (this.#state.kind !== 'synced') this.#enter({ kind: 'syncing', problem: messageOf(error) })
        return waitFor(this.#backoff.delayMs(nowMs, trouble.retryAfterMs), timers, signal)
    }
  }

  /**
   * Milliseconds until the kind is asked for again. Soon at first: an API server that has just started refuses what it
   * will allow a moment later, when it has read its rules and its CRDs.
   */
  #refused(kind: 'forbidden' | 'absent', error: unknown): number {
    const { clock, settings } = this.#deps
    this.#version = undefined
    this.#refusals += 1
    const isEarly = this.#refusals <= EARLY_ATTEMPTS
    this.#enter(kind === 'absent' ? { kind } : { kind, verb: this.#doing })
    this.#log.unavailable(error, this.#doing, this.#refusals === 1 || !isEarly)
    const delayMs = this.#backoff.delayMs(clock.monotonicMs())
    return isEarly ? Math.min(delayMs, settings.askAgainMs) : settings.askAgainMs
  }

  #enter(state: ReflectorState): void {
    if (state.kind === 'synced') {
      this.#refusals = 0
      this.#log.works()
      if (this.#state.kind === 'synced') return
    }
    this.#state = state
    this.#deps.onState()
  }

  #noteVersion(version: string): void {
    const newest = this.#newestVersion
    if (newest !== undefined && isOlderVersion(version, newest)) this.#log.wentBack(newest, version)
    this.#newestVersion = version
  }

  #nextResync(): number | undefined {
    const { clock, settings } = this.#deps
    return settings.resyncPeriodMs > 0 ? clock.monotonicMs() + this.#jittered(settings.resyncPeriodMs) : undefined
  }

  #prove(): void {
    this.#provedAtMs = this.#deps.clock.monotonicMs()
  }

  /** `ms`, give or take a tenth. */
  #jittered(ms: number): number {
    return ms * (0.9 + 0.2 * this.#deps.random())
  }
}
