// `npm run bench -- NAME [--smoke] [--force] [--json]`: runs one benchmark, prints its tables and keeps the figures.
import { parseArgs } from 'node:util'
import { buildPrograms, enterNamespace } from '../hack/cluster/enter.ts'
import { runScript } from '../hack/unavailable.ts'
import type { Bench } from './bench.ts'
import { type BenchResult, writeResult } from './result-file.ts'
import { measureForeignCores, readSurroundings } from './surroundings.ts'
import { tableText } from './table-text.ts'

const QUIET_CHECK_MS = 5000
const QUIET_CORES = 0.5
const EXIT_BUSY = 75

// Loaded when it runs: one benchmark's imports are another one's noise.
const BENCHES: ReadonlyMap<string, () => Promise<Bench>> = new Map([
  ['routes', async () => (await import('./load/routes.ts')).routes],
  ['propagation', async () => (await import('./load/propagation.ts')).propagation],
])

interface Flags {
  readonly smoke: boolean
  readonly force: boolean
  readonly json: boolean
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const load = BENCHES.get(positionals[0] ?? '')
  if (!load || positionals.length > 1) {
    console.error(`usage: npm run bench -- NAME [--smoke] [--force] [--json]\nnames: ${[...BENCHES.keys()].join(', ')}`)
    process.exitCode = 2
    return
  }
  const bench = await load()
  const outside = bench.needs === 'cluster' && !isInsideNamespace()
  process.exitCode = await (outside ? runInNamespace() : runHere(bench, values))
}

// hack/namespace.sh sets it: its name is how anyone inside knows.
function isInsideNamespace(): boolean {
  return process.env['CLUSTER_WORK'] !== undefined
}

async function runInNamespace(): Promise<number> {
  await buildPrograms()
  return enterNamespace(import.meta.filename, { args: process.argv.slice(2) })
}

async function runHere(bench: Bench, { smoke, force, json }: Flags): Promise<number> {
  const foreignCores = smoke ? undefined : await measureForeignCores(QUIET_CHECK_MS)
  if (!force && foreignCores !== undefined && foreignCores > QUIET_CORES) {
    console.error(
      `other programs use ${foreignCores.toFixed(1)} cores: the figures would be theirs. --force measures anyway`,
    )
    return EXIT_BUSY
  }
  const startedAt = new Date()
  const surroundings = readSurroundings()
  const outcome = await bench.run({ smoke, progress: (line) => console.error(line) })
  const result: BenchResult = {
    name: bench.name,
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`,
    overrides: [...(smoke ? ['--smoke'] : []), ...(force ? ['--force'] : [])],
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    foreignCores,
    surroundings,
    ...outcome,
  }
  const file = writeResult(result)
  if (json) console.log(JSON.stringify(result))
  else report(result, file)
  return 0
}

function report(result: BenchResult, file: string): void {
  const { surroundings, foreignCores, overrides } = result
  for (const table of result.tables) console.log(`${tableText(table)}\n`)
  const busy = foreignCores === undefined ? '' : `, other programs used ${foreignCores.toFixed(1)} cores before`
  console.log(
    `${surroundings.cpu}, ${surroundings.cores} cores, ${surroundings.kernel}, Node ${surroundings.node}${busy}`,
  )
  if (overrides.length > 0) console.log(`run with ${overrides.join(' ')}: not the run that is meant`)
  console.log(`kept in ${file}`)
}

await runScript(main)
