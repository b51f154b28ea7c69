// The patterns of one host as one: a pass over the path tells the first of them that matches, and its work is counted.
import { compileProgram, type Pattern } from './regex.ts'
import { type ByteClasses, classifyBytes } from './regex-classes.ts'
import { NO_PATTERN } from './regex-program.ts'
import { isDead, isKeepable, NO_ROOM, States, stateOf, UNKNOWN, workOf } from './regex-states.ts'
import { Stepper } from './regex-stepper.ts'

/** No pattern matches. */
export const NO_MATCH = -1
/** The match was given up, because it would have cost more than `MAX_MATCH_WORK`. */
export const TOO_COSTLY = -2

/** Instructions that one match may visit (R10-23). */
export const MAX_MATCH_WORK = 1_000_000
/** Memory for the states of one host; beyond it a match goes on without remembering. */
export const MAX_STATE_BYTES: number = 256 * 1024
// Hostile paths fill the memory with states that no usual one meets. So often without room, and it begins anew.
const MAX_OVERFLOWS = 1000

export interface RegexSet {
  /**
   * The index of the first pattern, in order, that matches a beginning of `bytes[start, end)` without regard to case;
   * `NO_MATCH` or `TOO_COSTLY` where there is none. Bytes are characters (latin1). Equal bytes get equal answers,
   * whatever was matched before. Allocates nothing once the states of usual paths are known.
   */
  match(bytes: Uint8Array, start: number, end: number): number
  /** Instructions that the last match visited: alike whether its steps were remembered or worked out. */
  readonly work: number
}

/**
 * The set of these patterns. Only their texts are looked at, and each must have been taken by `compilePattern`: one that
 * was not matches nothing. `maxStateBytes` is for tests.
 */
export function buildRegexSet(
  patterns: readonly Pick<Pattern, 'text'>[],
  options: { readonly maxStateBytes?: number } = {},
): RegexSet {
  return new ProgramSet(
    patterns.map(({ text }) => text),
    options.maxStateBytes ?? MAX_STATE_BYTES,
  )
}

class ProgramSet implements RegexSet {
  work = 0
  readonly #classes: ByteClasses
  readonly #stepper: Stepper
  readonly #maxStateBytes: number
  #states: States
  #start = NO_ROOM
  #startWork = 0
  #overflows = 0

  constructor(texts: readonly string[], maxStateBytes: number) {
    const program = compileProgram(texts)
    this.#classes = classifyBytes(program)
    this.#stepper = new Stepper(program, this.#classes)
    this.#maxStateBytes = maxStateBytes
    this.#states = new States(this.#classes.count, maxStateBytes)
  }

  match(bytes: Uint8Array, start: number, end: number): number {
    let state = this.#start === NO_ROOM ? this.#enterStart() : this.#start
    let work = this.#startWork
    this.work = work
    if (state === NO_ROOM) return this.#matchPlainly(bytes, start, end)
    const states = this.#states
    if (states.isDead(state)) return answer(states.best(state))
    const classOf = this.#classes.of
    for (let index = start; index < end; index += 1) {
      const byteClass = classOf[bytes[index] ?? 0] ?? 0
      const known = states.exit(state, byteClass)
      const exit = known === UNKNOWN ? this.#findExit(state, byteClass) : known
      if (exit === UNKNOWN) return this.#goOnPlainly(bytes, index + 1, end)
      work += workOf(exit)
      this.work = work
      if (work > MAX_MATCH_WORK) return TOO_COSTLY
      state = stateOf(exit)
      if (isDead(exit)) return answer(states.best(state))
    }
    return this.#finish(state)
  }

  #enterStart(): number {
    this.#stepper.begin()
    this.#startWork = this.#stepper.visited
    this.#start = this.#states.enter(this.#stepper)
    return this.#start
  }

  /** Works out a step. `UNKNOWN`: it cannot be remembered, and the stepper stands behind it. */
  #findExit(state: number, byteClass: number): number {
    const stepper = this.#stepper
    this.#states.restore(stepper, state)
    stepper.step(byteClass)
    const to = isKeepable(stepper.visited) ? this.#states.enter(stepper) : NO_ROOM
    return to === NO_ROOM ? UNKNOWN : this.#states.noteExit(state, byteClass, to, stepper.visited)
  }

  #finish(state: number): number {
    const states = this.#states
    if (states.finalBest(state) === UNKNOWN) {
      states.restore(this.#stepper, state)
      this.#stepper.finish()
      states.noteFinal(state, this.#stepper.best, this.#stepper.visited)
    }
    return this.#conclude(states.finalBest(state), states.finalWork(state))
  }

  #matchPlainly(bytes: Uint8Array, start: number, end: number): number {
    this.#stepper.begin()
    return this.#runPlainly(bytes, start, end)
  }

  /** Goes on behind a step that was worked out and could not be remembered. */
  #goOnPlainly(bytes: Uint8Array, start: number, end: number): number {
    this.work += this.#stepper.visited
    const found = this.work > MAX_MATCH_WORK ? TOO_COSTLY : this.#runPlainly(bytes, start, end)
    this.#overflows += 1
    if (this.#overflows > MAX_OVERFLOWS) this.#forget()
    return found
  }

  #runPlainly(bytes: Uint8Array, start: number, end: number): number {
    const stepper = this.#stepper
    for (let index = start; index < end; index += 1) {
      if (stepper.length === 0) return answer(stepper.best)
      stepper.step(this.#classes.of[bytes[index] ?? 0] ?? 0)
      this.work += stepper.visited
      if (this.work > MAX_MATCH_WORK) return TOO_COSTLY
    }
    if (stepper.length === 0) return answer(stepper.best)
    stepper.finish()
    return this.#conclude(stepper.best, stepper.visited)
  }

  #conclude(best: number, work: number): number {
    this.work += work
    return this.work > MAX_MATCH_WORK ? TOO_COSTLY : answer(best)
  }

  #forget(): void {
    this.#states = new States(this.#classes.count, this.#maxStateBytes)
    this.#start = NO_ROOM
    this.#overflows = 0
  }
}

function answer(best: number): number {
  return best === NO_PATTERN ? NO_MATCH : best
}
