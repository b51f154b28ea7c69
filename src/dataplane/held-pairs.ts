import type { PairHolds, ServedPair } from './engine.ts'

interface Held {
  readonly sequence: number
  holds: number
  replaced: boolean
}

/**
 * Which pairs of one worker a request may still choose an endpoint from: the served one, and those replaced ones that
 * a request holds. `onUnused` is told once for each replaced pair when that has ended (R00-16).
 */
export class HeldPairs implements PairHolds {
  readonly #pairs = new Map<ServedPair, Held>()
  readonly #onUnused: (sequence: number) => void

  constructor(onUnused: (sequence: number) => void) {
    this.#onUnused = onUnused
  }

  /** Pairs that may be read. */
  get size(): number {
    return this.#pairs.size
  }

  /** `pair` is served from now on. */
  assigned(pair: ServedPair, sequence: number): void {
    this.#pairs.set(pair, { sequence, holds: 0, replaced: false })
  }

  /** `pair` is served no more. */
  replaced(pair: ServedPair): void {
    const held = this.#pairs.get(pair)
    if (!held) return
    held.replaced = true
    this.#dropIfUnused(pair, held)
  }

  hold(pair: ServedPair): void {
    const held = this.#pairs.get(pair)
    if (held) held.holds += 1
  }

  release(pair: ServedPair): void {
    const held = this.#pairs.get(pair)
    if (!held) return
    held.holds -= 1
    this.#dropIfUnused(pair, held)
  }

  #dropIfUnused(pair: ServedPair, held: Held): void {
    if (!held.replaced || held.holds > 0) return
    this.#pairs.delete(pair)
    this.#onUnused(held.sequence)
  }
}
