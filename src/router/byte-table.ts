// A hash table whose keys are byte strings and whose lookups read them where they lie in a request's buffer. Bytes are
// taken four at a time: byte by byte a match took 210 ns and not 115.

/** Given back where a key is not in the table. */
export const ABSENT = -1

const MULTIPLIER = 0xc2b2ae35

// An entry is four cells side by side, so that a look-up touches one cache line and the key.
const ENTRY = 4
const HASH = 0
const KEY_AT = 1
const KEY_LENGTH = 2
/** One higher than it is, so that 0 is a free entry. */
const VALUE = 3

/** Reports whether every character of `text` is one byte: what no request can hold is no key. */
export function isByteText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0xff) return false
  return true
}

/** The place behind the last whole word of `bytes[start, end)`. */
export function wordsEnd(start: number, end: number): number {
  return end - ((end - start) & 3)
}

/** `hash` led on over the words of `bytes[from, to)`, a whole number of them. */
export function hashWords(hash: number, bytes: Uint8Array, from: number, to: number): number {
  let led = hash
  for (let at = from; at < to; at += 4) led = step(led, wordAt(bytes, at))
  return led
}

/** Immutable. The value of a key is its place in the list of keys. */
export class ByteTable {
  /** What the hash of every key begins with. */
  readonly seed: number
  /** Entries, addressed openly at half load, then keys: words of which the last is filled up with zeros. */
  readonly #cells: Int32Array
  readonly #mask: number

  /**
   * `keys` are byte texts (`isByteText`), no two alike. The seed must not be known to whoever chooses keys before they
   * are chosen, so that nobody makes keys collide on purpose: the digest of the table that they stand in is such.
   */
  constructor(keys: readonly string[], seed: number) {
    let capacity = 2
    while (capacity < keys.length * 2) capacity *= 2
    const words = keys.reduce((sum, { length }) => sum + wordCount(length), 0)
    this.seed = seed
    this.#mask = capacity - 1
    this.#cells = new Int32Array(capacity * ENTRY + words)
    const bytes = new Uint8Array(keys.reduce((longest, { length }) => Math.max(longest, length), 0))
    let at = capacity * ENTRY
    for (const [value, key] of keys.entries()) {
      writeBytes(key, bytes)
      this.#insert(bytes, key.length, at, value)
      at += wordCount(key.length)
    }
  }

  /** The value of the key `bytes[start, end)`, or `ABSENT`. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.findHashed(bytes, start, end, hashWords(this.seed, bytes, start, wordsEnd(start, end)))
  }

  /** The same where the hash of the key's whole words, led on from the seed, is known. */
  findHashed(bytes: Uint8Array, start: number, end: number, wordsHash: number): number {
    const cells = this.#cells
    const length = end - start
    const hash = hashEnd(bytes, wordsEnd(start, end), end, wordsHash ^ length)
    for (let place = hash & this.#mask; ; place = (place + 1) & this.#mask) {
      const entry = place * ENTRY
      const value = cells[entry + VALUE] ?? 0
      // At half load some entry is free.
      if (value === 0) return ABSENT
      if (cells[entry + HASH] !== hash || cells[entry + KEY_LENGTH] !== length) continue
      if (this.#isKeyAt(cells[entry + KEY_AT] ?? 0, bytes, start, end)) return value - 1
    }
  }

  #isKeyAt(key: number, bytes: Uint8Array, start: number, end: number): boolean {
    const cells = this.#cells
    const rest = wordsEnd(start, end)
    let cell = key
    for (let at = start; at < rest; at += 4) {
      if (cells[cell] !== wordAt(bytes, at)) return false
      cell += 1
    }
    return rest === end || cells[cell] === tailAt(bytes, rest, end)
  }

  #insert(bytes: Uint8Array, length: number, at: number, value: number): void {
    const cells = this.#cells
    const rest = wordsEnd(0, length)
    for (let index = 0; index < rest; index += 4) cells[at + index / 4] = wordAt(bytes, index)
    if (rest < length) cells[at + rest / 4] = tailAt(bytes, rest, length)
    const hash = hashEnd(bytes, rest, length, hashWords(this.seed, bytes, 0, rest) ^ length)
    let place = hash & this.#mask
    while (cells[place * ENTRY + VALUE] !== 0) place = (place + 1) & this.#mask
    const entry = place * ENTRY
    cells[entry + HASH] = hash
    cells[entry + KEY_AT] = at
    cells[entry + KEY_LENGTH] = length
    cells[entry + VALUE] = value + 1
  }
}

function wordCount(length: number): number {
  return (length + 3) >>> 2
}

function writeBytes(text: string, into: Uint8Array): void {
  for (let index = 0; index < text.length; index += 1) into[index] = text.charCodeAt(index)
}

function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
  return low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}

/** Up to three bytes as a word. */
function tailAt(bytes: Uint8Array, at: number, end: number): number {
  let word = 0
  for (let index = end - 1; index >= at; index -= 1) word = (word << 8) | (bytes[index] ?? 0)
  return word
}

function hashEnd(bytes: Uint8Array, rest: number, end: number, hash: number): number {
  return step(hash, tailAt(bytes, rest, end))
}

// The shift brings the well-mixed high bits down to where places are chosen, and keeps a change in one word from being
// undone by one in the next.
function step(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MULTIPLIER)
  return mixed ^ (mixed >>> 15)
}
