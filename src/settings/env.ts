// The environment twins of the flags (R33-2, R33-12).
import type { Given } from './command-line.ts'
import { FLAGS, twinOf } from './flags.ts'
import { OLD_VARIABLES } from './old-names.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface EnvironmentReading {
  readonly given: readonly Given[]
  /** One line each; not empty: refuse to start. */
  readonly faults: readonly string[]
  /** One line each, to be logged once. */
  readonly warnings: readonly string[]
}

// What Kubernetes sets for a Service whose name begins with `ramjet`.
const SERVICE_LINK =
  /^RAMJET_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/
/** Read by a verb that is no part of the table. */
const OTHERS: ReadonlySet<string> = new Set(['RAMJET_TOP_TOKEN_FILE'])

/** What the variables of `env` ask for; an empty one counts as absent. */
export function readEnvironment(env: Environment): EnvironmentReading {
  const variables = new Map(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const given: Given[] = []
  const faults: string[] = []
  for (const flag of FLAGS) {
    const name = twinOf(flag)
    const value = name === undefined ? undefined : variables.get(name)
    if (name === undefined || value === undefined) continue
    if (flag.built) given.push({ flag, name, value })
    else faults.push(`${name}: not in this build`)
  }
  return { given, faults, warnings: warningsOf(variables.keys()) }
}

function warningsOf(names: Iterable<string>): readonly string[] {
  const known = new Set(FLAGS.map(twinOf))
  const warnings: string[] = []
  for (const name of names) {
    const old = OLD_VARIABLES.get(name)
    if (old !== undefined) warnings.push(`${name}: ${old}`)
    else if (name.startsWith('RAMJET_') && !known.has(name) && !OTHERS.has(name) && !SERVICE_LINK.test(name)) {
      warnings.push(`${name}: unknown variable`)
    }
  }
  return warnings.toSorted()
}
