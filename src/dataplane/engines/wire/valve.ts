import type { WireContext } from './context.ts'

/** What a valve opens and shuts. */
export interface Source {
  pause(): void
  resume(): void
}

/** What pauses a body: a sink that is full, and a budget that is spent. The one does not open what the other shut. */
export class Valve {
  readonly #context: WireContext
  readonly #source: Source
  #isFull = false
  #isShut = false

  constructor(context: WireContext, source: Source) {
    this.#context = context
    this.#source = source
  }

  /** Whether the source is held back. */
  get isHeld(): boolean {
    return this.#isFull || this.#isShut
  }

  /** Forgets what was; the source is as it is. */
  reset(): void {
    this.#isFull = false
    this.#isShut = false
  }

  /** Something was written; `waiting`: bytes that the sink has not taken yet. */
  wrote(waiting: number): void {
    if (waiting === 0) return
    const { budget, deps } = this.#context
    const wasHeld = this.isHeld
    if (waiting >= deps.settings.connectionBufferBytes) this.#isFull = true
    if (budget.isSpent && !this.#isShut) {
      this.#isShut = true
      deps.counters.addProcess('shedPaused', 1)
    }
    if (this.isHeld && !wasHeld) this.#source.pause()
  }

  /** The sink took everything. */
  drained(): void {
    const wasFull = this.#isFull
    this.#isFull = false
    if (wasFull && !this.#isShut) this.#source.resume()
  }

  /**
   * To be called from time to time: reads on where the budget allows it again, or where the sink took everything. What
   * waits in the source counts as well, so that without the second nobody might ever make room.
   */
  relieve(waiting: number): void {
    if (!this.#isShut || (waiting > 0 && this.#context.budget.isSpent)) return
    this.#isShut = false
    if (!this.#isFull) this.#source.resume()
  }
}
