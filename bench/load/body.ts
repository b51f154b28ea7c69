// `body`: large bodies through a proxy, both ways, and its memory beside a slow reader (R20-173).
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome, FigureTable } from '../bench.ts'
import { chooseContenders, OWN } from '../contenders/choose.ts'
import type { Contender } from '../contenders/contender.ts'
import { NGINX } from '../contenders/nginx.ts'
import { startContender } from '../contenders/start.ts'
import { threeFigures } from '../statistics.ts'
import { checkAlike } from './alike.ts'
import { startBodyOrigin } from './body-origin.ts'
import { LANES, runTransfers, type Transfer } from './body-transfer.ts'
import { runInterleaved } from './interleaved.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import { type Arrangement, PEER, type Target } from './ratio-report.ts'
import { readSlowly } from './slow-reader.ts'

interface BodyWork extends Arrangement {
  readonly transfer: Transfer
}

const MIB = 1024 * 1024
const CHUNKED = 64 * 1024
const ROUNDS = 25
const COMMON = { unit: 'transfer', targets: new Map<string, Target>() }

const ARRANGEMENTS: readonly BodyWork[] = [
  { ...COMMON, name: '1 MiB down', transfer: { path: `/down/${MIB}`, upBytes: 0, downBytes: MIB } },
  { ...COMMON, name: '1 MiB up', transfer: { path: '/up', upBytes: MIB, downBytes: 0 } },
  {
    ...COMMON,
    name: '64 KiB down in chunks',
    transfer: { path: `/chunked/${CHUNKED}`, upBytes: 0, downBytes: CHUNKED },
  },
]

export const body: Bench = {
  name: 'body',
  about: 'bodies of 1 MiB and of 64 KiB in chunks, by CPU time of the proxy, and its memory beside a slow reader',
  needs: 'nothing',
  programs: ['taskset'],
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders, versions } = chooseContenders([NGINX], options.against, options.progress)
  const origin = await startBodyOrigin(core)
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: origin.address, core, ...paceOf(options, ROUNDS) }
    const outcome = await benchRatios(
      ARRANGEMENTS,
      options,
      ({ transfer }) =>
        runInterleaved({ ...plan, atOnce: LANES }, ({ place }, seconds = 1) =>
          runTransfers({ ...transfer, port: place.port, seconds }, core),
        ),
      () => versions,
    )
    const readers = [...contenders.filter(({ name }) => name === PEER), ...OWN]
    return { ...outcome, tables: [...outcome.tables, await slowReaders(readers, origin.address, options)] }
  } finally {
    await origin.stop()
  }
}

/** What a proxy holds for a client that takes 1 MiB/s of 2 GiB: before, and the most that was seen. */
async function slowReaders(
  contenders: readonly Contender[],
  upstream: string,
  { smoke, progress }: BenchOptions,
): Promise<FigureTable> {
  const seconds = smoke ? 2 : 60
  const rows: string[][] = []
  for (const contender of contenders) {
    progress(`a slow reader of ${contender.name}`)
    const running = await startContender(contender, upstream, availableParallelism() - 1)
    try {
      const path = `/down/${2048 * MIB}`
      const before = running.tree.residentBytes()
      const seen = await readSlowly(running.place.port, { path, bytesPerSecond: MIB, seconds }, () =>
        running.tree.residentBytes(),
      )
      rows.push([contender.name, mib(before), mib(Math.max(...seen) - before), mib((seen.at(-1) ?? before) - before)])
    } finally {
      await running.stop()
    }
  }
  const heads = ['contender', 'MiB before', 'most beyond', 'beyond at the end']
  return { title: `A client that takes 1 MiB/s of 2 GiB, for ${seconds} s: resident memory`, heads, rows }
}

function mib(bytes: number): string {
  return threeFigures(bytes / MIB)
}
