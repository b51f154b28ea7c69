// Publishing over a data plane that answers as a test says, and what it was handed.
import { diffTables } from '../../src/compiler/diff.ts'
import type { AuditRecord } from '../../src/generations/audit-record.ts'
import { Publishing } from '../../src/generations/publish.ts'
import type { PublishReport } from '../../src/generations/publish-report.ts'
import type { ApplyOutcome, Pair, Tables } from '../../src/model/generation.ts'
import type { Warning } from '../../src/model/warning.ts'
import { type SiteOptions, type Sites, tablesOf } from '../builders/pair.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

export type Refusal = Extract<ApplyOutcome, { readonly kind: 'refused' }>

interface Applied {
  readonly pair: Pair
  readonly kept: readonly number[]
  finish(outcome: ApplyOutcome): void
}

export const OTHER: Refusal = { kind: 'refused', reason: 'other', message: 'a worker threw' }
export const MEMORY: Refusal = { kind: 'refused', reason: 'memory', message: 'a heap ran out' }

export const A: Sites = { 'a.example': ['192.0.2.1:80'] }
export const A_MOVED: Sites = { 'a.example': ['192.0.2.2:80'] }
export const AB: Sites = { ...A, 'b.example': ['192.0.2.1:80'] }
export const AB_MOVED: Sites = { ...A_MOVED, 'b.example': ['192.0.2.1:80'] }
export const AC: Sites = { ...A, 'c.example': [] }

/** A data plane that answers when the test says so, or at once. */
class FakePlane {
  readonly handed: Applied[] = []
  answer: ((pair: Pair) => ApplyOutcome) | undefined = () => ({ kind: 'applied' })

  readonly apply = (pair: Pair, kept: readonly number[]): Promise<ApplyOutcome> =>
    new Promise((finish) => {
      this.handed.push({ pair, kept, finish })
      if (this.answer) finish(this.answer(pair))
    })

  /** Generation and version of every pair that was handed over. */
  numbers(): readonly string[] {
    return this.handed.map(({ pair }) => `${pair.generation.number}/${pair.endpoints.version}`)
  }

  refuse(host: string, refusal: Refusal): void {
    this.answer = ({ generation }) => (generation.routes.hosts.has(host) ? refusal : { kind: 'applied' })
  }
}

/** Keeps three generations. */
export class PublishBench {
  readonly clock: FakeClock = new FakeClock()
  readonly plane: FakePlane = new FakePlane()
  readonly reports: PublishReport[] = []
  readonly records: AuditRecord[] = []
  readonly publishing: Publishing
  /** What a compile finds now; `undefined`: nothing was compiled yet. */
  compiled: Tables | undefined

  constructor() {
    this.publishing = new Publishing({
      apply: this.plane.apply,
      clock: this.clock,
      timers: this.clock,
      log: new FakeLogger(),
      diff: diffTables,
      recompile: async () => {
        if (this.compiled) await this.publishTables(this.compiled)
      },
      onReport: (report) => this.reports.push(report),
      onAudit: (record) => this.records.push(record),
      historySize: 3,
      retryMinMs: 1000,
      retryMaxMs: 60_000,
    })
  }

  publish(
    sites: Sites,
    options: SiteOptions & { readonly warnings?: readonly Warning[] } = {},
  ): Promise<PublishReport> {
    return this.publishTables(tablesOf(sites, options), options.warnings)
  }

  publishTables(tables: Tables, warnings: readonly Warning[] = []): Promise<PublishReport> {
    this.compiled = tables
    return this.publishing.publish({ tables, warnings, receivedAtMs: this.clock.monotonicMs() - 25 })
  }

  /** Number and version of what serves. */
  served(): string {
    const pair = this.publishing.current()
    return pair ? `${pair.generation.number}/${pair.endpoints.version}` : 'nothing'
  }
}
