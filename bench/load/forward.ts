// `forward`: one HTTP/1.1 request through a proxy and its answer of 128 bytes, in CPU time of the proxy (R60-27, R60-28).
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome, FigureTable, Goal } from '../bench.ts'
import { chooseContenders, MORE_PEERS, PEERS } from '../contenders/choose.ts'
import { judge, MAX_DISAGREEMENT, pairedRatio, quietSlots } from '../paired-ratio.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { checkAlike } from './alike.ts'
import { type MeasuredSlot, runInterleaved } from './interleaved.ts'
import { startUpstream } from './upstream.ts'
import { runWrk } from './wrk.ts'

interface Arrangement {
  readonly name: string
  readonly connections: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** What a browser of today sends along. */
const BROWSER: Arrangement['headers'] = [
  [
    'User-Agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ['Accept-Language', 'en-GB,en;q=0.9,de;q=0.8'],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ['Cache-Control', 'max-age=0'],
  ['Upgrade-Insecure-Requests', '1'],
  ['Sec-Fetch-Dest', 'document'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Referer', 'http://shop.example/catalogue/shoes?page=3'],
  [
    'Cookie',
    'session=9f2c4b6e0d1a47c28f3355aa01be7d90; theme=dark; consent=all; cart=77aa10f24c3e9b5d8812c0ffee345611',
  ],
]

const ARRANGEMENTS: readonly Arrangement[] = [
  { name: 'minimal head, 64 connections', connections: 64, headers: [] },
  { name: 'minimal head, 256 connections', connections: 256, headers: [] },
  { name: 'browser head, 64 connections', connections: 64, headers: BROWSER },
  { name: 'browser head, 256 connections', connections: 256, headers: BROWSER },
]

const TARGETS: ReadonlyMap<string, { readonly rule: string; readonly atMost: number }> = new Map([
  ['wire/handle', { rule: 'R60-28', atMost: 0.9 }],
  ['wire/public', { rule: 'R60-27', atMost: 1.3 }],
])
const PEER = 'nginx'
const ROUNDS = 30

export const forward: Bench = {
  name: 'forward',
  about: 'one request over HTTP/1.1 with an answer of 128 bytes, by CPU time of the proxy',
  needs: 'nothing',
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders, versions } = chooseContenders([...PEERS, ...MORE_PEERS], options.against, options.progress)
  const upstream = await startUpstream(core)
  const tables: FigureTable[] = []
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  try {
    await checkAlike(contenders, core)
    for (const arrangement of options.smoke ? ARRANGEMENTS.slice(0, 1) : ARRANGEMENTS) {
      const { connections, headers } = arrangement
      options.progress(arrangement.name)
      const slots = await runInterleaved(
        {
          contenders,
          upstream: upstream.address,
          core,
          rounds: options.smoke ? 1 : ROUNDS,
          warmUpSeconds: options.smoke ? 1 : 10,
          coolDownMs: options.smoke ? 0 : 2000,
          progress: options.progress,
        },
        async ({ place }, seconds = 1) => {
          const report = await runWrk({ port: place.port, connections, seconds, headers, core })
          return { ...report, units: report.requests }
        },
      )
      tables.push(tableOf(arrangement, slots))
      goals.push(...goalsOf(arrangement, slots))
      for (const { name } of contenders) {
        raw[`${arrangement.name}, ${name}`] = slots
          .filter((slot) => slot.contender === name)
          .map(({ figure }) => figure)
      }
    }
  } finally {
    await upstream.stop()
  }
  const title = 'Contenders'
  return { tables: [{ title, heads: ['name', 'version'], rows: versions }, ...tables], goals, raw }
}

function tableOf({ name }: Arrangement, slots: readonly MeasuredSlot[]): FigureTable {
  const names = [...new Set(slots.map(({ contender }) => contender))]
  const rows = names.map((contender) => {
    const own = slots.filter((slot) => slot.contender === contender)
    const quiet = quietSlots(slots).filter((slot) => slot.contender === contender)
    const ratio = pairedRatio(slots, contender, PEER)
    const disagrees = Math.abs(ratio.scaled / ratio.median - 1) > MAX_DISAGREEMENT
    return [
      contender,
      threeFigures(median(quiet.map(({ figure }) => figure))),
      `${threeFigures(ratio.median)}${disagrees ? ' (disturbed)' : ''}`,
      `${threeFigures(ratio.lowerQuartile)} to ${threeFigures(ratio.upperQuartile)}`,
      threeFigures(ratio.scaled),
      `${quiet.length} of ${own.length}`,
      threeFigures(median(own.map(({ perSecond }) => perSecond))),
      threeFigures(
        quantile(
          own.map(({ p99Ms }) => p99Ms),
          0.5,
        ),
      ),
    ]
  })
  const heads = ['contender', 'CPU us', 'ratio', 'quartiles', 'scaled ratio', 'quiet slots', 'requests/s', 'p99 ms']
  return { title: `${name}: CPU microseconds per request, and the ratio to ${PEER}`, heads, rows }
}

function goalsOf({ name }: Arrangement, slots: readonly MeasuredSlot[]): readonly Goal[] {
  return [...TARGETS].flatMap(([contender, { rule, atMost }]) => {
    const ratio = pairedRatio(slots, contender, PEER)
    if (!slots.some((slot) => slot.contender === contender)) return []
    const verdict = judge(ratio, atMost)
    return [{ rule, what: `${contender}, ${name}`, atMost, measured: ratio.median, unit: `x ${PEER}`, verdict }]
  })
}
