import type { Connection } from '../../transport/transport.ts'
import { Stash } from './stash.ts'

export interface IntakeOwner {
  /** Takes of `bytes[from, to)` that whose time has come; the place behind it, `from` where that is nothing. */
  take(bytes: Buffer, from: number, to: number): number
  /** Whether what was not taken is kept; else its connection ends, or is somebody else's. */
  readonly keepsRest: boolean
  /** Of what was read as much was taken as can be, and the rest is kept. */
  readDone(): void
}

/**
 * What came of a client and was not taken yet. Reads are taken apart one after the other, and while one is, nobody else
 * may read on: it goes on by itself.
 */
export class Intake extends Stash {
  /** Within a read: bytes behind the head that was taken last. */
  left = 0
  readonly #connection: Connection
  readonly #owner: IntakeOwner
  #isReading = false
  #isPaused = false

  constructor(connection: Connection, owner: IntakeOwner) {
    super()
    this.#connection = connection
    this.#owner = owner
  }

  /** Whether a read is being taken apart. */
  get isReading(): boolean {
    return this.#isReading
  }

  /** Bytes behind the request that is being answered: within the read that brought it they are not kept yet. */
  get waiting(): number {
    return this.#isReading ? this.left : this.length
  }

  /** `bytes[0, length)` came. */
  received(bytes: Buffer, length: number): void {
    if (this.length === 0) {
      this.#read(bytes, 0, length)
      return
    }
    this.append(bytes, 0, length)
    this.readKept()
  }

  /** Reads on in what is kept. */
  readKept(): void {
    this.#read(this.bytes, this.from, this.to)
  }

  /** Holds back the client. */
  pause(): void {
    this.#isPaused = true
    this.#connection.pause()
  }

  /** Lets the client send again where it was held back. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#connection.resume()
  }

  #read(bytes: Buffer, from: number, to: number): void {
    const owner = this.#owner
    this.#isReading = true
    let at = from
    while (at < to) {
      const next = owner.take(bytes, at, to)
      if (next === at) break
      at = next
    }
    this.#isReading = false
    if (!owner.keepsRest) return
    this.keep(bytes, at, to)
    owner.readDone()
  }
}
