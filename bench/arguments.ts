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
}

/** Reads `NAME [--smoke] [--force] [--json]`; the error says what is wrong with it. */
export function readArguments(argv: readonly string[], names: readonly string[]): Result<BenchArguments, string> {
  try {
    const flag = { type: 'boolean', default: false } as const
    const options = { smoke: flag, force: flag, json: flag }
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [name, ...more] = positionals
    if (name === undefined) return err('which benchmark?')
    if (more.length > 0) return err(`one benchmark at a time: ${more.join(' ')} is too much`)
    return names.includes(name) ? ok({ name, ...values }) : err(`there is no benchmark ${name}`)
  } catch (error) {
    return err(messageOf(error))
  }
}
