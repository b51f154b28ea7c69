import type { HistogramTotals } from '../model/counters.ts'
import { DurationHistogram } from './histogram.ts'

/** How long compiles and publishes took, since the start. */
export class ControlPlaneFigures {
  readonly #compile = new DurationHistogram()
  readonly #publish = { generation: new DurationHistogram(), endpoints: new DurationHistogram() }

  compiled(durationMs: number): void {
    this.#compile.observe(durationMs / 1000)
  }

  /** `durationMs` from the event to the last worker that serves. */
  published(what: 'generation' | 'endpoints', durationMs: number): void {
    this.#publish[what].observe(durationMs / 1000)
  }

  totals(): Readonly<Record<'compile' | 'publishGeneration' | 'publishEndpoints', HistogramTotals>> {
    return {
      compile: this.#compile.totals(),
      publishGeneration: this.#publish.generation.totals(),
      publishEndpoints: this.#publish.endpoints.totals(),
    }
  }
}
