import type { Random } from '../lib/random.ts'

export interface BackoffSettings {
  /** Upper bound of the first delay. */
  readonly minMs: number
  /** No delay is longer. */
  readonly maxMs: number
  /** So long without a failure, and the next one is the first again. */
  readonly resetMs: number
}

/** What readers of the API wait after failures (R70-112). */
export const READER_BACKOFF: BackoffSettings = { minMs: 800, maxMs: 30_000, resetMs: 120_000 }

/** Delays between attempts: doubled at each failure, with full jitter, small again after a time of health. */
export class Backoff {
  readonly #settings: BackoffSettings
  readonly #random: Random
  #ceilingMs: number
  /** When the delay of the last failure was over. */
  #readyAtMs = Number.NEGATIVE_INFINITY

  constructor(settings: BackoffSettings, random: Random) {
    this.#settings = settings
    this.#random = random
    this.#ceilingMs = settings.minMs
  }

  /** Milliseconds to wait after the failure at `nowMs` (monotonic): never less than `atLeastMs`, which a server asked for. */
  delayMs(nowMs: number, atLeastMs: number = 0): number {
    const { minMs, maxMs, resetMs } = this.#settings
    if (nowMs - this.#readyAtMs >= resetMs) this.#ceilingMs = minMs
    const delay = Math.max(this.#random() * this.#ceilingMs, atLeastMs)
    this.#ceilingMs = Math.min(this.#ceilingMs * 2, maxMs)
    this.#readyAtMs = nowMs + delay
    return delay
  }
}
