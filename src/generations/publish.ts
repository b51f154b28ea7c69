// From tables to what is served: numbers, suppression, one publish at a time, retries (R30-7, R30-11, R30-12).
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { ApplyOutcome, Generation, Pair, PublishFailure, Tables } from '../model/generation.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import { History, type HistoryOutcome, type HistoryRecord } from './history.ts'
import { GenerationStore } from './store.ts'

export interface PublishInput {
  readonly tables: Tables
  readonly warnings: readonly Warning[]
  /** When the event that led to this compile was received, on the monotonic clock. */
  readonly receivedAtMs: number
}

/** What became of one result of the compiler. */
export type PublishReport =
  /** Both digests are those that serve. */
  | { readonly kind: 'unchanged' }
  /** A newer result came before this one's turn. */
  | { readonly kind: 'superseded' }
  /** Every worker serves `pair`; `durationMs` since the event was received. */
  | {
      readonly kind: 'applied'
      readonly what: 'generation' | 'endpoints'
      readonly pair: Pair
      readonly durationMs: number
    }
  /** What served before serves on. */
  | {
      readonly kind: 'refused'
      readonly what: 'generation' | 'endpoints'
      readonly reason: PublishFailure
      readonly message: string
    }

export interface PublishingDeps {
  /** Hands a pair to the data plane; the numbers are those of the generations that are kept. */
  readonly apply: (pair: Pair, keptGenerations: readonly number[]) => Promise<ApplyOutcome>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Called for every report, also of what was tried again later. */
  readonly onReport: (report: PublishReport) => void
  /** How many applied generations are kept (R30-16); 0 reads as 1. */
  readonly historySize: number
}

const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 60_000

/** A result of the compiler with its numbers. */
interface Compiled {
  readonly pair: Pair
  /** The very table that was compiled. */
  readonly routes: RouteTable
  readonly receivedAtMs: number
}

interface Waiting {
  readonly compiled: Compiled
  readonly resolve: (report: PublishReport) => void
}

type Refusal = Extract<ApplyOutcome, { readonly kind: 'refused' }>
type RefusedReport = Extract<PublishReport, { readonly kind: 'refused' }>

/** A generation that was refused and is not tried for now: until it changes, or its resources may be there. */
interface Blocked {
  readonly routes: RouteTable
  readonly refusal: Refusal
}

interface Attempt {
  readonly pair: Pair
  readonly receivedAtMs: number
}

/** What is served and how it came about: the one place that hands pairs to the data plane. */
export class Publishing {
  readonly #deps: PublishingDeps
  readonly #store: GenerationStore
  readonly #history: History
  readonly #failures = new Map<PublishFailure, number>()
  #warnings: readonly Warning[] = []
  #newest: Compiled | undefined
  #waiting: Waiting | undefined
  #isPublishing = false
  #blocked: Blocked | undefined
  #cancelRetry: Cancel | undefined
  #retryMs = RETRY_MIN_MS

  constructor(deps: PublishingDeps) {
    this.#deps = deps
    this.#store = new GenerationStore(deps.historySize)
    this.#history = new History(Math.max(1, deps.historySize))
  }

