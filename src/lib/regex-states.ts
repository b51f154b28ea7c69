// Remembers sets of waiting instructions and where each byte leads from them, within a bound of memory: the states of a
// lazy automaton.
import type { Stepper } from './regex-stepper.ts'

/** Where nothing is known yet. */
export const UNKNOWN = -1
/** Given in place of a state where there is no room for another one. */
export const NO_ROOM = -1

// A known exit is one number: the state it leads to, whether anything waits there, and the work of the step.
const STATE_BITS = 13
const MAX_STATES = 1 << STATE_BITS
const DEAD_BIT = 1 << STATE_BITS
const WORK_SHIFT = STATE_BITS + 1
const MAX_WORK = 0xffff

// Of each state, beside its exits and its items.
const HEADER = 8
const ITEMS_START = 0
const ITEMS_LENGTH = 1
const BEST = 2
const BEFORE = 3
const HASH = 4
const FINAL_BEST = 5
const FINAL_WORK = 6

/** The state that a known exit leads to. */
export function stateOf(exit: number): number {
  return exit & (MAX_STATES - 1)
}

/** Reports whether nothing waits behind a known exit: what has matched by then is final. */
export function isDead(exit: number): boolean {
  return (exit & DEAD_BIT) !== 0
}

/** Instructions visited by the step of a known exit. */
export function workOf(exit: number): number {
  return exit >>> WORK_SHIFT
}

/** The states of one set of patterns. They depend on the order of the texts that were matched, answers never do. */
export class States {
  readonly #classes: number
  readonly #maxCells: number
  #count = 0
  #items = new Int32Array(64)
  #itemsLength = 0
  #header: Int32Array<ArrayBuffer>
  #exits: Int32Array<ArrayBuffer>
  /** Open addressing by hash; a state's number + 1, 0 for none. */
  #index = new Int32Array(32)

  /** `maxBytes` bounds the memory of all states together; `classes` is the number of exits of a state. */
  constructor(classes: number, maxBytes: number) {
    this.#classes = classes
    this.#maxCells = Math.floor(maxBytes / Int32Array.BYTES_PER_ELEMENT)
    this.#header = new Int32Array(16 * HEADER)
    this.#exits = new Int32Array(16 * classes).fill(UNKNOWN)
  }

  /** Memory that the states take, room for more of them included. */
  get bytes(): number {
    const cells = this.#items.length + this.#header.length + this.#exits.length + this.#index.length
    return cells * Int32Array.BYTES_PER_ELEMENT
  }

  /** The state that `stepper` stands in, made where it is new, or `NO_ROOM`. */
  enter(stepper: Stepper): number {
    const hash = hashOf(stepper)
    const known = this.#find(stepper, hash)
    if (known !== NO_ROOM) return known
    const { length } = stepper
    if (this.#count === MAX_STATES || !this.#makeRoom(length)) return NO_ROOM
    const state = this.#count++
    this.#items.set(stepper.waiting.subarray(0, length), this.#itemsLength)
    this.#header.set([this.#itemsLength, length, stepper.best, stepper.before, hash, UNKNOWN, UNKNOWN], state * HEADER)
    this.#itemsLength += length
    this.#note(state, hash)
    return state
  }

  /** Puts `stepper` into `state`. */
  restore(stepper: Stepper, state: number): void {
    const header = state * HEADER
    stepper.resume(this.#items, this.#header[header + ITEMS_START] ?? 0, this.#header[header + ITEMS_LENGTH] ?? 0)
    stepper.best = this.best(state)
    stepper.before = this.#header[header + BEFORE] ?? 0
  }

  /** The known exit from `state` by a class of bytes, or `UNKNOWN`. */
  exit(state: number, byteClass: number): number {
    return this.#exits[state * this.#classes + byteClass] ?? UNKNOWN
  }

  /** Notes that `byteClass` leads from `state` to `to` by a step of so much work, and gives the exit. */
  noteExit(state: number, byteClass: number, to: number, work: number): number {
    const dead = this.isDead(to) ? DEAD_BIT : 0
    const exit = to | dead | (work << WORK_SHIFT)
    this.#exits[state * this.#classes + byteClass] = exit
    return exit
  }

  /** The first pattern that has matched where `state` stands. */
  best(state: number): number {
    return this.#header[state * HEADER + BEST] ?? 0
  }

  isDead(state: number): boolean {
    return this.#header[state * HEADER + ITEMS_LENGTH] === 0
  }

  /** The first pattern that has matched where the text ends in `state`, or `UNKNOWN`. */
  finalBest(state: number): number {
    return this.#header[state * HEADER + FINAL_BEST] ?? UNKNOWN
  }

  finalWork(state: number): number {
    return this.#header[state * HEADER + FINAL_WORK] ?? 0
  }

  noteFinal(state: number, best: number, work: number): void {
    this.#header[state * HEADER + FINAL_BEST] = best
    this.#header[state * HEADER + FINAL_WORK] = work
  }

  #find(stepper: Stepper, hash: number): number {
    const mask = this.#index.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const state = (this.#index[slot] ?? 0) - 1
      if (state < 0) return NO_ROOM
      if (this.#header[state * HEADER + HASH] === hash && this.#isAt(state, stepper)) return state
    }
  }

  #isAt(state: number, stepper: Stepper): boolean {
    const header = state * HEADER
    const start = this.#header[header + ITEMS_START] ?? 0
    if (this.#header[header + ITEMS_LENGTH] !== stepper.length) return false
    if (this.#header[header + BEST] !== stepper.best || this.#header[header + BEFORE] !== stepper.before) return false
    for (let at = 0; at < stepper.length; at += 1) if (this.#items[start + at] !== stepper.waiting[at]) return false
    return true
  }

  /** Makes the arrays large enough for one state more; false where they would be larger than they may. */
  #makeRoom(length: number): boolean {
    const count = this.#count + 1
    const items = sizeFor(this.#items, this.#itemsLength + length)
    const header = sizeFor(this.#header, count * HEADER)
    const exits = sizeFor(this.#exits, count * this.#classes)
    const index = sizeFor(this.#index, count * 2)
    if (items + header + exits + index > this.#maxCells) return false
    this.#items = grown(this.#items, items, 0)
    this.#header = grown(this.#header, header, 0)
    this.#exits = grown(this.#exits, exits, UNKNOWN)
    if (index > this.#index.length) this.#indexAnew(index)
    return true
  }

  #indexAnew(size: number): void {
    this.#index = new Int32Array(size)
    for (let state = 0; state < this.#count; state += 1) this.#note(state, this.#header[state * HEADER + HASH] ?? 0)
  }

  #note(state: number, hash: number): void {
    const mask = this.#index.length - 1
    let slot = hash & mask
    while (this.#index[slot] !== 0) slot = (slot + 1) & mask
    this.#index[slot] = state + 1
  }
}

/** Reports whether the work of a step can be kept with its exit. */
export function isKeepable(work: number): boolean {
  return work <= MAX_WORK
}

function hashOf({ waiting, length, best, before }: Stepper): number {
  let hash = Math.imul(best ^ before, 0x01000193)
  for (let at = 0; at < length; at += 1) hash = Math.imul(hash ^ (waiting[at] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}

function sizeFor(array: Int32Array, needed: number): number {
  return needed <= array.length ? array.length : Math.max(needed, array.length * 2)
}

function grown(array: Int32Array<ArrayBuffer>, size: number, filler: number): Int32Array<ArrayBuffer> {
  if (size === array.length) return array
  const larger = new Int32Array(size).fill(filler, array.length)
  larger.set(array)
  return larger
}
