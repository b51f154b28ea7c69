/** Bytes that came before their time; nothing is held where there are none. */
export class Stash {
  #bytes: Buffer = NO_BYTES
  #from = 0
  #to = 0

  get bytes(): Buffer {
    return this.#bytes
  }

  get from(): number {
    return this.#from
  }

  get to(): number {
    return this.#to
  }

  get length(): number {
    return this.#to - this.#from
  }

  /** Puts `bytes[from, to)` behind what is held. */
  append(bytes: Buffer, from: number, to: number): void {
    this.#makeRoom(to - from)
    bytes.copy(this.#bytes, this.#to, from, to)
    this.#to += to - from
  }

  /** Holds `bytes[from, to)` and nothing else; they may be its own. */
  keep(bytes: Buffer, from: number, to: number): void {
    if (from >= to) {
      this.clear()
      return
    }
    if (bytes === this.#bytes) {
      this.#from = from
      this.#to = to
      return
    }
    this.clear()
    this.append(bytes, from, to)
  }

  clear(): void {
    this.#bytes = NO_BYTES
    this.#from = 0
    this.#to = 0
  }

  #makeRoom(more: number): void {
    if (this.#to + more <= this.#bytes.length) return
    const { length } = this
    // Twice what is needed, so that a head that trickles in is not copied with each of its bytes.
    const larger = length === 0 ? Buffer.allocUnsafeSlow(more) : Buffer.allocUnsafeSlow((length + more) * 2)
    this.#bytes.copy(larger, 0, this.#from, this.#to)
    this.#bytes = larger
    this.#from = 0
    this.#to = length
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)
