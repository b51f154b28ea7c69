// The door to re2js: it parses and compiles patterns. What runs them is ours (regex-set.ts), because only counted work
// bounds the time of a match (R10-22, R10-23).
import { RE2JS, RE2JSSyntaxException, RE2Set } from 're2js'
import { messageOf } from './errors.ts'
import { classCost } from './regex-class-cost.ts'
import { writtenOutLength } from './regex-extent.ts'
import { ASSERT, BYTE, FAIL, JUMP, MATCH, type Program, SPLIT } from './regex-program.ts'
import { err, ok, type Result } from './result.ts'

/** Characters of a pattern. */
export const MAX_PATTERN_CHARS = 512
/** Characters of a pattern with its counted repetitions written out. */
export const MAX_WRITTEN_OUT_CHARS = 2000
/** Characters that the classes of a pattern name; a Unicode class counts 4,096. It bounds the time of compiling. */
export const MAX_CLASS_CHARS = 32_768
/** Instructions of a pattern. */
export const MAX_PATTERN_INSTRUCTIONS = 500
/** Patterns of a host. */
export const MAX_HOST_REGEXES = 300
/** Instructions of all patterns of a host. */
export const MAX_HOST_INSTRUCTIONS = 10_000
/** Bytes of a canonical path that patterns are asked about; a longer path is answered 414. */
export const MAX_REGEX_PATH_BYTES = 2048
/** Instructions of a pattern times bytes of the text that its captures are read of. */
export const MAX_CAPTURE_WORK = 262_144

/** A pattern within the bounds. It is matched from the start of a path, without regard to case (R10-20). */
export interface Pattern {
  readonly text: string
  /** What it counts towards `MAX_HOST_INSTRUCTIONS`. */
  readonly instructions: number
  /** Groups that capture; they count from 1. */
  readonly groups: number
  /** Their numbers, by name. */
  readonly names: ReadonlyMap<string, number>
}

/** What the groups of one pattern take of a text. */
export interface Captures {
  /**
   * By number: 0 is what matched, a group that took no part is empty. `undefined` where reading them would cost more than
   * `MAX_CAPTURE_WORK`, or where the pattern does not match a beginning of `text`.
   */
  read(text: string): readonly string[] | undefined
}

/** Why a pattern is not taken. */
export interface RegexFault {
  /** `invalid`: it does not compile by itself. `too-large`: it is over a bound. */
  readonly kind: 'invalid' | 'too-large'
  /** Part of a sentence. */
  readonly message: string
}

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

// re2js numbers its instructions thus and does not export the names.
const RE2_ALT = 1
const RE2_ALT_MATCH = 2
const RE2_CAPTURE = 3
const RE2_EMPTY_WIDTH = 4
const RE2_MATCH = 6
const RE2_NOP = 7
const RE2_RUNE = 8
const RE2_RUNE1 = 9
const RE2_RUNE_ANY = 10
const RE2_RUNE_ANY_NOT_NL = 11

const NEWLINE = 0x0a
// One rune may be shared with and without regard to case, so a short array is no identity.
const MAX_TEXT_KEY = 16
const NOTHING = '[^\\x00-\\x{10FFFF}]'

/**
 * The pattern that `text` is. It is compiled alone, so that `a)|(b` closes no group but its own; lookaround and
 * backreferences do not exist.
 */
export function compilePattern(text: string): Result<Pattern, RegexFault> {
  if (text.length > MAX_PATTERN_CHARS) return tooLarge(`has more than ${MAX_PATTERN_CHARS} characters`)
  if (writtenOutLength(text) > MAX_WRITTEN_OUT_CHARS) {
    return tooLarge(`has more than ${MAX_WRITTEN_OUT_CHARS} characters with its repetitions written out`)
  }
  if (classCost(text) > MAX_CLASS_CHARS) return tooLarge(`has classes of more than ${MAX_CLASS_CHARS} characters`)
  try {
    const pattern = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE)
    const instructions = pattern.programSize()
    if (instructions > MAX_PATTERN_INSTRUCTIONS)
      return tooLarge(`is more than ${MAX_PATTERN_INSTRUCTIONS} instructions`)
    const names = new Map(Object.entries(pattern.namedGroups()))
    return ok({ text, instructions, groups: pattern.groupCount(), names })
  } catch (thrown) {
    const what = thrown instanceof RE2JSSyntaxException ? thrown.getDescription() : messageOf(thrown)
    return err({ kind: 'invalid', message: `does not compile: ${what}` })
  }
}

