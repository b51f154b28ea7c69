// `body`: large bodies through a proxy, both ways, and its memory beside a slow reader (R20-173).
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome, FigureTable } from '../bench.ts'
import { chooseContenders, OWN } from '../contenders/choose.ts'
import type { Contender } from '../contenders/contender.ts'
import { NGINX } from '../contenders/nginx.ts'
import { startContender } from '../contenders/start.ts'
import { pairedRatio } from '../paired-ratio.ts'
import { median, threeFigures } from '../statistics.ts'
import { startBodyOrigin } from './body-origin.ts'
import { type Transfer, transferAll } from './body-transfer.ts'
import { runInterleaved } from './interleaved.ts'
import { readSlowly } from './slow-reader.ts'

const MIB = 1024 * 1024
const PEER = 'nginx'

interface Arrangement {
  readonly name: string
  readonly transfer: Transfer
}

const ARRANGEMENTS: readonly Arrangement[] = [
  { name: '1 MiB down', transfer: { path: `/down/${MIB}`, upBytes: 0, chunked: false } },
  { name: '1 MiB up', transfer: { path: '/up', upBytes: MIB, chunked: false } },
  { name: '64 KiB down in chunks', transfer: { path: `/chunked/${64 * 1024}`, upBytes: 0, chunked: true } },
]

export const body: Bench = {
  name: 'body',
  about: 'bodies of 1 MiB and of 64 KiB in chunks, by CPU time of the proxy, and its memory beside a slow reader',
  needs: 'nothing',
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders } = chooseContenders([NGINX], options.against, options.progress)
  const origin = await startBodyOrigin(core)
  const tables: FigureTable[] = []
  const raw: Record<string, number[]> = {}
  try {
    for (const { name, transfer } of ARRANGEMENTS) {
      options.progress(name)
      const slots = await runInterleaved(
        {
          contenders,
          upstream: origin.address,
          core,
          rounds: options.smoke ? 1 : 25,
          warmUpSeconds: options.smoke ? 1 : 5,
          coolDownMs: 0,
          progress: options.progress,
        },
        async ({ place }, seconds = 1) => await transferAll(place.port, transfer, seconds),
      )
      const rows = contenders.map((contender) => {
        const own = slots.filter((slot) => slot.contender === contender.name)
        const ratio = pairedRatio(slots, contender.name, PEER)
        raw[`${name}, ${contender.name}`] = own.map(({ figure }) => figure)
        return [
          contender.name,
          threeFigures(median(own.map(({ figure }) => figure))),
          threeFigures(ratio.median),
          `${threeFigures(ratio.lowerQuartile)} to ${threeFigures(ratio.upperQuartile)}`,
          String(ratio.pairs),
        ]
      })
      const heads = ['contender', 'CPU us', 'ratio', 'quartiles', 'pairs']
      tables.push({ title: `${name}: CPU microseconds per body, and the ratio to ${PEER}`, heads, rows })
    }
    tables.push(await slowReaders([...contenders.filter(({ name }) => name === PEER), ...OWN], origin.address, options))
  } finally {
    await origin.stop()
  }
  return { tables, goals: [], raw }
}

/** What a proxy holds for a client that takes 1 MiB/s of 2 GiB: before, and the most that was seen. */
async function slowReaders(
  contenders: readonly Contender[],
  upstream: string,
  { smoke, progress }: BenchOptions,
): Promise<FigureTable> {
  const rows: string[][] = []
  for (const contender of contenders) {
    progress(`a slow reader of ${contender.name}`)
    const running = await startContender(contender, upstream, availableParallelism() - 1)
    try {
      const path = `/down/${2048 * MIB}`
      const before = running.tree.residentBytes()
      const seconds = smoke ? 2 : 60
      const seen = await readSlowly(running.place.port, { path, bytesPerSecond: MIB, seconds }, () =>
        running.tree.residentBytes(),
      )
      rows.push([contender.name, mib(before), mib(Math.max(...seen) - before), mib((seen.at(-1) ?? before) - before)])
    } finally {
      await running.stop()
    }
  }
  const heads = ['contender', 'MiB before', 'most beyond', 'beyond at the end']
  return { title: 'A client that takes 1 MiB/s of 2 GiB, for a minute: resident memory', heads, rows }
}

function mib(bytes: number): string {
  return threeFigures(bytes / MIB)
}
