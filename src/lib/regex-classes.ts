// Bytes that no instruction of a program tells apart are one class, so that a state has an exit for a class and not for
// a byte.
import {
  ASSERT,
  BEGIN_LINE,
  BEGIN_TEXT,
  END_LINE,
  END_TEXT,
  NO_WORD_BOUNDARY,
  type Program,
  WORD_BOUNDARY,
} from './regex-program.ts'

/** What stands on one side of a place in the text, as far as assertions of the program ask. */
export type Side = number
export const EDGE: Side = 0
const OTHER: Side = 1
const WORD: Side = 2
const LINE_FEED: Side = 3
const SIDES = 4

export interface ByteClasses {
  readonly count: number
  /** The class of each byte. */
  readonly of: Uint8Array
  /** At `byteSet * count + class`: 1 where the set takes the bytes of the class. */
  readonly taken: Uint8Array
  /** What the bytes of a class are to a place beside them. */
  readonly side: Uint8Array
}

/** The classes of the bytes that `program` tells apart. */
export function classifyBytes(program: Program): ByteClasses {
  const sides = Uint8Array.from({ length: 256 }, sideReader(program))
  const of = new Uint8Array(256)
  let count = 1
  for (const marks of [sides, ...program.byteSets]) count = refine(of, marks)
  const example = new Uint8Array(count)
  for (const [byte, number] of of.entries()) example[number] = byte
  const taken = new Uint8Array(program.byteSets.length * count)
  for (const [index, byteSet] of program.byteSets.entries()) {
    taken.set(
      example.map((byte) => byteSet[byte] ?? 0),
      index * count,
    )
  }
  return { count, of, taken, side: example.map((byte) => sides[byte] ?? OTHER) }
}

/** Splits the classes `of` the bytes where `marks`, from 0 to 3, differ; gives their new number. */
function refine(of: Uint8Array, marks: Uint8Array): number {
  const numbers = new Map<number, number>()
  for (const [byte, before] of of.entries()) {
    const key = before * SIDES + (marks[byte] ?? 0)
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    of[byte] = number
  }
  return numbers.size
}

/** Sides that the program never asks about are not told apart: each would double the states. */
function sideReader(program: Program): (_: unknown, byte: number) => Side {
  const asked = program.op.reduce((bits, op, at) => (op === ASSERT ? bits | (program.arg[at] ?? 0) : bits), 0)
  const asksWords = (asked & (WORD_BOUNDARY | NO_WORD_BOUNDARY)) !== 0
  const asksLines = (asked & (BEGIN_LINE | END_LINE)) !== 0
  return (_, byte) => {
    if (asksWords && /\w/.test(String.fromCharCode(byte))) return WORD
    return asksLines && byte === 0x0a ? LINE_FEED : OTHER
  }
}

/** The conditions that hold at a place between two sides. */
export function conditionsBetween(before: Side, after: Side): number {
  let held = (before === WORD) === (after === WORD) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === EDGE) held |= BEGIN_TEXT | BEGIN_LINE
  if (after === EDGE) held |= END_TEXT | END_LINE
  if (before === LINE_FEED) held |= BEGIN_LINE
  if (after === LINE_FEED) held |= END_LINE
  return held
}
