// The program of a host's patterns in plain arrays: what runs it needs to know nothing of who compiled it.

/** What an instruction does. Only `BYTE` takes a byte. */
export const SPLIT = 1
export const JUMP = 2
export const ASSERT = 3
export const MATCH = 4
export const FAIL = 5
export const BYTE = 6

/** What an `ASSERT` may ask of the place between two bytes. */
export const BEGIN_LINE = 1
export const END_LINE = 2
export const BEGIN_TEXT = 4
export const END_TEXT = 8
export const WORD_BOUNDARY = 16
export const NO_WORD_BOUNDARY = 32

/** Stands for no pattern where a number is wanted: higher than every index. */
export const NO_PATTERN = 0x7fff_ffff

export interface Program {
  /** The instruction that a match begins with. */
  readonly start: number
  readonly op: Uint8Array
  /** The instruction that follows. */
  readonly out: Int32Array
  /** `SPLIT`: the other one that follows. `ASSERT`: conditions. `MATCH`: the pattern. `BYTE`: the byte set. */
  readonly arg: Int32Array
  /** The pattern that an instruction belongs to; -1 where it is of several. */
  readonly pattern: Int32Array
  /** Sets of bytes: 256 entries each, 1 where the byte is in it. */
  readonly byteSets: readonly Uint8Array[]
}
