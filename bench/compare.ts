// `node bench/compare.ts BASE HEAD [--smoke]`: two checkouts of this repository, interleaved; part of a hot path's review.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { runScript, Unavailable } from '../hack/unavailable.ts'
import { missingPrograms } from './contenders/installed.ts'
import { ramjet } from './contenders/ramjet.ts'
import { withoutLeftovers } from './leftovers.ts'
import { checkAlike } from './load/alike.ts'
import { runInterleaved } from './load/interleaved.ts'
import { startUpstream } from './load/upstream.ts'
import { runWrk } from './load/wrk.ts'
import { judge, pairedRatio, type Slot } from './paired-ratio.ts'
import { threeFigures } from './statistics.ts'

const ROUNDS = 40
const TOLERANCE = 1.03

async function main(args: readonly string[]): Promise<void> {
  const smoke = args.includes('--smoke')
  const [base, head] = args.filter((arg) => !arg.startsWith('--'))
  if (base === undefined || head === undefined) {
    console.error(
      'usage: node bench/compare.ts BASE HEAD [--smoke]\nBASE, HEAD: folders of two checkouts, each with its packages',
    )
    process.exitCode = 64
    return
  }
  const missing = missingPrograms(['nginx', 'wrk', 'taskset'])
  if (missing.length > 0) throw new Unavailable(`this needs ${missing.join(', ')}: hack/install-peers.sh`)
  await withoutLeftovers(() => compare(resolve(base), resolve(head), smoke))
}

async function compare(base: string, head: string, smoke: boolean): Promise<void> {
  const core = availableParallelism() - 1
  const contenders = (['handle', 'public'] as const).flatMap((transport) => [
    ramjet('wire', transport, { name: `base/${transport}`, root: base }),
    ramjet('wire', transport, { name: `head/${transport}`, root: head }),
  ])
  const upstream = await startUpstream(core)
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: upstream.address, core, coolDownMs: 0, progress: console.error }
    const slots = await runInterleaved(
      { ...plan, rounds: smoke ? 1 : ROUNDS, warmUpSeconds: smoke ? 1 : 10 },
      async ({ place }, seconds = 1) => {
        const report = await runWrk({ port: place.port, connections: 64, seconds, headers: [], core })
        return { ...report, units: report.requests }
      },
    )
    if (smoke) console.log('a smoke shows that everything works: no checkout is judged by it')
    else for (const transport of ['handle', 'public']) tell(slots, transport)
  } finally {
    await upstream.stop()
  }
}

function tell(slots: readonly Slot[], transport: string): void {
  const ratio = pairedRatio(slots, `head/${transport}`, `base/${transport}`)
  const quartiles = `${threeFigures(ratio.lowerQuartile)} to ${threeFigures(ratio.upperQuartile)}`
  const verdict = judge(ratio, TOLERANCE)
  console.log(
    `${transport}: head / base ${threeFigures(ratio.median)} (${quartiles}, ${ratio.pairs} pairs): at most ${TOLERANCE} ${verdict}`,
  )
}

await runScript(() => main(process.argv.slice(2)))
