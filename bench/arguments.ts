import { parseArgs } from 'node:util'
import { messageOf } from '../src/lib/errors.ts'
import { err, ok, type Result } from '../src/lib/result.ts'

export interface BenchArguments {
  readonly name: string
  /** A short run that shows that everything works. */
  readonly smoke: boolean
  /** Measure although the machine is busy. */
  readonly force: boolean
  /** Print the result as JSON in place of tables. */
  readonly json: boolean
  /** Names of the peers to measure beside us; empty: every one that is installed. */
  readonly against: readonly string[]
}

/** Reads `NAME [--against NAME,...] [--smoke] [--force] [--json]`; the error says what is wrong with it. */
export function readArguments(argv: readonly string[], names: readonly string[]): Result<BenchArguments, string> {
  try {
    const flag = { type: 'boolean', default: false } as const
    const options = { smoke: flag, force: flag, json: flag, against: { type: 'string', default: '' } } as const
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [name, ...more] = positionals
    if (name === undefined) return err('which benchmark?')
    if (more.length > 0) return err(`one benchmark at a time: ${more.join(' ')} is too much`)
    if (!names.includes(name)) return err(`there is no benchmark ${name}`)
    return ok({ ...values, name, against: values.against.split(',').filter((peer) => peer !== '') })
  } catch (error) {
    return err(messageOf(error))
  }
}
