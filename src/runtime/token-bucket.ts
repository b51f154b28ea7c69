import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import { waitFor } from './wait.ts'

export interface TokenBucketDeps {
  readonly perSecond: number
  /** Tokens that gather while nobody takes any. */
  readonly burst: number
  readonly clock: Clock
  readonly timers: Timers
}

/** Lets so many things happen a second, whoever does them: each takes a token first (R30-31). */
export class TokenBucket {
  readonly #deps: TokenBucketDeps
  /** Below 0: promised to those who wait. */
  #tokens: number
  #filledAtMs: number

  constructor(deps: TokenBucketDeps) {
    this.#deps = deps
    this.#tokens = deps.burst
    this.#filledAtMs = deps.clock.monotonicMs()
  }

  /** Resolves when a token was taken, in the order of the calls; sooner when `signal` is aborted. */
  async take(signal: AbortSignal): Promise<void> {
    const { perSecond, timers } = this.#deps
    this.#fill()
    this.#tokens -= 1
    if (this.#tokens < 0) await waitFor((-this.#tokens * 1000) / perSecond, timers, signal)
  }

  #fill(): void {
    const { perSecond, burst, clock } = this.#deps
    const nowMs = clock.monotonicMs()
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledAtMs) * perSecond) / 1000)
    this.#filledAtMs = nowMs
  }
}
