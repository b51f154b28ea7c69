import type { FlagReader } from './flag-reader.ts'
import { FLAGS } from './flags.ts'

/** A flag with the value that is in force. */
export interface EffectiveFlag {
  readonly name: string
  /** As it was written; of several values all, with commas. */
  readonly value: string
  readonly origin: 'flag' | 'environment' | 'default'
}

/** Every flag of this build, in the order of the table (R33-11). */
export function effectiveFlags(reader: FlagReader): readonly EffectiveFlag[] {
  const shown = FLAGS.filter(({ name, built }) => built && name !== '--help' && name !== '--version')
  return shown.map(({ name, default: byDefault }) => {
    const given = reader.given(name)
    const [first] = given
    if (first === undefined) return { name, value: byDefault, origin: 'default' }
    const origin = first.name === name ? 'flag' : 'environment'
    return { name, value: given.map(({ value }) => value).join(','), origin }
  })
}
