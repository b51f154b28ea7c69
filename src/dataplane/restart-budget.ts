/** How often a worker may die, and how long its successor waits (R70-123). */
export interface RestartPolicy {
  readonly minDelayMs: number
  readonly maxDelayMs: number
  /** So many deaths within `windowMs` spend the budget. */
  readonly budget: number
  readonly windowMs: number
}

/** From 0.1 to 10 s; 5 deaths in 60 s spend the budget. */
export const RESTART_POLICY: RestartPolicy = { minDelayMs: 100, maxDelayMs: 10_000, budget: 5, windowMs: 60_000 }

/** What to do about a death. */
export type RestartVerdict = { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'spent' }

/** The deaths of one place among the workers. */
export class RestartBudget {
  readonly #policy: RestartPolicy
  #deaths: readonly number[] = []

  constructor(policy: RestartPolicy) {
    this.#policy = policy
  }

  /** Notes a death at `nowMs` (monotonic); the wait doubles with each death that still counts. */
  died(nowMs: number): RestartVerdict {
    const { minDelayMs, maxDelayMs, budget, windowMs } = this.#policy
    this.#deaths = [...this.#deaths.filter((at) => nowMs - at < windowMs), nowMs]
    const count = this.#deaths.length
    if (count >= budget) return { kind: 'spent' }
    return { kind: 'restart', delayMs: Math.min(minDelayMs * 2 ** (count - 1), maxDelayMs) }
  }
}
