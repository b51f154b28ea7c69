import type { Clock } from '../lib/clock.ts'
import type { Generation, PublishFailure } from '../model/generation.ts'
import type { GenerationDiff } from '../model/generation-diff.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { AuditEvent, AuditRecord } from './audit-record.ts'
import { type GenerationFacts, History, type HistoryOutcome, type HistoryRecord } from './history.ts'

export interface LedgerDeps {
  readonly diff: (before: RouteTable | undefined, after: RouteTable) => GenerationDiff
  readonly clock: Clock
  readonly onAudit: (record: AuditRecord) => void
  /** 0 reads as 1. */
  readonly historySize: number
}

/** Writes down what became of generations, and makes one audit record of each change (R30-21). */
export class Ledger {
  readonly #deps: LedgerDeps
  readonly #history: History

  constructor(deps: LedgerDeps) {
    this.#deps = deps
    this.#history = new History(Math.max(1, deps.historySize))
  }

  /** Newest first. */
  history(): readonly HistoryRecord[] {
    return this.#history.records()
  }

  /** A pin keeps it back. Nothing where something became of it before. */
  held(facts: GenerationFacts): void {
    if (this.#history.find(facts.number)) return
    this.#record(facts, { kind: 'held' })
    this.#audit('config', facts, { published: false })
  }

  /** Every worker serves it. Nothing where it served before, and serves anew by a pin or another number. */
  applied(facts: GenerationFacts): void {
    const before = this.#history.find(facts.number)?.outcome.kind
    if (before === 'applied') return
    this.#record(facts, { kind: 'applied' })
    // Of one that was held back there is a record, and its release is the next one.
    if (before !== 'held') this.#audit('config', facts, { published: true })
  }

  /** A worker refused it; one record, however often it is tried again. */
  rejected(facts: GenerationFacts, why: { readonly reason: PublishFailure; readonly message: string }): void {
    const wasRejected = this.#history.find(facts.number)?.outcome.kind === 'rejected'
    this.#record(facts, { kind: 'rejected', ...why })
    if (!wasRejected) this.#audit('rejected', facts, { published: false, reason: `${why.reason}: ${why.message}` })
  }

  /** A pin, or its release, made `now` serve in place of `before`. */
  turned(event: 'pin' | 'resume', before: Generation | undefined, now: Generation | undefined): void {
    if (!before || !now) return
    const { number: generation, digest, routes } = now
    const diff = this.#deps.diff(before.routes, routes)
    this.#deps.onAudit({ event, generation, previous: before.number, digest, published: true, diff })
  }

  /** The generation of number `before` goes by `number` from now on. */
  renumber(before: number, number: number): void {
    this.#history.renumber(before, number)
  }

  #record(facts: GenerationFacts, outcome: HistoryOutcome): void {
    this.#history.add({ ...facts, atMs: this.#deps.clock.wallMs(), outcome })
  }

  #audit(
    event: AuditEvent,
    { number, previous, digest, diff }: GenerationFacts,
    outcome: { readonly published: boolean; readonly reason?: string },
  ): void {
    this.#deps.onAudit({ event, generation: number, previous, digest, diff, ...outcome })
  }
}
