// Reads a record of unknown values field by field, and keeps what is wrong with each.
import { isRecord } from '../lib/json-record.ts'
import type { Result } from '../lib/result.ts'

/** What is wrong with a value. */
export interface ValueFault {
  /** `healthCheck.interval`, `retry.on[1]`. */
  readonly field: string
  /** Follows the field's name: `must be true or false`. */
  readonly problem: string
}

/** The members of one record. A value that is wrong reads as absent, and its fault is kept. */
export class RecordReader {
  readonly #record: Readonly<Record<string, unknown>>
  readonly #prefix: string
  readonly #faults: ValueFault[]

  /** `field` is the record's own name, empty for the outermost one; `faults` is added to. */
  constructor(value: unknown, field: string, faults: ValueFault[]) {
    this.#record = isRecord(value) ? value : {}
    this.#prefix = field === '' ? '' : `${field}.`
    this.#faults = faults
    if (!isRecord(value)) faults.push({ field, problem: 'must be a map' })
  }

  /** The value of a member; `undefined`: absent or null. */
  value(name: string): unknown {
    return Object.hasOwn(this.#record, name) ? (this.#record[name] ?? undefined) : undefined
  }

  /** Tells that a member is wrong, or with an empty name the record itself. */
  reject(name: string, problem: string): undefined {
    const field = name === '' ? this.#prefix.slice(0, -1) : `${this.#prefix}${name}`
    this.#faults.push({ field, problem })
    return undefined
  }

  /** A text that `parse` takes; its error says what is allowed. */
  text<T>(name: string, parse: (text: string) => Result<T, string>): T | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    // A number in a file may be a text that wants quotes, and then it parses.
    const parsed = parse(typeof value === 'string' ? value : JSON.stringify(value))
    if (typeof value === 'string' && parsed.ok) return parsed.value
    return this.reject(name, `must be ${parsed.ok ? 'a text; put it in quotes' : parsed.error}`)
  }

  /** One of these words. */
  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    return words.find((word) => word === value) ?? this.reject(name, `must be ${listed(words)}`)
  }

  /** A whole number within these bounds. */
  integer(name: string, min: number, max: number): number | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    return fits ? value : this.reject(name, `must be a whole number from ${min} to ${max}`)
  }

  /** The items of a list of at most `max`, each with its own name. */
  items(name: string, max: number): readonly { readonly value: unknown; readonly name: string }[] | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.reject(name, 'must be a list')
    if (value.length > max) return this.reject(name, `must have at most ${max} items`)
    return value.map((item: unknown, index) => ({ value: item, name: `${name}[${index}]` }))
  }

  /** What `read` makes of a member that is a record itself. */
  record<T>(name: string, read: (reader: RecordReader) => T): T | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!isRecord(value)) return this.reject(name, 'must be a map')
    return read(new RecordReader(value, `${this.#prefix}${name}`, this.#faults))
  }

  /** The members of a record with any names. */
  entries(): readonly (readonly [name: string, value: unknown])[] {
    return Object.entries(this.#record)
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
