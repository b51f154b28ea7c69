import { messageOf } from '../lib/errors.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { waitFor } from './wait.ts'
import { Wake } from './wake.ts'

export interface HeldRemovalsDeps {
  /** Whether the API server serves the kind and will go on to; rejects where it cannot say. */
  readonly isServed: (signal: AbortSignal) => Promise<boolean>
  /** Takes out what was truly removed. */
  readonly remove: (keys: readonly string[]) => void
  /** How long a removal is held before somebody asks. */
  readonly holdMs: number
  readonly timers: Timers
  readonly log: Logger
}

/**
 * Removals of objects of a kind that a CRD defines, held until it is known why they went. Who removes a CRD removes each
 * of its objects first, as if somebody had deleted them one by one, and those are not to be lost at once (R50-5).
 */
export class HeldRemovals {
  readonly #deps: HeldRemovalsDeps
  #held = new Set<string>()
  readonly #wake = new Wake()

  constructor(deps: HeldRemovalsDeps) {
    this.#deps = deps
  }

  /** The object of `key` was removed. */
  hold(key: string): void {
    this.#held.add(key)
    this.#wake.call()
  }

  /** The object of `key` is there again. */
  release(key: string): void {
    this.#held.delete(key)
  }

  /** All that is there is known now. */
  clear(): void {
    this.#held.clear()
  }

  /** Decides about what is held until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#held.size === 0) await this.#wake.wait(signal)
      await waitFor(this.#deps.holdMs, this.#deps.timers, signal)
      if (!signal.aborted) await this.#decide(signal)
    }
  }

  async #decide(signal: AbortSignal): Promise<void> {
    const asked = [...this.#held]
    try {
      const isServed = await this.#deps.isServed(signal)
      // What came back while the API server was asked is held no more.
      const keys = asked.filter((key) => this.#held.delete(key))
      if (isServed) this.#deps.remove(keys)
      else this.#deps.log.info({ objects: keys.length }, 'a kind was removed; its objects are kept for now')
    } catch (error) {
      if (!signal.aborted) this.#deps.log.debug({ reason: messageOf(error) }, 'not known whether a kind is served')
    }
  }
}
