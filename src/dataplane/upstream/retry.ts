/** The part of a request body that was sent already, kept as long as all of it fits, for a second try (R20-117). */
export class RetryBuffer {
  #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0
  #isWhole = true

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether everything that was kept since the start is still here. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** In the order in which they were sent. */
  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  /** How many bytes it holds. */
  get bytes(): number {
    return this.#isWhole ? this.#bytes : 0
  }

  /** From now on it holds up to so many bytes. */
  holdUpTo(maxBytes: number): void {
    this.#maxBytes = maxBytes
  }

  keep(chunk: Buffer): void {
    if (!this.#isWhole) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.drop()
    else this.#chunks.push(chunk)
  }

  /** Lets go of the memory: no second try is possible any more. */
  drop(): void {
    this.#isWhole = false
    this.#chunks = []
  }
}
