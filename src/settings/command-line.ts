// Splits the words of a command line by the table of flags (R33-1 to R33-5). node:util's parseArgs does not fit: it takes
// `--help` in `--log-level --help` for a value, and knows no boolean whose next word may be its value.
import { nearest } from '../lib/edit-distance.ts'
import { parseBoolean } from './boolean-words.ts'
import type { Flag } from './flag-types.ts'
import { FLAG_BY_NAME, LATER_VERBS } from './flags.ts'
import { OLD_FLAGS } from './old-names.ts'

/** One value as it was given, by flag or by variable. */
export interface Given {
  readonly flag: Flag
  /** What people wrote: `--workers` or `RAMJET_WORKERS`. */
  readonly name: string
  readonly value: string
}

export interface CommandLine {
  readonly help: boolean
  readonly version: boolean
  readonly given: readonly Given[]
  /** One line each; not empty: refuse to start. */
  readonly faults: readonly string[]
}

interface Word {
  readonly name: string
  readonly value: string | undefined
  /** Whether the value stood behind a `=`. */
  readonly inline: boolean
}

/** What the words after the program's name ask for. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const given: Given[] = []
  const faults: string[] = []
  const asked = new Set<string>()
  let verb: string | undefined
  for (const word of wordsOf(argv)) {
    const entry = FLAG_BY_NAME.get(word.name)
    if (entry?.name === '--help' || entry?.name === '--version') asked.add(entry.name)
    const fault = entry === undefined ? faultOfStranger(word, verb) : faultOf(entry, word)
    if (fault !== undefined) faults.push(fault)
    else if (entry === undefined) verb = word.name
    else given.push({ flag: entry, name: entry.name, value: word.value ?? 'true' })
  }
  return { help: asked.has('--help'), version: asked.has('--version'), given, faults: [...faults, ...twice(given)] }
}

function* wordsOf(argv: readonly string[]): Generator<Word> {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const name = equals < 0 ? word : word.slice(0, equals)
    const next = argv[index + 1]
    if (equals >= 0) yield { name, value: word.slice(equals + 1), inline: true }
    else if (next !== undefined && takesNext(name, next)) {
      index += 1
      yield { name, value: next, inline: false }
    } else yield { name, value: undefined, inline: false }
  }
}

function takesNext(name: string, next: string): boolean {
  const entry = FLAG_BY_NAME.get(name)
  // A stranger's next word is most likely its value: one fault is told, not two.
  if (entry === undefined) return name.startsWith('--') && !next.startsWith('-')
  switch (entry.type.kind) {
    case 'switch':
      return false
    case 'boolean':
      return parseBoolean(next) !== undefined
    case 'choice':
    case 'integer':
    case 'duration':
    case 'size':
    case 'text':
      return !next.startsWith('--')
  }
}

function faultOf(entry: Flag, word: Word): string | undefined {
  if (!entry.built) return `${entry.name}: not in this build`
  if (entry.type.kind === 'switch') return word.inline ? `${entry.name}: takes no value` : undefined
  if (word.value === undefined && entry.type.kind !== 'boolean') {
    return `${entry.name}: needs a value: ${entry.type.words}`
  }
  return undefined
}

function faultOfStranger(word: Word, verb: string | undefined): string | undefined {
  const { name } = word
  const replacement = OLD_FLAGS.get(name)
  if (replacement !== undefined) return `${name}: use ${replacement.replace(/\bN$/, word.value ?? 'N')}`
  if (name.startsWith('-') && name !== '-') return unknownFlag(name)
  if (verb === undefined && name === 'run') return undefined
  if (verb === undefined && LATER_VERBS.includes(name)) return `ramjet ${name}: not in this build`
  return `"${name}": unexpected word; --help names the commands and the flags`
}

function unknownFlag(name: string): string {
  const built = [...FLAG_BY_NAME.values()].filter((entry) => entry.built).map((entry) => entry.name)
  const guess = nearest(name, built)
  const hint = name === '--' || guess === undefined ? '--help names those there are' : `did you mean ${guess}?`
  return `${name}: unknown flag; ${hint}`
}

function twice(given: readonly Given[]): readonly string[] {
  const seen = new Set<Flag>()
  const faults = new Set<string>()
  for (const { flag } of given) {
    if (seen.has(flag) && !flag.many && flag.type.kind !== 'switch') faults.add(`${flag.name}: given twice`)
    seen.add(flag)
  }
  return [...faults]
}
