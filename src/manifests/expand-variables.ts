import { err, ok, type Result } from '../lib/result.ts'

const PART = /\$\$\{|\$\{([^}]*)\}?/g
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * `text` with every `${NAME}` replaced by what `lookUp` has for it; `$${` stands for `${` (R42-5). The error names the
 * variable and holds no value.
 */
export function expandVariables(text: string, lookUp: (name: string) => string | undefined): Result<string, string> {
  const faults: string[] = []
  const expanded = text.replaceAll(PART, (part: string, name: string | undefined) => {
    if (name === undefined) return '${'
    const value = NAME.test(name) && part.endsWith('}') ? lookUp(name) : undefined
    if (value === undefined) faults.push(faultOf(part, name))
    return value ?? ''
  })
  const [fault] = faults
  return fault === undefined ? ok(expanded) : err(fault)
}

/** Looks up variables of an environment; what it inherits as an object is none. */
export function variablesOf(env: Readonly<Record<string, string | undefined>>): (name: string) => string | undefined {
  return (name) => (Object.hasOwn(env, name) ? env[name] : undefined)
}

function faultOf(part: string, name: string): string {
  if (!part.endsWith('}')) return 'has a ${ that nothing closes; $${ stands for ${ itself'
  return NAME.test(name)
    ? `names the variable ${name}, which is not set`
    : 'has a reference that is no name of a variable'
}
