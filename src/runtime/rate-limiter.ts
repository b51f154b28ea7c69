export interface RetrySettings {
  readonly minMs: number
  readonly maxMs: number
}

/** How long each key waits before it is tried again: doubled with every failure in a row, forgotten on success. */
export class RateLimiter {
  readonly #settings: RetrySettings
  // Holds failing keys only.
  readonly #failures = new Map<string, number>()

  constructor(settings: RetrySettings) {
    this.#settings = settings
  }

  /** Counts a failure of `key`; milliseconds to wait for the next attempt. */
  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    return Math.min(this.#settings.minMs * 2 ** failures, this.#settings.maxMs)
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** Failures of `key` in a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }
}
