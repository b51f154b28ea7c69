// Reads the values of built flags by their type: flag before environment before default (R33-2).
import { parseDuration } from '../lib/duration.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { parseSize } from '../lib/size.ts'
import { BOOLEAN_WORDS, parseBoolean } from './boolean-words.ts'
import type { Given } from './command-line.ts'
import type { Flag, FlagType } from './flag-types.ts'
import { FLAG_BY_NAME } from './flags.ts'
import { OLD_ENGINES } from './old-names.ts'

type TypeOf<Kind extends FlagType['kind']> = Extract<FlagType, { readonly kind: Kind }>

type Parser<T> = (text: string) => Result<T, string>

/**
 * What was given, by flag. A value that does not parse adds a line to `faults` and reads as the default, so that all
 * faults are found before anything is told (R33-7). The defaults are the texts of the table.
 */
export class FlagReader {
  readonly faults: string[] = []
  readonly #given = new Map<string, readonly Given[]>()

  /** Command line and environment; a flag that is in the first takes nothing from the second. */
  constructor(commandLine: readonly Given[], environment: readonly Given[]) {
    for (const [name, values] of byFlag(environment)) this.#given.set(name, values)
    for (const [name, values] of byFlag(commandLine)) this.#given.set(name, values)
  }

  /** What people wrote to set it, flag or variable; `undefined`: it was not given. */
  givenAs(name: string): string | undefined {
    return this.#given.get(name)?.[0]?.name
  }

  /** The values that were given for it, in their order; empty: its default holds. */
  given(name: string): readonly Given[] {
    return this.#given.get(name) ?? []
  }

  /** The names of all flags that were given. */
  givenNames(): Iterable<string> {
    return this.#given.keys()
  }

  /** Of a boolean or a switch; a switch is off where it is not given. */
  boolean(name: string): boolean {
    const row = rowOf(name, 'boolean', 'switch')
    return this.#one(name, booleanOf) ?? row.default === 'on'
  }

  integer(name: string): number {
    return this.#orDefault(name, integerBy(typeOf(name, 'integer')))
  }

  /** For a flag whose default is no number; `undefined`: it was not given. */
  integerIfGiven(name: string): number | undefined {
    return this.#one(name, integerBy(typeOf(name, 'integer')))
  }

  /** Milliseconds. */
  durationMs(name: string): number {
    const type = typeOf(name, 'duration')
    return this.#orDefault(name, durationBy(type))
  }

  /** Bytes. */
  size(name: string): number {
    return this.#orDefault(name, sizeBy(typeOf(name, 'size')))
  }

  /** For a flag whose default is no size; `undefined`: it was not given. */
  sizeIfGiven(name: string): number | undefined {
    return this.#one(name, sizeBy(typeOf(name, 'size')))
  }

  choice<Word extends string>(name: string, words: readonly Word[]): Word {
    return this.#orDefault(name, wordBy(typeOf(name, 'choice'), words))
  }

  choices<Word extends string>(name: string, words: readonly Word[]): readonly Word[] {
    return this.#manyOrDefault(name, wordBy(typeOf(name, 'choice'), words))
  }

  text<T>(name: string, parse: Parser<T>): T {
    rowOf(name, 'text')
    return this.#orDefault(name, parse)
  }

  /** For a flag without default; `undefined`: it was not given. */
  textIfGiven<T>(name: string, parse: Parser<T>): T | undefined {
    rowOf(name, 'text')
    return this.#one(name, parse)
  }

  texts<T>(name: string, parse: Parser<T>): readonly T[] {
    rowOf(name, 'text')
    return this.#manyOrDefault(name, parse)
  }

  textsIfGiven<T>(name: string, parse: Parser<T>): readonly T[] | undefined {
    rowOf(name, 'text')
    return this.#many(name, parse)
  }

