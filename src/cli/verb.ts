// What every verb beside `run` is given, and how its words are read (R32-28, R33-17).
import { nearest } from '../lib/edit-distance.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Timers } from '../lib/timers.ts'

/** Where a verb writes, and what it may know of its surroundings. */
export interface VerbDeps {
  /** For what was asked for; machines read it. */
  readonly out: (text: string) => void
  /** For everything else. */
  readonly err: (text: string) => void
  /** Columns of the terminal that `out` is; `undefined`: it is none. */
  readonly columns: number | undefined
  /** Whether colours may be written: `NO_COLOR` is not set. */
  readonly colour: boolean
  readonly version: string
  readonly timers: Timers
}

/** 0: done. 1: the target could not be reached, or refused. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2

/** One option of a verb. */
export interface VerbOption {
  /** With its dashes. */
  readonly name: string
  /** Placeholder of its value; `undefined`: it takes none. */
  readonly value: string | undefined
  readonly help: string
}

/** Options as they were given, by name; a switch has an empty text. */
export type GivenOptions = ReadonlyMap<string, string>

/** What the words of a verb ask for; the error is one line for each fault. */
export type VerbWords =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'options'; readonly options: GivenOptions }

const NOTES = `Ends with 0 when done, with 1 when a replica cannot be asked or refuses, with 2 for wrong usage.
In a cluster: kubectl -n ramjet-system port-forward deployment/ramjet 10254
`

/** Reads `--name value`, `--name=value` and switches. Help and version win over every fault (R33-8). */
export function readVerbWords(
  words: readonly string[],
  options: readonly VerbOption[],
): Result<VerbWords, readonly string[]> {
  if (words.includes('--help')) return ok({ kind: 'help' })
  if (words.includes('--version')) return ok({ kind: 'version' })
  const given = new Map<string, string>()
  const faults: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const [name, inline] = splitWord(words[index] ?? '')
    const option = options.find((known) => known.name === name)
    const value = inline ?? (option?.value === undefined ? undefined : words[index + 1])
    if (option?.value !== undefined && inline === undefined) index += 1
    const fault = option ? faultOf(option, { value, inline, isTwice: given.has(name) }) : stranger(name, options)
    if (fault === undefined) given.set(name, value ?? '')
    else faults.push(fault)
  }
  return faults.length > 0 ? err(faults) : ok({ kind: 'options', options: given })
}

/** The text of `--help` of a verb. */
export function verbHelp(verb: string, does: string, options: readonly VerbOption[]): string {
  const all = [...options, { name: '--help', value: undefined, help: 'Print this text' }]
  const version = { name: '--version', value: undefined, help: 'Print the version' }
  const lines = [...all, version].map(({ name, value, help }) => `  ${`${name} ${value ?? ''}`.padEnd(24)}${help}\n`)
  return `Usage: ramjet ${verb} [options]\n\n${does}\n\n${lines.join('')}\n${NOTES}`
}

function splitWord(word: string): readonly [name: string, inline: string | undefined] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

function faultOf(
  { name, value: placeholder }: VerbOption,
  given: { readonly value: string | undefined; readonly inline: string | undefined; readonly isTwice: boolean },
): string | undefined {
  if (given.isTwice) return `${name}: given twice`
  if (placeholder === undefined) return given.inline === undefined ? undefined : `${name}: takes no value`
  return given.value === undefined || given.value === '' ? `${name}: needs a value: ${placeholder}` : undefined
}

function stranger(name: string, options: readonly VerbOption[]): string {
  if (!name.startsWith('-')) return `"${name}": unexpected word; --help names the options`
  const guess = nearest(
    name,
    options.map((option) => option.name),
  )
  return `${name}: unknown option; ${guess === undefined ? '--help names those there are' : `did you mean ${guess}?`}`
}

/** A verb: what it is called and does, its options, and what it does with those that were given. */
export interface Verb {
  readonly name: string
  readonly does: string
  readonly options: readonly VerbOption[]
  readonly run: (options: GivenOptions, deps: VerbDeps) => Promise<ExitCode>
}

/** Runs a verb with the words after it. */
export async function runVerb(
  { name, does, options, run }: Verb,
  words: readonly string[],
  deps: VerbDeps,
): Promise<ExitCode> {
  const read = readVerbWords(words, options)
  if (!read.ok) return wrongUsage(read.error, deps)
  switch (read.value.kind) {
    case 'help':
      deps.out(verbHelp(name, does, options))
      return 0
    case 'version':
      deps.out(deps.version)
      return 0
    case 'options':
      return await run(read.value.options, deps)
  }
}

/** Tells each fault on a line of its own. */
export function wrongUsage(faults: readonly string[], deps: VerbDeps): ExitCode {
  for (const fault of faults) deps.err(`ramjet: ${fault}\n`)
  return 2
}
