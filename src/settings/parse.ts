import { err, ok, type Result } from '../lib/result.ts'
import { refusedCombinations } from './combinations.ts'
import { readCommandLine } from './command-line.ts'
import { type EffectiveFlag, effectiveFlags } from './effective.ts'
import { type Environment, readEnvironment } from './env.ts'
import { FlagReader } from './flag-reader.ts'
import { type Settings, settingsFrom } from './settings.ts'

/** What `ramjet` was asked to do. */
export type Request =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run'
      readonly settings: Settings
      /** Every flag of this build with its value and where that comes from (R33-11). */
      readonly effective: readonly EffectiveFlag[]
      /** About variables, one line each, to be logged once. */
      readonly warnings: readonly string[]
    }

/**
 * Reads command line and environment. The error holds one line for each fault: the flag or variable, the value, and
 * what is allowed (R33-7). Help and version win over every fault (R33-8). `availableCpus` is the default of `--workers`.
 */
export function readSettings(
  argv: readonly string[],
  env: Environment,
  availableCpus: number,
): Result<Request, readonly string[]> {
  const commandLine = readCommandLine(argv)
  if (commandLine.help) return ok({ kind: 'help' })
  if (commandLine.version) return ok({ kind: 'version' })
  const environment = readEnvironment(env)
  const reader = new FlagReader(commandLine.given, environment.given)
  const settings = settingsFrom(reader, availableCpus)
  const faults = [
    ...commandLine.faults,
    ...environment.faults,
    ...reader.faults,
    ...refusedCombinations(reader, settings),
  ]
  if (faults.length > 0) return err(faults)
  return ok({ kind: 'run', settings, effective: effectiveFlags(reader), warnings: environment.warnings })
}
