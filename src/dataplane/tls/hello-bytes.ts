import { type ClientHelloParse, parseClientHello } from '../../http/client-hello.ts'

const NOTHING = Buffer.alloc(0)

/** What one client has sent so far. Nearly always that is one chunk, which is then not copied. */
export class HelloBytes {
  #bytes: Buffer = NOTHING
  #length = 0
  #isOurs = false

  get length(): number {
    return this.#length
  }

  /** All that was appended. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** What it all says, with `chunk` behind it. To be called no more once that is not `need-more`. */
  append(chunk: Buffer): ClientHelloParse {
    if (this.#length === 0) this.#bytes = chunk
    else this.#copy(chunk)
    this.#length += chunk.length
    return parseClientHello(this.#bytes, 0, this.#length)
  }

  #copy(chunk: Buffer): void {
    const needed = this.#length + chunk.length
    if (!this.#isOurs || needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(needed * 2)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
      this.#isOurs = true
    }
    chunk.copy(this.#bytes, this.#length)
  }
}
