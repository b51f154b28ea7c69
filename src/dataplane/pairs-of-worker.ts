import type { Pair } from '../model/generation.ts'

/** A pair with the sequence by which main and workers know it. */
export interface SequencedPair {
  readonly sequence: number
  readonly pair: Pair
}

/** The pairs of one worker as the main thread knows them. */
export class PairsOfWorker {
  readonly #replaced = new Set<number>()
  /** Sent for building and not assigned yet. */
  #offered: SequencedPair | undefined
  #assigned: SequencedPair | undefined

  /** What the worker serves. */
  get assigned(): SequencedPair | undefined {
    return this.#assigned
  }

  /** Sequences of the pairs that its requests choose endpoints from, or may yet. */
  get readable(): readonly number[] {
    const pairs = [this.#assigned, this.#offered].filter((pair) => pair !== undefined)
    return [...this.#replaced, ...pairs.map(({ sequence }) => sequence)]
  }

  /** `next` was sent for building; `undefined`: what was sent is to be forgotten. */
  offer(next: SequencedPair | undefined): void {
    this.#offered = next
  }

  /** The worker says that it serves what was offered as `sequence`. */
  noteAssigned(sequence: number): void {
    if (this.#offered?.sequence !== sequence) return
    if (this.#assigned) this.#replaced.add(this.#assigned.sequence)
    this.#assigned = this.#offered
    this.#offered = undefined
  }

  /** The worker says that no request of it can choose from that replaced pair any more (R00-16). */
  noteUnused(sequence: number): void {
    this.#replaced.delete(sequence)
  }
}
