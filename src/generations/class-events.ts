// What is told of on our classes, and how often (R30-22, R30-23).
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { countsOf, type DiffCounts, summaryOf, sumOfCounts } from '../model/generation-diff.ts'
import { type AuditRecord, summaryOfRecord } from './audit-record.ts'

/** An Event about our classes; whether this replica may write one is up to whoever takes it. */
export interface ClassEvent {
  readonly reason: 'ConfigApplied' | 'ConfigPinned' | 'ConfigResumed' | 'ConfigRejected'
  readonly note: string
}

export interface ClassEventsDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly emit: (event: ClassEvent) => void
  /** Between two `ConfigApplied`. */
  readonly appliedMs: number
}

/** Changes that wait to be told as one. */
interface Folded {
  readonly counts: DiffCounts
  readonly from: number
  readonly to: number
}

/** Turns records into Events; of generations that come faster than one in `appliedMs`, several are told as one. */
export class ClassEvents {
  readonly #deps: ClassEventsDeps
  #toldAtMs = Number.NEGATIVE_INFINITY
  #folded: Folded | undefined
  #cancel: Cancel | undefined

  constructor(deps: ClassEventsDeps) {
    this.#deps = deps
  }

  record(record: AuditRecord): void {
    const note = summaryOfRecord(record)
    switch (record.event) {
      case 'config':
        // One that a pin holds back was not applied.
        if (record.published) this.#applied(record)
        break
      case 'pin':
        this.#deps.emit({ reason: 'ConfigPinned', note })
        break
      case 'resume':
        this.#deps.emit({ reason: 'ConfigResumed', note })
        break
      case 'rejected':
        this.#deps.emit({ reason: 'ConfigRejected', note: `${note}: ${record.reason ?? 'refused'}` })
        break
    }
  }

  /** Tells nothing from now on. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#folded = undefined
  }

  #applied({ diff, previous, generation }: AuditRecord): void {
    const counts = countsOf(diff)
    const before = this.#folded
    this.#folded = before
      ? { counts: sumOfCounts(before.counts, counts), from: before.from, to: generation }
      : { counts, from: previous, to: generation }
    const { clock, timers, appliedMs } = this.#deps
    const leftMs = this.#toldAtMs + appliedMs - clock.monotonicMs()
    if (leftMs <= 0) this.#tell()
    else this.#cancel ??= timers.after(leftMs, () => this.#tell())
  }

  #tell(): void {
    const folded = this.#folded
    this.stop()
    if (!folded) return
    this.#toldAtMs = this.#deps.clock.monotonicMs()
    this.#deps.emit({ reason: 'ConfigApplied', note: summaryOf(folded.counts, folded.from, folded.to) })
  }
}
