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
import { collectionPath, type Resource, resourceName } from './resource.ts'
import { isOlderVersion, type Trouble, troubleOf } from './trouble.ts'
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

/** Keeps a sink equal to one collection of the API server: list, watch from there, and list again where that breaks. */
export class Reflector {
  readonly #deps: ReflectorDeps
  readonly #path: string
  readonly #backoff: Backoff
  /** Where to watch from; `undefined`: list first. */
  #version: string | undefined
  #newestVersion: string | undefined
  #state: ReflectorState = { kind: 'syncing', problem: '' }
  #hasListed = false
  #doing: 'list' | 'watch' = 'list'
  #provedAtMs: number | undefined
  #resyncAtMs: number | undefined
  /** What was last reported as failing; empty while reading works. */
  #failure = ''
  #watchesBegun = 0

  constructor(deps: ReflectorDeps) {
    this.#deps = deps
    this.#path = collectionPath(deps.resource, deps.namespace)
    this.#backoff = new Backoff(READER_BACKOFF, deps.random)
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
    const { client, resource, namespace } = this.#deps
    for (const verb of ['list', 'watch'] as const) {
      this.#doing = verb
      if (await mayI(client, { verb, resource, namespace }, signal)) continue
      const answer = { status: 403, reason: 'Forbidden', retryAfterMs: 0, causes: [] }
      throw new ApiStatusError(`the API server says that we may not ${verb} ${resourceName(resource)}`, answer)
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, sink, settings, log } = this.#deps
    this.#doing = 'list'
    const list = sink.startList()
    const take = (items: readonly unknown[]): void => {
      this.#prove()
      for (const item of items) list.add(item)
    }
    const version = await listPages(client, { path: this.#path, pageSize: settings.pageSize, signal, take })
    this.#noteVersion(version)
    this.#resyncAtMs = this.#nextResync()
    list.commit()
    this.#hasListed = true
    this.#enter({ kind: 'synced' })
    log.debug({ ...this.#fields(), resourceVersion: version }, 'listed')
    return version
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const { clock, timers, settings, resource } = this.#deps
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
    if (clock.monotonicMs() - beganMs < SHORTEST_WATCH_MS) {
      throw new ApiUnreachableError(`the watch of ${resourceName(resource)} ended as soon as it began`)
    }
  }

  /** Hands on what the watch sends until the server ends it. */
  async #readWatch(version: string, lastMs: number, guard: WatchGuard): Promise<void> {
    const timeoutSeconds = String(Math.max(1, Math.round(lastMs / 1000)))
    const query = { resourceVersion: version, allowWatchBookmarks: 'true', timeoutSeconds }
    for await (const batch of this.#deps.client.watch(this.#path, { query, signal: guard.signal })) {
      for (const line of batch) this.#take(parseWatchLine(line))
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
    const { clock, timers, settings } = this.#deps
    const trouble = troubleOf(error)
    switch (trouble.kind) {
      case 'forbidden':
      case 'absent':
        this.#version = undefined
        this.#enter(trouble.kind === 'absent' ? { kind: 'absent' } : { kind: 'forbidden', verb: this.#doing })
        this.#reportUnavailable(trouble, error)
        await waitFor(settings.askAgainMs, timers, signal)
        return
      case 'expired':
        this.#version = undefined
        this.#reportExpired(trouble.backwards, error)
        await waitFor(this.#backoff.delayMs(clock.monotonicMs()), timers, signal)
        return
      case 'passing':
        this.#reportFailure(error)
        await waitFor(this.#backoff.delayMs(clock.monotonicMs(), trouble.retryAfterMs), timers, signal)
    }
  }

  #enter(state: ReflectorState): void {
    if (state.kind === 'synced' && this.#failure !== '') {
      this.#failure = ''
      this.#deps.log.info(this.#fields(), 'reading again')
    }
    if (state.kind === 'synced' && this.#state.kind === 'synced') return
    this.#state = state
    this.#deps.onState()
  }

  #reportUnavailable(trouble: Trouble, error: unknown): void {
    const message = trouble.kind === 'absent' ? 'kind not served, asking again' : 'kind forbidden, asking again'
    this.#failure = message
    this.#deps.log.warn({ ...this.#fields(), verb: this.#doing, detail: messageOf(error) }, message)
  }

  #reportExpired(backwards: boolean, error: unknown): void {
    const { log } = this.#deps
    const fields = { ...this.#fields(), detail: messageOf(error) }
    if (backwards) log.warn(fields, 'the API server is behind our version, listing anew')
    else log.info(fields, 'version expired, listing anew')
  }

  /** An API server that is gone for an hour gets a line when it goes and one when it is back (R70-80). */
  #reportFailure(error: unknown): void {
    const { log } = this.#deps
    const message = messageOf(error)
    const fields = { ...this.#fields(), verb: this.#doing, err: error }
    if (message === this.#failure) log.debug(fields, 'reading failed again')
    else log.warn(fields, 'reading failed, trying again')
    this.#failure = message
    if (this.#state.kind === 'synced' && this.#hasListed) return
    this.#enter({ kind: 'syncing', problem: message })
  }

  #noteVersion(version: string): void {
    const newest = this.#newestVersion
    if (newest !== undefined && isOlderVersion(version, newest)) {
      const fields = { ...this.#fields(), from: newest, to: version }
      this.#deps.log.warn(fields, 'the API server went back to an older state, which is taken')
    }
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

  #fields(): { readonly kind: string; readonly namespace?: string } {
    const { resource, namespace } = this.#deps
    return { kind: resource.plural, ...(namespace === undefined ? {} : { namespace }) }
  }
}
