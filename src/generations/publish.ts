// From tables to what is served: numbers, suppression, one publish at a time, pins (R30-7, R30-11, R30-12, R30-17).
import type { Timers } from '../lib/timers.ts'
import type { Generation, Pair, PublishFailure, Tables } from '../model/generation.ts'
import type { GenerationDiff } from '../model/generation-diff.ts'
import type { Backend, RouteTable } from '../model/route-table.ts'
import type { Warning } from '../model/warning.ts'
import type { AuditRecord } from './audit-record.ts'
import { BackendUnion } from './backend-union.ts'
import { type Compiled, Handover, type HandoverDeps } from './handover.ts'
import { factsOf, type GenerationFacts, type HistoryRecord } from './history.ts'
import { Ledger } from './ledger.ts'
import { type PublishReport, reasonOf } from './publish-report.ts'
import { Refusals, type RetryWaits } from './refusals.ts'
import { type GenerationName, GenerationStore, type Kept } from './store.ts'
import { Turns } from './turns.ts'

export interface PublishInput {
  readonly tables: Tables
  readonly warnings: readonly Warning[]
  /** When the event that led to this compile was received, on the monotonic clock. */
  readonly receivedAtMs: number
}

/** What became of a request to serve a kept generation. */
export type PinOutcome =
  | { readonly kind: 'pinned'; readonly generation: Generation }
  /** Nothing of that name is kept; oldest first what is. */
  | { readonly kind: 'unknown'; readonly kept: readonly Generation[] }
  /** What served before serves on, pinned or not as it was. */
  | { readonly kind: 'refused'; readonly reason: PublishFailure; readonly message: string }

export interface PublishingDeps extends RetryWaits, Omit<HandoverDeps, 'store' | 'ledger' | 'refusals'> {
  /** What the second table changed about the first; `undefined`: there was none. */
  readonly diff: (before: RouteTable | undefined, after: RouteTable) => GenerationDiff
  /** Compiles and publishes again, now: the endpoints of what `servedBackends` says then (R00-22). */
  readonly recompile: () => Promise<void>
  readonly timers: Timers
  /** Called for every change of the configuration (R30-21). */
  readonly onAudit: (record: AuditRecord) => void
  /** How many applied generations are kept (R30-16); 0 reads as 1. */
  readonly historySize: number
}

/** What is served and how it came about: whatever is to be served passes here, one after the other. */
export class Publishing {
  readonly #deps: PublishingDeps
  readonly #store: GenerationStore
  readonly #ledger: Ledger
  readonly #refusals: Refusals
  readonly #handover: Handover
  readonly #backends = new BackendUnion()
  /** Everything that hands a pair over, one at a time. */
  readonly #publishes = new Turns()
  /** Pins and releases, which hand over several. */
  readonly #pins = new Turns()
  #warnings: readonly Warning[] = []
  #newest: Compiled | undefined
  #resolveWaiting: ((report: PublishReport) => void) | undefined
  #pinned: Kept | undefined
  /** About to be pinned: its endpoints are being compiled. */
  #candidate: Kept | undefined

