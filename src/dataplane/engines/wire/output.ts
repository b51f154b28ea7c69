import type { Connection } from '../../transport/transport.ts'

/** A head of the greatest size with what came behind it in one read. */
const SLAB_BYTES = 128 * 1024
/** Below this a loop is faster than a call that leaves JavaScript. */
const SHORT = 64
const HEX = Buffer.from('0123456789abcdef', 'latin1')
const HEX_DIGITS = 8
const CR = 0x0d
const LF = 0x0a

/**
 * The bytes that a worker writes: one slab for all connections, filled and sent within one step. What the kernel does
 * not take at once keeps the slab, and the next step has another one (R60-23).
 */
export class Output {
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  #length = 0

  /** Bytes that were put in and not sent yet. */
  get length(): number {
    return this.#length
  }

  /** What was put in, from 0 to `length`. */
  get bytes(): Buffer {
    return this.#slab
  }

  /** Puts `bytes[from, to)` behind what is there. */
  append(bytes: Buffer, from: number, to: number): void {
    this.#makeRoom(to - from)
    const slab = this.#slab
    if (to - from > SHORT) bytes.copy(slab, this.#length, from, to)
    else for (let at = from, next = this.#length; at < to; at += 1, next += 1) slab[next] = bytes[at] ?? 0
    this.#length += to - from
  }

  /** Puts all of `bytes` behind what is there. */
  appendAll(bytes: Buffer): void {
    this.append(bytes, 0, bytes.length)
  }

  /** Puts `text`, one byte a character, behind what is there. */
  appendText(text: string): void {
    this.#makeRoom(text.length)
    this.#length += this.#slab.write(text, this.#length, 'latin1')
  }

  appendByte(byte: number): void {
    this.#makeRoom(1)
    this.#slab[this.#length] = byte
    this.#length += 1
  }

  /** Puts the eight digits of a number of 32 bits behind what is there. */
  appendHex(value: number): void {
    this.#makeRoom(HEX_DIGITS)
    const slab = this.#slab
    let at = this.#length
    for (let shift = 28; shift >= 0; shift -= 4) {
      slab[at] = HEX[(value >>> shift) & 15] ?? 0
      at += 1
    }
    this.#length = at
  }

  appendLineEnd(): void {
    this.#makeRoom(2)
    this.#slab[this.#length] = CR
    this.#slab[this.#length + 1] = LF
    this.#length += 2
  }

  /** Takes back what was put in behind `length`. */
  cut(length: number): void {
    this.#length = length
  }

  /** Sends what was put in. */
  sendTo(connection: Connection): void {
    const length = this.#length
    this.#length = 0
    if (length === 0 || connection.isClosed) return
    const slab = this.#slab
    if (connection.queuedBytes > 0) {
      // A slab waits for this connection already: what comes behind it costs its own size and no more.
      const copy = Buffer.allocUnsafeSlow(length)
      slab.copy(copy, 0, 0, length)
      connection.send(copy, 0, length)
    } else if (!connection.send(slab, 0, length) || slab.length > SLAB_BYTES) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    }
  }

  #makeRoom(size: number): void {
    const needed = this.#length + size
    if (needed <= this.#slab.length) return
    const larger = Buffer.allocUnsafeSlow(needed * 2)
    this.#slab.copy(larger, 0, 0, this.#length)
    this.#slab = larger
  }
}
