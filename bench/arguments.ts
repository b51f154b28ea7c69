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

/** What `--help` prints, and what follows the error of a call that cannot be understood. */
export function usageOf(names: readonly string[]): string {
  return `usage: npm run bench -- NAME [--against PEER,...] [--smoke] [--force] [--json]

NAME       one of ${names.join(', ')}
--against  only these peers beside Ramjet; all that are installed where it is missing (hack/install-peers.sh)
--smoke    a short run that shows that everything works; judges no goal
--force    measures although other programs are busy
--json     prints the result as JSON in place of tables

The figures are kept as bench/results/NAME.json, those of --smoke and --force in bench/results/scratch.`
}

/** Reads the arguments of a call; the error says what is wrong with them. */
export function readArguments(
  argv: readonly string[],
  names: readonly string[],
): Result<BenchArguments | 'help', string> {
  try {
    const flag = { type: 'boolean', default: false } as const
    const help = { ...flag, short: 'h' } as const
    const options = { help, smoke: flag, force: flag, json: flag, against: { type: 'string', default: '' } } as const
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    if (values.help) return ok('help')
    const [name, ...more] = positionals
    if (name === undefined) return err('which benchmark?')
    if (more.length > 0) return err(`one benchmark at a time: ${more.join(' ')} is too much`)
    if (!names.includes(name)) return err(`there is no benchmark ${name}`)
    const { smoke, force, json, against } = values
    return ok({ smoke, force, json, name, against: against.split(',').filter((peer) => peer !== '') })
  } catch (error) {
    return err(messageOf(error))
  }
}
