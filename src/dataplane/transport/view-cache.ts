/** Writes are mostly heads and small answers; a view of something longer costs little beside its bytes. */
const LONGEST_BYTES = 4096
/** So many short sends in a row from another buffer, and that one is the buffer to remember. */
const PATIENCE = 8

/**
 * Views of the first bytes of one buffer, the one that is written from again and again: a new view for each write would
 * be most of what a request allocates (R60-22).
 */
export class ViewCache {
  #buffer: Buffer | undefined
  #views: (Buffer | undefined)[] = []
  #candidate: Buffer | undefined
  #candidateSends = 0

  /** `buffer[from, to)` as a buffer of its own, without a copy. */
  of(buffer: Buffer, from: number, to: number): Buffer {
    if (from !== 0 || to > LONGEST_BYTES) return buffer.subarray(from, to)
    if (buffer !== this.#buffer) return this.#fresh(buffer, to)
    this.#candidateSends = 0
    const known = this.#views[to]
    if (known !== undefined) return known
    const view = buffer.subarray(0, to)
    this.#views[to] = view
    return view
  }

  /** `buffer` was given away: nobody will write from it again. */
  forget(buffer: Buffer): void {
    if (buffer === this.#buffer) this.#remember(undefined)
  }

  #fresh(buffer: Buffer, to: number): Buffer {
    if (to === buffer.length) return buffer
    if (buffer !== this.#candidate) this.#candidateSends = 0
    this.#candidate = buffer
    this.#candidateSends += 1
    if (this.#candidateSends >= PATIENCE) this.#remember(buffer)
    return buffer.subarray(0, to)
  }

  #remember(buffer: Buffer | undefined): void {
    this.#buffer = buffer
    this.#candidate = undefined
    this.#candidateSends = 0
    // Filled, since a look into a hole of an array goes through its prototypes.
    this.#views = buffer ? Array.from<undefined>({ length: LONGEST_BYTES + 1 }) : []
  }
}
