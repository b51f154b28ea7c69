// The value types of annotations, as text is read for them (the table "Values" of R11-7).
import { parseDuration } from '../lib/duration.ts'
import { HOP_BY_HOP, isToken } from '../lib/field-names.ts'
import { parseCidr } from '../lib/ip.ts'
import { compilePattern } from '../lib/regex.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { parseSize } from '../lib/size.ts'

/** Reads a value without the blanks around it. The error is part of a sentence: `which ...`. */
export type Parser<T> = (text: string) => Result<T, string>

/** The longest timer of the runtime, in whole seconds. */
const MAX_SECONDS = 2_147_483
const SECOND_MS = 1000

export interface Range {
  readonly min: number
  readonly max: number
}

/** Reports whether a value reads as absent: nothing but blanks (R11-7). */
export function isBlank(value: string): boolean {
  return value.trim() === ''
}

/** `true` or `false`, trimmed, in any case; `undefined` for everything else. */
export function parseBool(value: string): boolean | undefined {
  switch (value.trim().toLowerCase()) {
    case 'true':
      return true
    case 'false':
      return false
    default:
      return undefined
  }
}

export const readBool: Parser<boolean> = (text) => {
  const value = parseBool(text)
  return value === undefined ? err('is neither true nor false') : ok(value)
}

/** Decimal digits with an optional sign, no unit, within `range`. */
export function integer({ min, max }: Range): Parser<number> {
  return (text) => {
    if (!/^[+-]?\d+$/.test(text)) return err('is no whole number without unit')
    const value = Number(text)
    if (value < min) return err(`is below ${min}`)
    return value > max ? err(`is above ${max}`) : ok(value)
  }
}

/** Milliseconds of whole seconds: at least `min` of them, and what no timer takes reads as the longest there is. */
export function seconds(min: 0 | 1): Parser<number> {
  const read = integer({ min, max: Number.POSITIVE_INFINITY })
  return (text) => {
    const value = read(text)
    return value.ok ? ok(Math.min(value.value, MAX_SECONDS) * SECOND_MS) : value
  }
}

/** Bytes of digits with `b`, `k`, `m`, `g` or nothing; at most `maxBytes`. */
export function size(maxBytes: number = Number.MAX_SAFE_INTEGER): Parser<number> {
  return (text) => {
    const bytes = parseSize(text.replace(/b$/i, ''))
    if (!bytes.ok || /[kmg]b$/i.test(text)) return err('is not digits with b, k, m, g or no unit')
    return bytes.value > maxBytes ? err(`is above ${maxBytes} bytes`) : bytes
  }
}

/** Milliseconds of a number with its unit; `min` of them at least. */
export function duration(min = 1): Parser<number> {
  return (text) => {
    const ms = parseDuration(text)
    if (!ms.ok) return err(`is not ${ms.error}`)
    return ms.value < min ? err(`is below ${min}ms`) : ms
  }
}

/** One of `words`, in any case; the word as it stands among them. */
export function oneOf<W extends string>(words: readonly W[]): Parser<W> {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
    return found === undefined ? err(`is none of ${words.join(', ')}`) : ok(found)
  }
}

/** Entries between commas or blanks, each read by `entry`; one bad entry makes the list bad (R11-7). */
export function listOf<T>(entry: Parser<T>, separator: RegExp = /[\s,]+/): Parser<readonly T[]> {
  return (text) => {
    const values: T[] = []
    for (const part of text.split(separator)) {
      if (part === '') continue
      const value = entry(part)
      if (!value.ok) return err(`has an entry ${shown(part)}, which ${value.error}`)
      values.push(value.value)
    }
    return values.length === 0 ? err('has no entry') : ok(values)
  }
}

/** An address or a CIDR. */
export const readCidr: Parser<string> = (text) => {
  const cidr = parseCidr(text)
  return cidr.ok ? ok(text) : err('is neither an IP address nor a CIDR')
}

/** A field name that an annotation may name: neither hop-by-hop nor framing nor `Host`. In lower case. */
export const readFieldName: Parser<string> = (text) => {
  const name = text.toLowerCase()
  if (!isToken(name)) return err('is no field name')
  const isOfConnection = HOP_BY_HOP.has(name) || name === 'content-length' || name === 'host'
  return isOfConnection ? err('is not one that an annotation may name') : ok(name)
}

/** An absolute http or https URL without userinfo, as it was written. */
export const readUrl: Parser<string> = (text) => {
  // The runtime's parser repairs much; what it had to repair is nothing that an author meant.
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return err('is no absolute http or https URL')
  const { username, password } = new URL(text)
  return username === '' && password === '' ? ok(text) : err('has userinfo')
}

/** A regular expression for a value, within the bounds of R10-23. */
export const readPattern: Parser<string> = (text) => {
  const pattern = compilePattern(text)
  return pattern.ok ? ok(text) : err(pattern.error.message)
}

/** The name of an object of `namespace`, with that namespace before it or without. */
export function objectName(namespace: string): Parser<string> {
  return (text) => {
    const [first = '', second, ...rest] = text.split('/')
    if (rest.length > 0 || first === '' || second === '') return err('is no name of an object')
    if (second === undefined) return ok(first)
    return first === namespace ? ok(second) : err('is of another namespace')
  }
}

const MAX_SHOWN = 100

/** Text from outside, fit for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text)
}