  /**
   * Publishes what was compiled, unless it serves already. One publish runs at a time; of the results that come
   * meanwhile the newest is next and the others are `superseded`. Resolves after the first attempt; later ones of a
   * refused pair are told to `onReport` alone.
   */
  publish({ tables, warnings, receivedAtMs }: PublishInput): Promise<PublishReport> {
    this.#warnings = warnings
    const compiled = { pair: this.#store.number(tables, warnings), routes: tables.routes, receivedAtMs }
    this.#newest = compiled
    this.#waiting?.resolve({ kind: 'superseded' })
    return new Promise((resolve) => {
      this.#waiting = { compiled, resolve }
      void this.#run()
    })
  }

  /** Served by every worker; `undefined`: nothing yet. */
  current(): Pair | undefined {
    return this.#store.current()
  }

  /** Compiled last, served or not; `undefined`: nothing yet. */
  newest(): Generation | undefined {
    return this.#store.newest()
  }

  /** Those of the last compile, which may differ while its digest does not. */
  warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** The generations that can be served again, oldest first. */
  kept(): readonly Generation[] {
    return this.#store.kept()
  }

  /** Newest first. */
  history(): readonly HistoryRecord[] {
    return this.#history.records()
  }

  /** Refused publishes since the start, by reason. */
  failures(): Readonly<Record<PublishFailure, number>> {
    const of = (reason: PublishFailure): number => this.#failures.get(reason) ?? 0
    return {
      tls_context: of('tls_context'),
      limit: of('limit'),
      port: of('port'),
      memory: of('memory'),
      digest: of('digest'),
      other: of('other'),
    }
  }

  /** Tries nothing again from now on. */
  stop(): void {
    this.#settle()
    this.#waiting?.resolve({ kind: 'superseded' })
    this.#waiting = undefined
  }

  async #run(): Promise<void> {
    if (this.#isPublishing) return
    this.#isPublishing = true
    for (let next = this.#takeWaiting(); next; next = this.#takeWaiting()) {
      next.resolve(await this.#attempt(next.compiled))
    }
    this.#isPublishing = false
  }

  #takeWaiting(): Waiting | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }

  async #attempt({ pair, routes, receivedAtMs }: Compiled): Promise<PublishReport> {
    const blocked = this.#blocked
    if (blocked && !isSameConfiguration(blocked, routes)) this.#settle()
    const beside = this.#store.servedWith(pair)
    if (beside && (this.#store.isServed(pair.generation) || this.#blocked)) {
      return await this.#offer({ pair: beside, receivedAtMs })
    }
    if (this.#blocked) return this.#report({ kind: 'refused', what: 'generation', ...reasonOf(this.#blocked.refusal) })
    const report = await this.#offer({ pair, receivedAtMs })
    if (report.kind === 'refused') await this.#besideRefused({ pair, routes, receivedAtMs }, report)
    return report
  }

  /** Hands a pair to the data plane, unless it serves. */
  async #offer({ pair, receivedAtMs }: Attempt): Promise<PublishReport> {
    const served = this.#store.current()
    const what = pair.generation.number === served?.generation.number ? 'endpoints' : 'generation'
    if (what === 'endpoints' && pair.endpoints.table.digest === served?.endpoints.table.digest) {
      return this.#report({ kind: 'unchanged' })
    }
    const outcome = await this.#deps.apply(pair, this.#store.keptWith(pair.generation))
    if (outcome.kind === 'refused') {
      this.#failures.set(outcome.reason, (this.#failures.get(outcome.reason) ?? 0) + 1)
      if (what === 'endpoints') this.#retryLater()
      return this.#report({ kind: 'refused', what, ...reasonOf(outcome) })
    }
    this.#store.applied(pair)
    if (what === 'generation') this.#record(pair.generation, { kind: 'applied' })
    if (!this.#blocked) this.#settle()
    return this.#report({ kind: 'applied', what, pair, durationMs: this.#deps.clock.monotonicMs() - receivedAtMs })
  }

  // What serves goes on getting new endpoints (R00-11).
  async #besideRefused({ pair, routes, receivedAtMs }: Compiled, { reason, message }: RefusedReport): Promise<void> {
    this.#record(pair.generation, { kind: 'rejected', reason, message })
    this.#blocked = { routes, refusal: { kind: 'refused', reason, message } }
    if (isResource(reason)) this.#retryLater()
    const beside = this.#store.servedWith(pair)
    if (beside) await this.#offer({ pair: beside, receivedAtMs })
  }

  #retryLater(): void {
    if (this.#cancelRetry) return
    this.#cancelRetry = this.#deps.timers.after(this.#retryMs, () => this.#retry())
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS)
  }

  #retry(): void {
    this.#cancelRetry = undefined
    if (this.#blocked && isResource(this.#blocked.refusal.reason)) this.#blocked = undefined
    if (!this.#newest) return
    // A result that waits for its turn is newer than the one that was refused, and comes in its place.
    this.#waiting ??= { compiled: this.#newest, resolve: () => undefined }
    void this.#run()
  }

  /** Nothing is refused any more. */
  #settle(): void {
    this.#blocked = undefined
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    this.#retryMs = RETRY_MIN_MS
  }

  #record({ number, digest }: Generation, outcome: HistoryOutcome): void {
    this.#history.add({ number, digest, atMs: this.#deps.clock.wallMs(), outcome })
  }

  #report(report: PublishReport): PublishReport {
    logReport(this.#deps.log, report)
    this.#deps.onReport(report)
    return report
  }
}

// A lack that may end without a change of the configuration (R30-12).
function isResource(reason: PublishFailure): boolean {
  return reason === 'port' || reason === 'memory'
}

// Refused for what it is: tried again once something was compiled anew, be it to the same digest. Refused for want of
// something: the same digest waits for its next turn.
function isSameConfiguration({ routes, refusal }: Blocked, compiled: RouteTable): boolean {
  return isResource(refusal.reason) ? routes.digest === compiled.digest : routes === compiled
}

function reasonOf({ reason, message }: Refusal): { readonly reason: PublishFailure; readonly message: string } {
  return { reason, message }
}

// A new generation is a change of state; pods come and go all day (R30-23).
function logReport(log: Logger, report: PublishReport): void {
  switch (report.kind) {
    case 'applied': {
      const { generation, endpoints } = report.pair
      const fields = {
        generation: generation.number,
        endpointsVersion: endpoints.version,
        durationMs: report.durationMs,
      }
      if (report.what === 'generation') log.info(fields, 'published')
      else log.debug(fields, 'published endpoints')
      break
    }
    case 'refused':
      log.error({ what: report.what, reason: report.reason, detail: report.message }, 'publish refused')
      break
    case 'unchanged':
    case 'superseded':
      break
  }
}
