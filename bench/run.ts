// `npm run bench -- NAME [--against PEER,...] [--smoke] [--force] [--json]`: runs one benchmark, prints its tables and keeps the figures.
import { buildPrograms, enterNamespace } from '../hack/cluster/enter.ts'
import { runScript, Unavailable } from '../hack/unavailable.ts'
import { type BenchArguments, readArguments, usageOf } from './arguments.ts'
import type { Bench, BenchOptions } from './bench.ts'
import { missingPrograms } from './contenders/installed.ts'
import { withoutLeftovers } from './leftovers.ts'
import { reportText } from './report-text.ts'
import { type BenchResult, writeResult } from './result-file.ts'
import { measureForeignCores, readSurroundings } from './surroundings.ts'

const QUIET_CHECK_MS = 30_000
const QUIET_CORES = 0.5
// sysexits.h: EX_USAGE, EX_TEMPFAIL.
const EXIT_USAGE = 64
const EXIT_BUSY = 75

// Loaded when it runs: one benchmark's imports are another one's noise.
const BENCHES: ReadonlyMap<string, () => Promise<Bench>> = new Map([
  ['body', async () => (await import('./load/body.ts')).body],
  ['churn', async () => (await import('./load/churn.ts')).churn],
  ['forward', async () => (await import('./load/forward.ts')).forward],
  ['h2', async () => (await import('./load/h2.ts')).h2],
  ['idle', async () => (await import('./load/idle.ts')).idle],
  ['routes', async () => (await import('./load/routes.ts')).routes],
  ['propagation', async () => (await import('./load/propagation.ts')).propagation],
  ['tls', async () => (await import('./load/tls.ts')).tls],
  ['tunnel', async () => (await import('./load/tunnel.ts')).tunnel],
])

async function main(): Promise<void> {
  const names = [...BENCHES.keys()]
  const read = readArguments(process.argv.slice(2), names)
  if (!read.ok) {
    console.error(`${read.error}\n${usageOf(names)}`)
    process.exitCode = EXIT_USAGE
    return
  }
  if (read.value === 'help') return console.log(usageOf(names))
  const bench = await BENCHES.get(read.value.name)?.()
  if (bench) process.exitCode = await runBench(bench, read.value)
}

async function runBench(bench: Bench, flags: BenchArguments): Promise<number> {
  if (bench.needs === 'nothing' || isInsideNamespace()) return runHere(bench, flags)
  await buildPrograms()
  return enterNamespace(import.meta.filename, { args: process.argv.slice(2) })
}

// hack/namespace.sh sets it for whatever runs inside.
function isInsideNamespace(): boolean {
  return process.env['CLUSTER_WORK'] !== undefined
}

async function runHere(bench: Bench, { smoke, force, json, against }: BenchArguments): Promise<number> {
  const missing = missingPrograms(bench.programs ?? [])
  if (missing.length > 0) throw new Unavailable(`${bench.name} needs ${missing.join(', ')}: hack/install-peers.sh`)
  const foreignCores = smoke ? undefined : await measureForeignCores(QUIET_CHECK_MS)
  if (!force && foreignCores !== undefined && foreignCores > QUIET_CORES) {
    console.error(`other programs use ${foreignCores.toFixed(1)} cores and would be measured too; --force runs anyway`)
    return EXIT_BUSY
  }
  const startedAt = new Date()
  const surroundings = readSurroundings()
  const options: BenchOptions = { smoke, against, progress: (line) => console.error(line) }
  const outcome = await withoutLeftovers(() => bench.run(options))
  const result: BenchResult = {
    name: bench.name,
    about: bench.about,
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`,
    overrides: [...(smoke ? ['--smoke'] : []), ...(force ? ['--force'] : [])],
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    foreignCores,
    surroundings,
    ...outcome,
    // The figures of a smoke mean nothing, so they miss nothing either.
    goals: smoke ? [] : outcome.goals,
  }
  const file = writeResult(result)
  console.log(json ? JSON.stringify(result) : reportText(result, file))
  return 0
}

await runScript(main)
