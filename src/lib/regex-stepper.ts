// Runs a program over one byte at a time, on plain sets of instructions: what a remembered state stands for.
import { type ByteClasses, conditionsBetween, EDGE, type Side } from './regex-classes.ts'
import { ASSERT, BYTE, FAIL, JUMP, MATCH, NO_PATTERN, type Program, SPLIT } from './regex-program.ts'

/**
 * Holds the instructions that wait at the current place: those that take a byte, and assertions whose other side is not
 * known yet. Depends on nothing but the bytes since `begin`, so a set that was worked out once may be put back with
 * `resume` at any time.
 */
export class Stepper {
  /** The waiting instructions are `waiting[0, length)`, in an order that depends on the bytes alone. */
  waiting: Int32Array
  length = 0
  /** The first pattern, in order, that has matched so far; `NO_PATTERN` where none has. */
  best: number = NO_PATTERN
  /** What stands before the current place. */
  before: Side = EDGE
  /** Instructions that the last call looked at. */
  visited = 0

  // Not the program itself: its byte sets are not needed once there are classes.
  readonly #start: number
  readonly #op: Uint8Array
  readonly #out: Int32Array
  readonly #arg: Int32Array
  readonly #pattern: Int32Array
  readonly #classes: ByteClasses
  readonly #stack: Int32Array
  /** The call in which an instruction was last visited: nothing is ever cleared. Doubles, so that calls do not run out. */
  readonly #mark: Float64Array
  #call = 0
  #spare: Int32Array

  constructor(program: Program, classes: ByteClasses) {
    const size = program.op.length
    this.#start = program.start
    this.#op = program.op
    this.#out = program.out
    this.#arg = program.arg
    this.#pattern = program.pattern
    this.#classes = classes
    this.#mark = new Float64Array(size)
    // A visited instruction pushes two at most, and is visited once in a call.
    this.#stack = new Int32Array(2 * size + 1)
    this.waiting = new Int32Array(size)
    this.#spare = new Int32Array(size)
  }

  /** Stands at the start of a text. */
  begin(): void {
    this.length = 0
    this.best = NO_PATTERN
    this.before = EDGE
    this.visited = 0
    this.#newCall()
    this.#follow(this.#start, 0)
    this.#dropBeaten()
  }

  /** Stands where `items[start, start + length)` waited. */
  resume(items: Int32Array, start: number, length: number): void {
    for (let index = 0; index < length; index += 1) this.waiting[index] = items[start + index] ?? 0
    this.length = length
  }

  /** Takes a byte of the class `byteClass`. */
  step(byteClass: number): void {
    const op = this.#op
    const arg = this.#arg
    const out = this.#out
    const { taken, count, side } = this.#classes
    const after = side[byteClass] ?? EDGE
    const best = this.best
    this.visited = 0
    this.#settle(after)
    const { length } = this
    const from = this.#turn()
    for (let index = 0; index < length; index += 1) {
      const at = from[index] ?? 0
      this.visited += 1
      if (op[at] === BYTE && taken[(arg[at] ?? 0) * count + byteClass] === 1) this.#follow(out[at] ?? 0, 0)
    }
    this.before = after
    if (this.best < best) this.#dropBeaten()
  }

  /** Stands at the end of the text: `best` is final. */
  finish(): void {
    this.visited = 0
    this.#settle(EDGE)
  }

  /** Follows the waiting assertions that hold now that the other side is known, and drops the rest of them. */
  #settle(after: Side): void {
    const op = this.#op
    const arg = this.#arg
    const out = this.#out
    if (!this.#hasAssertion()) return
    const held = conditionsBetween(this.before, after)
    const { length } = this
    const from = this.#turn()
    for (let index = 0; index < length; index += 1) {
      const at = from[index] ?? 0
      this.visited += 1
      if (op[at] !== ASSERT) this.#follow(at, held)
      else if (((arg[at] ?? 0) & ~held) === 0) this.#follow(out[at] ?? 0, held)
    }
  }

  #hasAssertion(): boolean {
    for (let index = 0; index < this.length; index += 1) if (this.#op[this.waiting[index] ?? 0] === ASSERT) return true
    return false
  }

  /** Adds to the waiting ones what is reached from `start` without a byte, where the conditions `held` hold. */
  #follow(start: number, held: number): void {
    const op = this.#op
    const arg = this.#arg
    const out = this.#out
    const stack = this.#stack
    let height = 0
    stack[height++] = start
    while (height > 0) {
      const at = stack[--height] ?? 0
      if (this.#mark[at] === this.#call) continue
      this.#mark[at] = this.#call
      this.visited += 1
      switch (op[at] ?? FAIL) {
        case SPLIT:
          stack[height++] = arg[at] ?? 0
          stack[height++] = out[at] ?? 0
          break
        case JUMP:
          stack[height++] = out[at] ?? 0
          break
        case ASSERT:
          if (held === 0) this.waiting[this.length++] = at
          else if (((arg[at] ?? 0) & ~held) === 0) stack[height++] = out[at] ?? 0
          break
        case MATCH:
          this.best = Math.min(this.best, arg[at] ?? NO_PATTERN)
          break
        case FAIL:
          break
        default:
          this.waiting[this.length++] = at
      }
    }
  }

  /** A pattern behind one that has matched can win no more. */
  #dropBeaten(): void {
    let kept = 0
    for (let index = 0; index < this.length; index += 1) {
      const at = this.waiting[index] ?? 0
      if ((this.#pattern[at] ?? 0) < this.best) this.waiting[kept++] = at
    }
    this.length = kept
  }

  /** Empties the waiting set for a new one and gives the old. */
  #turn(): Int32Array {
    const from = this.waiting
    this.waiting = this.#spare
    this.#spare = from
    this.length = 0
    this.#newCall()
    return from
  }

  #newCall(): void {
    this.#call += 1
  }
}
