// Reads a mapping of a file field by field, and keeps what is wrong with each.
import { nearest } from '../lib/edit-distance.ts'
import type { Result } from '../lib/result.ts'
import type { FileFault } from './file-fault.ts'
import type { YamlEntry, YamlMapping, YamlNode, YamlScalar } from './yaml-tree.ts'

/** The faults of one file and the line of each of its fields, for what is found out later. */
export class FileNotes {
  readonly faults: FileFault[] = []
  readonly #lines = new Map<string, number>()

  add(line: number, field: string, message: string): void {
    this.faults.push({ line, field, message })
  }

  noteLine(field: string, line: number): void {
    this.#lines.set(field, line)
  }

  /** The line of `field`, or of the nearest field around it. */
  lineOf(field: string): number {
    for (let name = field; name !== ''; name = parentOf(name)) {
      const line = this.#lines.get(name)
      if (line !== undefined) return line
    }
    return 1
  }
}

function parentOf(field: string): string {
  return field.slice(0, Math.max(0, field.lastIndexOf('.'), field.lastIndexOf('[')))
}

/** Which fields a mapping may have. */
export interface FieldNames {
  readonly known: readonly string[]
  /** Documented, but refused as not in this build (R20-187). */
  readonly later: readonly string[]
}

export class MappingReader {
  readonly #notes: FileNotes
  readonly #mapping: YamlMapping
  readonly #prefix: string
  readonly #entries: ReadonlyMap<string, YamlEntry>

  /** `field` is the mapping's own name, empty for that of the file. Fields that are not known are faults at once. */
  constructor(notes: FileNotes, mapping: YamlMapping, at: { readonly field: string; readonly names: FieldNames }) {
    this.#notes = notes
    this.#mapping = mapping
    this.#prefix = at.field === '' ? '' : `${at.field}.`
    this.#entries = new Map(mapping.entries.map((entry) => [entry.key, entry]))
    notes.noteLine(at.field, mapping.line)
    for (const entry of mapping.entries) this.#check(entry, at.names)
  }

  fieldOf(name: string): string {
    return `${this.#prefix}${name}`
  }

  /** Tells that the value of a field is wrong. */
  reject(name: string, message: string): undefined {
    const line = this.#entries.get(name)?.value.line ?? this.#mapping.line
    this.#notes.add(line, this.fieldOf(name), message)
    return undefined
  }

  /** The value of a field; `undefined`: it is absent. */
  node(name: string): YamlNode | undefined {
    return this.#entries.get(name)?.value
  }

  /** The text of a field that must be there; `undefined`: told. */
  required(name: string): string | undefined {
    return this.#entries.has(name) ? this.text(name) : this.reject(name, 'is missing')
  }

  /** The text of a field; `undefined`: absent, or told. */
  text(name: string): string | undefined {
    const value = this.node(name)
    if (value === undefined) return undefined
    if (value.kind !== 'scalar') return this.reject(name, 'must be a text')
    return isText(value) ? value.text : this.reject(name, `must be a text; put ${value.text || 'it'} in quotes`)
  }

  /** A text that `parse` takes, or `fallback` where the field is absent; `undefined`: told. */
  parsed<T>(name: string, fallback: T, parse: (text: string) => Result<T, string>): T | undefined {
    if (this.node(name) === undefined) return fallback
    const text = this.text(name)
    if (text === undefined) return undefined
    const result = parse(text)
    return result.ok ? result.value : this.reject(name, result.error)
  }

  /** As `parsed`, for a value that may look like a number. */
  scalar<T>(name: string, fallback: T, parse: (text: string) => Result<T, string>): T | undefined {
    const value = this.node(name)
    if (value === undefined) return fallback
    if (value.kind !== 'scalar') return this.reject(name, 'must be a text')
    const result = parse(value.text)
    return result.ok ? result.value : this.reject(name, result.error)
  }

  /** A whole number from `min` to `max`, or `fallback` where the field is absent; `undefined`: told. */
  wholeNumber(name: string, fallback: number, max: number, min = 0): number | undefined {
    const value = this.node(name)
    if (value === undefined) return fallback
    const isNumber = value.kind === 'scalar' && value.plain && /^\d{1,9}$/.test(value.text)
    const number = isNumber ? Number(value.text) : Number.NaN
    if (number >= min && number <= max) return number
    return this.reject(name, `must be a whole number from ${min} to ${max}`)
  }

  /** `true` or `false`, or `fallback` where the field is absent; `undefined`: told. */
  flag(name: string, fallback: boolean): boolean | undefined {
    const value = this.node(name)
    if (value === undefined) return fallback
    const isWord = value.kind === 'scalar' && value.plain && /^(true|false)$/.test(value.text)
    return isWord ? value.text === 'true' : this.reject(name, 'must be true or false')
  }

  /** The items of a list; none where the field is absent or told. */
  items(name: string): readonly { readonly node: YamlNode; readonly field: string }[] {
    const value = this.node(name)
    if (value === undefined) return []
    if (value.kind === 'sequence') {
      return value.items.map((node, index) => ({ node, field: `${this.fieldOf(name)}[${index}]` }))
    }
    this.reject(name, 'must be a list')
    return []
  }

  #check(entry: YamlEntry, { known, later }: FieldNames): void {
    const field = this.fieldOf(entry.key)
    this.#notes.noteLine(field, entry.value.line)
    if (known.includes(entry.key)) return
    if (later.includes(entry.key)) {
      this.#notes.add(entry.keyLine, field, 'not in this build')
      return
    }
    const guess = nearest(entry.key, known)
    this.#notes.add(entry.keyLine, field, `unknown field${guess === undefined ? '' : `; did you mean ${guess}?`}`)
  }
}

// What YAML 1.2's core schema reads as null, boolean or number where it stands without quotes.
const NO_TEXT =
  /^(|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?\d+|0o[0-7]+|0x[\dA-Fa-f]+|[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/

function isText({ plain, text }: YamlScalar): boolean {
  return !plain || !NO_TEXT.test(text)
}
