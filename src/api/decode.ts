// How raw JSON of the API server becomes the types of this folder: field by field, keeping only what is read (R50-4).
import { isRecord } from '../lib/json-record.ts'
import { err, ok, type Result } from '../lib/result.ts'

/** The first field of an object that could not be read, and what is wrong with it. */
export interface DecodeFault {
  /** `spec.rules[0].host`. */
  readonly field: string
  /** `is not a string`. */
  readonly message: string
}

/** Gives a fresh, trimmed object, or why there is none. Never throws. */
export type Decode<T> = (raw: unknown) => Result<T, DecodeFault>

/** One object of unknown shape, or a field of it, together with where it stands. */
export interface Raw {
  readonly value: unknown
  readonly field: string
}

class FieldFault extends Error {
  readonly fault: DecodeFault

  constructor(fault: DecodeFault) {
    super(`${fault.field} ${fault.message}`)
    this.fault = fault
  }
}

/** A decoder from a function that reads with the functions below. They leave it at the first fault. */
export function decoder<T>(read: (raw: Raw) => T): Decode<T> {
  return (value) => {
    try {
      return ok(read({ value, field: '' }))
    } catch (error) {
      if (error instanceof FieldFault) return err(error.fault)
      throw error
    }
  }
}

/** Leaves the decoder with a fault at `raw`. */
export function fail(raw: Raw, message: string): never {
  throw new FieldFault({ field: raw.field === '' ? 'object' : raw.field, message })
}

/** The field `name` of an object; a field that is missing or null has the value `undefined`. */
export function at(raw: Raw, name: string): Raw {
  const { value, field } = raw
  if (!isRecord(value)) return fail(raw, 'is not an object')
  const inner = Object.hasOwn(value, name) ? value[name] : undefined
  return { value: inner ?? undefined, field: field === '' ? name : `${field}.${name}` }
}

export function readString(raw: Raw): string {
  return typeof raw.value === 'string' ? raw.value : fail(raw, 'is not a string')
}

export function readInteger(raw: Raw): number {
  const { value } = raw
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : fail(raw, 'is not a whole number')
}

export function readBoolean(raw: Raw): boolean {
  return typeof raw.value === 'boolean' ? raw.value : fail(raw, 'is not true or false')
}

/** Each element, read with `read`; the value must be a list. */
export function readList<T>(raw: Raw, read: (element: Raw) => T): T[] {
  if (!Array.isArray(raw.value)) return fail(raw, 'is not a list')
  return raw.value.map((value: unknown, index) => read({ value, field: `${raw.field}[${index}]` }))
}

/** A map of texts such as labels, without the keys that `skip` names. */
export function readTexts(raw: Raw, skip: ReadonlySet<string>): Record<string, string> {
  const { value } = raw
  if (!isRecord(value)) return fail(raw, 'is not an object')
  const entries = Object.entries(value).filter(([key]) => !skip.has(key))
  return Object.fromEntries(
    entries.map(([key, text]) => [key, readString({ value: text, field: `${raw.field}[${key}]` })]),
  )
}

/** `{[name]: read(field)}`, or nothing where the field is missing or null: to be spread into the object being made. */
export function optional<K extends string, T>(raw: Raw, name: K, read: (field: Raw) => T): { [key in K]?: T } {
  const field = at(raw, name)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript widens a computed key to string
  return field.value === undefined ? {} : ({ [name]: read(field) } as { [key in K]?: T })
}
