import type { Clock } from '../lib/clock.ts'

export interface ContestsDeps {
  /** How long a strip counts. */
  readonly contestWindowMs: number
  readonly clock: Clock
}

/** So many strips within the window, and we give in (R30-36). */
const STRIPS = 3

/** Counts how often somebody takes away what we write onto an object, and says where we stop. */
export class Contests {
  readonly #deps: ContestsDeps
  /** When it was taken away (monotonic), of the last few times. */
  readonly #strips = new Map<string, readonly number[]>()
  readonly #lost = new Set<string>()

  constructor(deps: ContestsDeps) {
    this.#deps = deps
  }

  isLost(key: string): boolean {
    return this.#lost.has(key)
  }

  lost(): readonly string[] {
    return [...this.#lost]
  }

  /** Counts one; true: with this one it is lost. */
  stripped(key: string): boolean {
    if (this.#lost.has(key)) return false
    const { clock, contestWindowMs } = this.#deps
    const nowMs = clock.monotonicMs()
    const recent = [...(this.#strips.get(key) ?? []), nowMs].filter((atMs) => nowMs - atMs < contestWindowMs)
    this.#strips.set(key, recent)
    if (recent.length < STRIPS) return false
    this.#strips.delete(key)
    this.#lost.add(key)
    return true
  }

  forget(key: string): void {
    this.#strips.delete(key)
    this.#lost.delete(key)
  }
}