  #one<T>(name: string, parse: Parser<T>): T | undefined {
    const [given] = this.#given.get(name) ?? []
    return given === undefined ? undefined : this.#parsed(given, given.value, parse)
  }

  #orDefault<T>(name: string, parse: Parser<T>): T {
    return this.#one(name, parse) ?? defaultOf(name, parse)
  }

  #many<T>(name: string, parse: Parser<T>): readonly T[] | undefined {
    const parts = this.#given
      .get(name)
      ?.flatMap((entry) => entry.value.split(',').map((part) => ({ entry, part: part.trim() })))
    return parts?.flatMap(({ entry, part }) => {
      const value = this.#parsed(entry, part, parse)
      return value === undefined ? [] : [value]
    })
  }

  #manyOrDefault<T>(name: string, parse: Parser<T>): readonly T[] {
    return this.#many(name, parse) ?? [defaultOf(name, parse)]
  }

  #parsed<T>(given: Given, text: string, parse: Parser<T>): T | undefined {
    const elsewhere = wordOfAnotherBuild(given, text)
    const result = elsewhere === undefined ? parse(text) : err(elsewhere)
    if (result.ok) return result.value
    this.faults.push(elsewhere ?? `${given.name}: "${text}" is not allowed: ${result.error}`)
    return undefined
  }
}

function byFlag(given: readonly Given[]): ReadonlyMap<string, readonly Given[]> {
  return Map.groupBy(given, ({ flag }) => flag.name)
}

function wordOfAnotherBuild({ flag, name }: Given, text: string): string | undefined {
  if (flag.type.kind === 'choice' && flag.type.later.includes(text)) return `${name} ${text}: not in this build`
  const replacement = flag.name === '--engine' ? OLD_ENGINES.get(text) : undefined
  return replacement === undefined ? undefined : `${name} ${text}: use ${replacement}`
}

function booleanOf(text: string): Result<boolean, string> {
  const value = parseBoolean(text)
  return value === undefined ? err(`one of ${BOOLEAN_WORDS}`) : ok(value)
}

function integerBy({ min, max, words }: TypeOf<'integer'>): Parser<number> {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? ok(value) : err(words)
  }
}

function durationBy(type: TypeOf<'duration'>): Parser<number> {
  // Nothing is nothing in every unit, so what takes it takes it without one.
  const read = (text: string): Result<number, string> =>
    type.zero && text === '0' ? ok(0) : parseDuration(text, { bareSeconds: type.bareSeconds })
  return (text) => amountBy(type, read(text))
}

function sizeBy(type: TypeOf<'size'>): Parser<number> {
  return (text) => amountBy(type, parseSize(text))
}

function amountBy(type: TypeOf<'duration' | 'size'>, parsed: Result<number, string>): Result<number, string> {
  if (!parsed.ok) return err(`${type.words}; ${parsed.error}`)
  return parsed.value > 0 || type.zero ? parsed : err(`${type.words}; more than 0`)
}

function wordBy<Word extends string>(type: TypeOf<'choice'>, words: readonly Word[]): Parser<Word> {
  return (text) => {
    const word = words.find((known) => known === text)
    return word === undefined ? err(type.words) : ok(word)
  }
}

function defaultOf<T>(name: string, parse: Parser<T>): T {
  const row = FLAG_BY_NAME.get(name)
  const result = row === undefined ? err('no such flag') : parse(row.default)
  if (!result.ok) throw new TypeError(`the default of ${name} does not parse: ${result.error}`)
  return result.value
}

function typeOf<Kind extends FlagType['kind']>(name: string, kind: Kind): TypeOf<Kind> {
  const { type } = rowOf(name, kind)
  if (!isKind(type, kind)) throw new TypeError(`${name} is no ${kind}`)
  return type
}

function isKind<Kind extends FlagType['kind']>(type: FlagType, kind: Kind): type is TypeOf<Kind> {
  return type.kind === kind
}

function rowOf(name: string, ...kinds: readonly FlagType['kind'][]): Flag {
  const row = FLAG_BY_NAME.get(name)
  if (row === undefined || !kinds.includes(row.type.kind)) throw new TypeError(`${name} is no ${kinds.join(' or ')}`)
  return row
}
