// A hash table whose keys are byte strings and whose lookups read them where they lie in a request's buffer.

const PRIME = 0x01000193
const FIELDS = 4
const HASH = 0
const KEY_START = 1
const KEY_LENGTH = 2
const VALUE = 3

/** Given back where a key is not in the table. */
export const ABSENT = -1

/** One step of the running hash: `hash` of some bytes and the `byte` after them. */
export function hashNext(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, PRIME)
}

/** The running hash of a range of bytes. */
export function hashRange(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = seed
  for (let index = start; index < end; index += 1) hash = hashNext(hash, bytes[index] ?? 0)
  return hash
}

/** Reports whether every character of `text` is one byte: what no request can hold is no key. */
export function isByteText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0xff) return false
  return true
}

/** Writes the characters of `text` as bytes and gives the place behind them. */
export function writeBytes(text: string, into: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index += 1) into[at + index] = text.charCodeAt(index)
  return at + text.length
}

/**
 * Immutable; the value of a key is its place in the list of keys. Open addressing at half load, the four numbers of an
 * entry side by side, so that a lookup touches one cache line and the key.
 */
export class ByteTable {
  /** What every running hash of this table begins with. */
  readonly seed: number
  readonly #slots: Int32Array
  readonly #keys: Uint8Array
  readonly #mask: number

  /**
   * `keys` are byte texts (`isByteText`), no two alike. The seed should not be known to whoever chooses keys before
   * they are chosen, so that nobody makes them collide on purpose: the digest of the whole table they stand in is such.
   */
  constructor(keys: readonly string[], seed: number) {
    let capacity = 2
    while (capacity < keys.length * 2) capacity *= 2
    this.seed = seed
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity * FIELDS)
    this.#keys = new Uint8Array(keys.reduce((sum, key) => sum + key.length, 0))
    let at = 0
    for (const [value, key] of keys.entries()) {
      const end = writeBytes(key, this.#keys, at)
      this.#insert(hashRange(seed, this.#keys, at, end), at, key.length, value)
      at = end
    }
  }

  /** The value of the key `bytes[start, end)`, whose running hash from `seed` is `hash`, or `ABSENT`. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots
    const length = end - start
    for (let slot = spread(hash) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const base = slot * FIELDS
      // Values are kept one higher, so that 0 is a free slot; at half load there always is one.
      const value = slots[base + VALUE] ?? 0
      if (value === 0) return ABSENT
      if (slots[base + HASH] === hash && slots[base + KEY_LENGTH] === length) {
        if (this.#isKey(slots[base + KEY_START] ?? 0, bytes, start, length)) return value - 1
      }
    }
  }

  #isKey(at: number, bytes: Uint8Array, start: number, length: number): boolean {
    const keys = this.#keys
    for (let index = 0; index < length; index += 1) if (keys[at + index] !== bytes[start + index]) return false
    return true
  }

  #insert(hash: number, at: number, length: number, value: number): void {
    const slots = this.#slots
    let slot = spread(hash) & this.#mask
    while (slots[slot * FIELDS + VALUE] !== 0) slot = (slot + 1) & this.#mask
    slots.set([hash, at, length, value + 1], slot * FIELDS)
  }
}

// The low bits of the running hash know little of its high ones, and only low ones choose a slot.
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}
