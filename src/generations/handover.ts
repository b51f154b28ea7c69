// One attempt to have something served, and what is written down about it (R00-11, R30-7, R30-12).
import type { Clock } from '../lib/clock.ts'
import type { ApplyOutcome, LiveEndpoints, Pair } from '../model/generation.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { Logger } from '../observability/log.ts'
import type { GenerationFacts } from './history.ts'
import type { Ledger } from './ledger.ts'
import { logReport, type PublishReport, type RefusedReport, reasonOf } from './publish-report.ts'
import type { Refusals } from './refusals.ts'
import type { GenerationStore, Kept } from './store.ts'

/** The result of the last compile, with its numbers. */
export interface Compiled {
  readonly kept: Kept
  readonly endpoints: LiveEndpoints
  readonly facts: GenerationFacts
  /** The very table that was compiled. */
  readonly routes: RouteTable
  /** On the monotonic clock. */
  readonly receivedAtMs: number
}

export interface HandoverDeps {
  /** Hands a pair to the data plane; the numbers are those of the generations that are kept. */
  readonly apply: (pair: Pair, keptGenerations: readonly number[]) => Promise<ApplyOutcome>
  readonly store: GenerationStore
  readonly ledger: Ledger
  readonly refusals: Refusals
  readonly clock: Clock
  readonly log: Logger
  /** Called for every report, also of what was tried again later. */
  readonly onReport: (report: PublishReport) => void
}

/** The one place that hands pairs to the data plane. Whoever calls it awaits one attempt before the next. */
export class Handover {
  readonly #deps: HandoverDeps

  constructor(deps: HandoverDeps) {
    this.#deps = deps
  }

  /** Has `compiled` served; while something is `pinned` that, with the endpoints of `compiled`. */
  async attempt(compiled: Compiled, pinned: Kept | undefined): Promise<PublishReport> {
    const { store, ledger, refusals } = this.#deps
    if (pinned) {
      if (pinned !== compiled.kept) ledger.held(compiled.facts)
      return await this.#offer(pinned, compiled)
    }
    const refusal = refusals.of(compiled.routes)
    const served = store.served()
    if (refusal && served) return await this.#offer(served, compiled)
    if (refusal) return this.#report({ kind: 'refused', what: 'generation', ...reasonOf(refusal) })
    const report = await this.#offer(compiled.kept, compiled)
    if (report.kind === 'refused' && report.what === 'generation') await this.#besideRefused(compiled, report)
    return report
  }

  /** Hands `kept` to the data plane with the endpoints of the last compile, unless both serve. */
  async #offer(kept: Kept, { endpoints, facts, receivedAtMs }: Compiled): Promise<PublishReport> {
    const { store, ledger, refusals, apply, clock } = this.#deps
    const pair = store.pairOf(kept, endpoints)
    const served = store.current()
    const what = pair.generation.number === served?.generation.number ? 'endpoints' : 'generation'
    if (what === 'endpoints' && pair.endpoints.table.digest === served?.endpoints.table.digest) {
      return this.#report({ kind: 'unchanged' })
    }
    const outcome = await apply(pair, store.keptWith(kept))
    if (outcome.kind === 'refused') {
      refusals.count(outcome)
      if (what === 'endpoints') refusals.endpointsRefused()
      return this.#report({ kind: 'refused', what, ...reasonOf(outcome) })
    }
    const before = store.applied(kept, pair)
    if (before !== undefined) ledger.renumber(before, kept.generation.number)
    if (facts.number === kept.generation.number) ledger.applied(facts)
    refusals.applied()
    return this.#report({ kind: 'applied', what, pair, durationMs: clock.monotonicMs() - receivedAtMs })
  }

  // What serves goes on getting new endpoints (R00-11).
  async #besideRefused(compiled: Compiled, { reason, message }: RefusedReport): Promise<void> {
    const { store, ledger, refusals } = this.#deps
    refusals.generationRefused(compiled.routes, { kind: 'refused', reason, message })
    ledger.rejected(compiled.facts, { reason, message })
    const served = store.served()
    if (served) await this.#offer(served, compiled)
  }

  #report(report: PublishReport): PublishReport {
    const { log, onReport } = this.#deps
    logReport(log, report)
    onReport(report)
    return report
  }
}
