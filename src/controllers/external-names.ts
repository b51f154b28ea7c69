import type { Clock } from '../lib/clock.ts'
import { hasSameItems } from '../lib/same-items.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { CONTROLLER_DEFAULTS, Controller } from '../runtime/controller.ts'
import type { Runnable } from '../runtime/manager.ts'
import { RateLimiter } from '../runtime/rate-limiter.ts'
import { type ReconcileContext, type ReconcileResult, type Request, requestKey } from '../runtime/reconciler.ts'
import { waitFor } from '../runtime/wait.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** What a name resolves to; no address: it has none, or does not exist. */
export interface NameAnswer {
  readonly addresses: readonly string[]
  /** How long that may be used. */
  readonly ttlMs: number
}

/** Asks for the addresses of a name. Rejects where nobody could say, and when `signal` is aborted. */
export type LookUp = (name: string, signal: AbortSignal) => Promise<NameAnswer>

export interface ExternalNamesDeps {
  readonly lookUp: LookUp
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
}

/** Names that are asked for at a time. */
const AT_ONCE = 8
const LOOK_UP_MS = 10_000
/** A time to live of 0 does not mean to ask for every request, nor one of a week to be wrong for a week. */
const SHORTEST_MS = 1000
const LONGEST_MS = 60 * 60_000
const RETRY = { minMs: 500, maxMs: 30_000 }

/**
 * Keeps the external names that the compiler wants resolved (R10-38), each for as long as its time to live says. The
 * answers enter the snapshot, so the compiler judges every address before anybody dials it (R20-184). Where nobody can
 * say what a name resolves to, what it resolved to last is kept.
 */
export class ExternalNames implements Runnable {
  readonly name = 'external names'
  readonly #deps: ExternalNamesDeps
  readonly #controller: Controller
  readonly #failures = new RateLimiter(RETRY)
  /** By Service (`namespace/name`) the name. */
  #wanted: ReadonlyMap<string, string> = new Map()
  #servicesByName: ReadonlyMap<string, readonly string[]> = new Map()
  /** Wanted, and not asked for once yet. */
  readonly #fresh = new Set<string>()
  #whenAsked: AbortController | undefined
  #ask: (name: string) => void = () => {}

  constructor(deps: ExternalNamesDeps) {
    const { clock, timers, log } = deps
    this.#deps = deps
    this.#controller = new Controller({
      name: 'externalnames',
      sources: [
        {
          connect: (add) => {
            this.#ask = (name) => add(name, clock.monotonicMs())
            for (const name of this.#fresh) this.#ask(name)
          },
        },
      ],
      reconciler: { reconcile: (request, context) => this.#resolve(request, context) },
      settings: { ...CONTROLLER_DEFAULTS, workers: AT_ONCE, deadlineMs: LOOK_UP_MS },
      clock,
      timers,
      log,
    })
  }

  /** Makes `names`, by Service (`namespace/name`), all that is resolved; what is no longer wanted is forgotten. */
  want(names: ReadonlyMap<string, string>): void {
    const before = this.#wanted
    const gone = [...before.keys()].filter((service) => !names.has(service))
    const added = [...names].filter(([service, name]) => before.get(service) !== name)
    if (gone.length === 0 && added.length === 0) return
    this.#wanted = names
    this.#servicesByName = Map.groupBy(names.keys(), (service) => names.get(service) ?? '')
    for (const service of gone) this.#deps.snapshots.resolvedNames.put(service, undefined)
    for (const name of new Set(added.map(([, wanted]) => wanted))) {
      this.#fresh.add(name)
      this.#ask(name)
    }
    this.#noteAsked()
  }

  /** Resolves when every wanted name was asked for once, whatever came of it, or after `ms`. */
  async askedAll(ms: number): Promise<void> {
    this.#whenAsked = new AbortController()
    this.#noteAsked()
    await waitFor(ms, this.#deps.timers, this.#whenAsked.signal)
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run(signal)
  }

  async #resolve(request: Request, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const name = requestKey(request)
    const retryMs = this.#servicesByName.has(name) ? await this.#lookUp(name, signal) : undefined
    this.#fresh.delete(name)
    this.#noteAsked()
    if (!this.#servicesByName.has(name)) this.#failures.forget(name)
    return retryMs === undefined ? {} : { requeueAfterMs: retryMs }
  }

  /** Milliseconds until the name is to be asked for again. */
  async #lookUp(name: string, signal: AbortSignal): Promise<number> {
    const { lookUp, log } = this.#deps
    try {
      const { addresses, ttlMs } = await lookUp(name, signal)
      if (this.#failures.failures(name) > 0) log.info({ name }, 'external name resolved again')
      this.#failures.forget(name)
      this.#take(name, addresses.toSorted())
      return Math.min(Math.max(ttlMs, SHORTEST_MS), LONGEST_MS)
    } catch (error) {
      if (signal.aborted) throw error
      const fields = { name, err: error }
      // One line when it begins to fail, however long that lasts.
      if (this.#failures.failures(name) > 0) log.debug(fields, 'external name not resolved again')
      else log.warn(fields, 'external name not resolved, keeping what it was')
      return this.#failures.next(name)
    }
  }

  #take(name: string, addresses: readonly string[]): void {
    const { snapshots, loop, clock } = this.#deps
    for (const service of this.#servicesByName.get(name) ?? []) {
      const before = snapshots.resolvedNames.get(service)
      if (before?.name === name && hasSameItems(before.addresses, addresses)) continue
      snapshots.resolvedNames.put(service, { name, addresses })
      loop.markDirty({ kind: 'endpoints', service }, clock.monotonicMs())
    }
  }

  #noteAsked(): void {
    for (const name of this.#fresh) if (!this.#servicesByName.has(name)) this.#fresh.delete(name)
    if (this.#fresh.size === 0) this.#whenAsked?.abort()
  }
}