function tooLarge(message: string): Result<never, RegexFault> {
  return err({ kind: 'too-large', message })
}

/** The captures of `text`, which `compilePattern` has taken; of any other text there are none. */
export function capturesOf(text: string): Captures {
  return new PatternCaptures(text)
}

class PatternCaptures implements Captures {
  readonly #text: string
  #pattern: RE2JS | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(text: string): readonly string[] | undefined {
    const pattern = this.#compiled()
    if (!pattern || pattern.programSize() * text.length > MAX_CAPTURE_WORK) return undefined
    const matcher = pattern.matcher(text)
    if (!matcher.lookingAt()) return undefined
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '')
  }

  // Only once it is asked: to compile takes some 100 us, and of thousands of routes few are asked at once.
  #compiled(): RE2JS | undefined {
    if (this.#pattern) return this.#pattern
    if (!compilePattern(this.#text).ok) return undefined
    this.#pattern = RE2JS.compile(this.#text, RE2JS.CASE_INSENSITIVE)
    return this.#pattern
  }
}

/**
 * One program for the texts of many patterns, which `compilePattern` has taken. One that it did not take matches
 * nothing and keeps its number.
 */
export function compileProgram(texts: readonly string[]): Program {
  const set = new RE2Set(RE2Set.ANCHOR_START, RE2JS.CASE_INSENSITIVE)
  for (const text of texts) addPattern(set, text)
  set.compile()
  const instructions: readonly Instruction[] = set.prog.inst
  const byteSets = new ByteSets()
  return {
    start: set.prog.start,
    op: Uint8Array.from(instructions, ({ op }) => ourOp(op)),
    out: Int32Array.from(instructions, ({ out }) => out),
    arg: Int32Array.from(instructions, (one) => (ourOp(one.op) === BYTE ? byteSets.numberOf(one) : one.arg)),
    pattern: patternNumbers(instructions),
    byteSets: byteSets.all,
  }
}

function addPattern(set: RE2Set, text: string): void {
  try {
    set.add(text)
  } catch {
    set.add(NOTHING)
  }
}

function ourOp(op: number): number {
  switch (op) {
    case RE2_ALT:
    case RE2_ALT_MATCH:
      return SPLIT
    case RE2_CAPTURE:
    case RE2_NOP:
      return JUMP
    case RE2_EMPTY_WIDTH:
      return ASSERT
    case RE2_MATCH:
      return MATCH
    case RE2_RUNE:
    case RE2_RUNE1:
    case RE2_RUNE_ANY:
    case RE2_RUNE_ANY_NOT_NL:
      return BYTE
    default:
      return FAIL
  }
}

/**
 * A set is compiled pattern by pattern, each closed by its match; what stands behind the last is the chain that tries
 * them all.
 */
function patternNumbers(instructions: readonly Instruction[]): Int32Array {
  const numbers = new Int32Array(instructions.length).fill(-1)
  let from = 0
  for (const [place, { op, arg }] of instructions.entries()) {
    if (op !== RE2_MATCH) continue
    numbers.fill(arg, from, place + 1)
    from = place + 1
  }
  return numbers
}

/** The bytes that instructions take, each set of them once. A byte is the character of its number (latin1). */
class ByteSets {
  readonly all: Uint8Array[] = []
  /** Small sets by their text; a large one, such as that of \pL, by the array that its repetitions share. */
  readonly #numbers = new Map<string | Int32Array, number>()

  numberOf(instruction: Instruction): number {
    const { op, arg, runes } = instruction
    const key = runes.length > MAX_TEXT_KEY ? runes : `${op} ${arg} ${runes.join()}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.all.length)
    this.all.push(Uint8Array.from({ length: 256 }, (_, byte) => (takes(instruction, byte) ? 1 : 0)))
    return this.all.length - 1
  }
}

function takes(instruction: Instruction, byte: number): boolean {
  if (instruction.op === RE2_RUNE_ANY) return true
  if (instruction.op === RE2_RUNE_ANY_NOT_NL) return byte !== NEWLINE
  return instruction.matchRune(byte)
}
