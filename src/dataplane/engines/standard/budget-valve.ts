import type { Readable } from 'node:stream'
import type { EngineContext } from './context.ts'

/** What pauses a body: a sink that is full, and a budget that is spent. The one does not open what the other shut. */
export class BudgetValve {
  readonly #context: EngineContext
  readonly #source: Readable
  #isShut = false

  constructor(context: EngineContext, source: Readable) {
    this.#context = context
    this.#source = source
  }

  /** A chunk was written and accounted for; `isFull`: the sink wants no more for now. */
  wrote(isFull: boolean): void {
    const { budget, deps } = this.#context
    if (budget.isSpent && !this.#isShut) {
      this.#isShut = true
      deps.counters.addProcess('shedPaused', 1)
    }
    if (isFull || this.#isShut) this.#source.pause()
  }

  /** The sink takes more again. */
  drained(): void {
    if (!this.#isShut) this.#source.resume()
  }

  /**
   * To be called from time to time: reads on where the budget allows it again, or where the sink took everything. What
   * waits in the source counts as well, so that without the second nobody might ever make room. `waiting`: bytes in
   * the sink.
   */
  relieve(waiting: number): void {
    if (!this.#isShut || (waiting > 0 && this.#context.budget.isSpent)) return
    this.#isShut = false
    this.#source.resume()
  }
}