  constructor(deps: PublishingDeps) {
    this.#deps = deps
    this.#store = new GenerationStore(deps.historySize)
    this.#ledger = new Ledger(deps)
    this.#refusals = new Refusals({ ...deps, onRetry: () => this.#retry() })
    const [store, ledger, refusals] = [this.#store, this.#ledger, this.#refusals]
    this.#handover = new Handover({ ...deps, store, ledger, refusals })
  }

  /**
   * Publishes what was compiled, unless it serves already; while a pin is held its endpoints alone. One publish runs at
   * a time; of the results that come meanwhile the newest is next and the others are `superseded`. Resolves after the
   * first attempt; later ones of a refused pair are told to `onReport` alone.
   */
  publish({ tables, warnings, receivedAtMs }: PublishInput): Promise<PublishReport> {
    this.#warnings = warnings
    const before = this.#newest
    const { kept, endpoints } = this.#store.number(tables, warnings)
    const facts = this.#factsOf(kept.generation, before)
    this.#newest = { kept, endpoints, facts, routes: tables.routes, receivedAtMs }
    return this.#publishNewest()
  }

  /**
   * Serves a kept generation, with live endpoints, until `release` or another pin (R30-17). Compiling goes on and what
   * it gives is held back. Needs no API server.
   */
  pin(name: GenerationName): Promise<PinOutcome> {
    return this.#pins.take(() => this.#pin(name))
  }

  /** Serves the newest generation again. Does nothing where no pin is held. */
  release(): Promise<void> {
    return this.#pins.take(() => this.#release())
  }

  /**
   * Gives the newest generation a number above `highest`, and all that follow it, unless its number is above already
   * (R30-15). With `keepNewest` it keeps the one that it has. Resolves when the workers know the new number.
   */
  async raiseNumberTo(highest: number, options: { readonly keepNewest?: boolean } = {}): Promise<void> {
    await this.#publishes.take(async () => {
      this.#store.numberAbove(highest)
      const newest = this.#newest
      if (!newest || options.keepNewest === true || newest.kept.generation.number > highest) return
      await this.#renumber(newest)
    })
  }

  /** Served by every worker; `undefined`: nothing yet. */
  current(): Pair | undefined {
    return this.#store.current()
  }

  /** Compiled last, served or not; `undefined`: nothing yet. */
  newest(): Generation | undefined {
    return this.#store.newest()?.generation
  }

  /** Held by a pin; `undefined`: the newest good generation serves. */
  pinned(): Generation | undefined {
    return this.#pinned?.generation
  }

  /** Those of the last compile, which may differ while its digest does not. */
  warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** The generations that can be served again, oldest first. */
  kept(): readonly Generation[] {
    return this.#store.kept()
  }

  /**
   * Backends whose endpoints are needed whether the newest generation names them or not: of what serves, and of what is
   * pinned or about to be (R00-22). The same map for as long as they are the same.
   */
  servedBackends(): ReadonlyMap<string, Backend> {
    const all = [this.#store.served(), this.#pinned, this.#candidate]
    return this.#backends.of(all.flatMap((kept) => (kept ? [kept.generation.routes.backends] : [])))
  }

  /** Newest first. */
  history(): readonly HistoryRecord[] {
    return this.#ledger.history()
  }

  /** Refused publishes since the start, by reason. */
  failures(): Readonly<Record<PublishFailure, number>> {
    return this.#refusals.counts()
  }

  /** Tries nothing again from now on. */
  stop(): void {
    this.#refusals.settle()
    this.#resolveWaiting?.({ kind: 'superseded' })
    this.#resolveWaiting = undefined
  }

  #factsOf(generation: Generation, before: Compiled | undefined): GenerationFacts {
    if (before?.kept.generation === generation) return before.facts
    const previous = before?.kept.generation
    return factsOf(generation, previous, this.#deps.diff(previous?.routes, generation.routes))
  }

  #publishNewest(): Promise<PublishReport> {
    const isQueued = this.#resolveWaiting !== undefined
    this.#resolveWaiting?.({ kind: 'superseded' })
    return new Promise((resolve, reject) => {
      this.#resolveWaiting = resolve
      if (!isQueued) this.#publishes.take(() => this.#publishWaiting()).catch(reject)
    })
  }

  async #publishWaiting(): Promise<void> {
    const resolve = this.#resolveWaiting
    this.#resolveWaiting = undefined
    if (resolve && this.#newest) resolve(await this.#handover.attempt(this.#newest, this.#pinned))
  }

  // A result that waits for its turn is newer than the one that was refused, and comes in its place.
  #retry(): void {
    if (this.#newest && !this.#resolveWaiting) void this.#publishNewest()
  }

  async #pin(name: GenerationName): Promise<PinOutcome> {
    const wanted = this.#store.find(name)
    if (!wanted) return { kind: 'unknown', kept: this.kept() }
    this.#candidate = wanted
    try {
      await this.#deps.recompile()
      return await this.#publishes.take(() => this.#turnTo(name))
    } finally {
      this.#candidate = undefined
      // What only the generation before named is needed no more.
      await this.#deps.recompile()
    }
  }

  async #turnTo(name: GenerationName): Promise<PinOutcome> {
    const [wanted, newest, before, served] = [this.#store.find(name), this.#newest, this.#pinned, this.#store.served()]
    // What was compiled meanwhile may have put it out.
    if (!wanted || !newest) return { kind: 'unknown', kept: this.kept() }
    this.#pinned = wanted
    const report = await this.#handover.attempt(newest, this.#pinned)
    if (report.kind === 'refused' && report.what === 'generation') {
      this.#pinned = before
      return { kind: 'refused', ...reasonOf(report) }
    }
    if (before !== wanted) this.#ledger.turned('pin', served?.generation, this.#store.served()?.generation)
    return { kind: 'pinned', generation: wanted.generation }
  }

  async #release(): Promise<void> {
    if (!this.#pinned) return
    await this.#publishes.take(async () => {
      const [newest, served] = [this.#newest, this.#store.served()]
      this.#pinned = undefined
      if (newest) await this.#handover.attempt(newest, this.#pinned)
      this.#ledger.turned('resume', served?.generation, this.#store.served()?.generation)
    })
    await this.#deps.recompile()
  }

  async #renumber(newest: Compiled): Promise<void> {
    const renumbered = this.#store.renumberNewest()
    if (!renumbered) return
    const { kept, before, serves } = renumbered
    const pinned = this.#pinned
    if (pinned === newest.kept) this.#pinned = kept
    if (!serves) this.#ledger.renumber(before, kept.generation.number)
    const compiled = { ...newest, kept, facts: { ...newest.facts, number: kept.generation.number } }
    this.#newest = compiled
    const report = await this.#handover.attempt(compiled, this.#pinned)
    // What serves is held by the number that it serves under.
    if (report.kind === 'refused' && report.what === 'generation') this.#pinned = pinned
  }
}
