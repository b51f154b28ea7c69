// The field lines of a head as ranges of bytes: where names and values are, and what of them is forwarded as it came.
import {
  COLON,
  CR,
  DOT,
  dropBlanks,
  LF,
  latin1,
  SPACE,
  skipBlanks,
  TOKEN_BYTES,
  UNDERSCORE,
  VALUE_BYTES,
} from './h1-bytes.ts'
import { FieldNotes } from './h1-field-notes.ts'
import { DROPPED, type FieldRules, KEPT, ODD } from './h1-field-rules.ts'
import { KNOWN, knownName } from './h1-names.ts'
import type { HeaderList } from './header-list.ts'

/** Numbers of one field in a table of records, in this order. */
const RECORD = 5
const NAME_START = 0
const NAME_END = 1
const VALUE_START = 2
const VALUE_END = 3
/** The number of its name in `KNOWN`. */
const NAME_ID = 4

/** `line` gives one of these, or the place behind the line. */
export const LINE_UNFINISHED = -1
export const LINE_MALFORMED = -2

const FIRST_RECORDS = 32

/**
 * The fields of one head. One object serves head after head; its members are those of the last. What is plain numbers
 * here is for engines: places in the bytes that were scanned.
 */
export class FieldSection {
  count = 0
  /** Start and end of each run of bytes that an ordinary head is forwarded with, whole lines all of them. */
  runs: Int32Array = new Int32Array(16)
  runCount = 0
  /** The size of the lines as they are written anew: `name: value` and the line end. */
  bytes = 0
  hasUnderscore = false
  hasDot = false
  /** What the known fields say. */
  readonly notes: FieldNotes = new FieldNotes(this)

  readonly #rules: FieldRules
  /** `RECORD` numbers for each field. */
  #records: Int32Array = new Int32Array(FIRST_RECORDS * RECORD)
  #runStart = 0
  /** Whether each line, by its name and its spacing, goes on as it came or not at all. */
  #hasPlainLines = true

  constructor(rules: FieldRules) {
    this.#rules = rules
  }

  /** False where only the list of fields tells what is to be forwarded. */
  get isPlain(): boolean {
    return this.#hasPlainLines && this.notes.isPlain
  }

  /** Makes it ready for a section that begins at `start`. */
  reset(start: number): void {
    this.count = 0
    this.runCount = 0
    this.bytes = 0
    this.hasUnderscore = false
    this.hasDot = false
    this.notes.reset()
    this.#runStart = start
    this.#hasPlainLines = true
  }

  /** Where the name of field `index` begins, and likewise below. */
  nameStart(index: number): number {
    return this.#records[index * RECORD + NAME_START] ?? 0
  }

  nameEnd(index: number): number {
    return this.#records[index * RECORD + NAME_END] ?? 0
  }

  /** Without the white space around it. */
  valueStart(index: number): number {
    return this.#records[index * RECORD + VALUE_START] ?? 0
  }

  valueEnd(index: number): number {
    return this.#records[index * RECORD + VALUE_END] ?? 0
  }

  /** The number of the name of field `index` in `KNOWN`. */
  nameId(index: number): number {
    return this.#records[index * RECORD + NAME_ID] ?? 0
  }

  /**
   * Reads the line that begins at `start`. The place behind it, `LINE_UNFINISHED` where its end is not in
   * `bytes[start, to)`, or `LINE_MALFORMED`; only a whole line changes anything.
   */
  line(bytes: Uint8Array, start: number, to: number): number {
    let at = start
    let kinds = 0
    for (; at < to; at += 1) {
      const kind = TOKEN_BYTES[bytes[at] ?? 0] ?? 0
      if (kind === 0) break
      kinds |= kind
    }
    if (at === to) return LINE_UNFINISHED
    if (at === start || bytes[at] !== COLON) return LINE_MALFORMED
    const nameEnd = at
    const valueStart = skipBlanks(bytes, nameEnd + 1, to)
    at = valueStart
    while (at < to && VALUE_BYTES[bytes[at] ?? 0] === 1) at += 1
    if (at < to && bytes[at] !== CR) return LINE_MALFORMED
    if (at + 1 >= to) return LINE_UNFINISHED
    if (bytes[at + 1] !== LF) return LINE_MALFORMED
    if ((kinds & UNDERSCORE) !== 0) this.hasUnderscore = true
    if ((kinds & DOT) !== 0) this.hasDot = true
    const base = this.#record(start, nameEnd)
    this.#records[base + VALUE_START] = valueStart
    this.#records[base + VALUE_END] = dropBlanks(bytes, valueStart, at)
    this.#records[base + NAME_ID] = knownName(bytes, start, nameEnd)
    this.#take(bytes, base, at)
    return at + 2
  }

  /** Ends the section: `end` is the place of the empty line behind it. */
  end(end: number): void {
    this.#closeRun(end)
  }

  /** Moves every place by `distance`: the bytes were copied to elsewhere as a whole. */
  move(distance: number): void {
    for (let at = 0; at < this.count * RECORD; at += 1) {
      if (at % RECORD !== NAME_ID) this.#records[at] = (this.#records[at] ?? 0) + distance
    }
    for (let at = 0; at < this.runCount * 2; at += 1) this.runs[at] = (this.runs[at] ?? 0) + distance
    this.#runStart += distance
  }

  /** The fields as strings, for all that is decided on them. */
  list(bytes: Uint8Array): HeaderList {
    const fields: string[] = []
    for (let index = 0; index < this.count; index += 1) {
      fields.push(
        latin1(bytes, this.nameStart(index), this.nameEnd(index)),
        latin1(bytes, this.valueStart(index), this.valueEnd(index)),
      )
    }
    return fields
  }

  #record(nameStart: number, nameEnd: number): number {
    const base = this.count * RECORD
    if (base === this.#records.length) this.#records = grown(this.#records)
    this.#records[base + NAME_START] = nameStart
    this.#records[base + NAME_END] = nameEnd
    return base
  }

  #take(bytes: Uint8Array, base: number, lineEnd: number): void {
    const records = this.#records
    const index = this.count
    const nameEnd = records[base + NAME_END] ?? 0
    const nameStart = records[base + NAME_START] ?? 0
    const valueStart = records[base + VALUE_START] ?? 0
    const valueEnd = records[base + VALUE_END] ?? 0
    const id = records[base + NAME_ID] ?? 0
    this.count = index + 1
    this.bytes += nameEnd - nameStart + (valueEnd - valueStart) + 4
    const rule = this.#rules[id] ?? KEPT
    if (rule === DROPPED) {
      this.#closeRun(nameStart)
      this.#runStart = lineEnd + 2
    } else if (rule === ODD || valueStart !== nameEnd + 2 || bytes[nameEnd + 1] !== SPACE || valueEnd !== lineEnd) {
      // What is kept is written as `name: value`, so any other spacing cannot be copied.
      this.#hasPlainLines = false
    }
    if (id !== KNOWN.other) this.notes.take(bytes, index, id)
  }

  #closeRun(end: number): void {
    const start = this.#runStart
    if (end === start) return
    const at = this.runCount * 2
    if (at === this.runs.length) this.runs = grown(this.runs)
    this.runs[at] = start
    this.runs[at + 1] = end
    this.runCount += 1
  }
}

function grown(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
