// What one worker may hold in buffers, and what it gives up when that is nearly or wholly in use (R20-122, R20-126).
import type { ProcessField } from '../model/counters.ts'

/** From here on a worker sheds. */
const TIGHT_SHARE = 0.8

/** Where it counts what is held. */
interface BudgetCounters {
  addProcess(field: ProcessField, value: number): void
}

export class BufferBudget {
  readonly #bytes: number
  readonly #counters: BudgetCounters
  #used = 0

  /** `bytes`: the share of this worker. */
  constructor(bytes: number, counters: BudgetCounters) {
    this.#bytes = bytes
    this.#counters = counters
  }

  /** Whether new requests are refused and idle connections closed. */
  get isTight(): boolean {
    return this.#used >= this.#bytes * TIGHT_SHARE
  }

  /** Whether nothing more is read from either side. */
  get isSpent(): boolean {
    return this.#used >= this.#bytes
  }

  /** An account of its own for one connection, with nothing on it. */
  open(): BufferAccount {
    let held = 0
    return {
      set: (bytes) => {
        const change = bytes - held
        if (change === 0) return
        held = bytes
        this.#used += change
        this.#counters.addProcess('bufferedBytes', change)
      },
    }
  }
}

/** What one connection holds in buffers. */
export interface BufferAccount {
  set(bytes: number): void
}
