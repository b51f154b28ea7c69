// `forward`: one HTTP/1.1 request through a proxy and its answer of 128 bytes, in CPU time of the proxy (R60-27, R60-28).
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { chooseContenders, MORE_PEERS, PEERS } from '../contenders/choose.ts'
import { checkAlike } from './alike.ts'
import { type InterleavedPlan, type MeasuredSlot, runInterleaved } from './interleaved.ts'
import { runPacedRequests } from './paced-requests.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import { type Arrangement, PEER, type TailTarget, type Target } from './ratio-report.ts'
import { startUpstream } from './upstream.ts'
import { runWrk } from './wrk.ts'

interface Forwarding extends Arrangement {
  readonly connections: number
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** What a browser of today sends along. */
const BROWSER: Forwarding['headers'] = [
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

const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['wire/handle', { rule: 'R60-28', atMost: 0.9 }],
  ['wire/public', { rule: 'R60-27', atMost: 1.3 }],
])
/** Of both transports, beside nginx in the same run (R60-30). */
const TAILS: ReadonlyMap<string, Target> = new Map(
  [...TARGETS.keys()].map((contender) => [contender, { rule: 'R60-30', atMost: 1 }]),
)
const SATURATED: TailTarget = { of: 'p99Ms', targets: TAILS }
const COMMON = { unit: 'request', targets: TARGETS }

const ARRANGEMENTS: readonly Forwarding[] = [
  { ...COMMON, name: 'minimal head, 64 connections', connections: 64, headers: [], tail: SATURATED },
  { ...COMMON, name: 'minimal head, 256 connections', connections: 256, headers: [] },
  { ...COMMON, name: 'browser head, 64 connections', connections: 64, headers: BROWSER, tail: SATURATED },
  { ...COMMON, name: 'browser head, 256 connections', connections: 256, headers: BROWSER },
]

/** All at one rate, 70 % of what the slowest of them answers at most. */
const PACED: Forwarding = {
  unit: 'request',
  targets: new Map(),
  name: 'minimal head, 64 connections, 70 % load',
  connections: 64,
  headers: [],
  tail: { of: 'p999Ms', targets: TAILS },
}
const LOAD = 0.7
const ROUNDS = 30

export const forward: Bench = {
  name: 'forward',
  about: 'one request over HTTP/1.1 with an answer of 128 bytes, by CPU time of the proxy',
  needs: 'nothing',
  programs: ['nginx', 'wrk', 'taskset'],
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders, versions } = chooseContenders([...PEERS, ...MORE_PEERS], options.against, options.progress)
  const upstream = await startUpstream(core)
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: upstream.address, core, ...paceOf(options, ROUNDS) }
    return await benchRatios(
      options.smoke ? [...ARRANGEMENTS.slice(0, 1), PACED] : [...ARRANGEMENTS, PACED],
      options,
      (arrangement) => (arrangement === PACED ? measurePaced(plan) : measureSaturated(plan, arrangement)),
      () => versions,
    )
  } finally {
    await upstream.stop()
  }
}

function measureSaturated(
  plan: InterleavedPlan,
  { connections, headers }: Forwarding,
): Promise<readonly MeasuredSlot[]> {
  return runInterleaved({ ...plan, atOnce: connections }, async ({ place }, seconds = 1) => {
    const report = await runWrk({ port: place.port, connections, seconds, headers, core: plan.core })
    return { ...report, units: report.requests }
  })
}

/** Those that have a target, and their peer; the warm-up says what each can do. */
function measurePaced(plan: InterleavedPlan): Promise<readonly MeasuredSlot[]> {
  const { connections } = PACED
  const contenders = plan.contenders.filter(({ name }) => name === PEER || TAILS.has(name))
  const most: number[] = []
  return runInterleaved({ ...plan, contenders, atOnce: connections }, async ({ place: { port } }, warmUpSeconds) => {
    if (warmUpSeconds === undefined) {
      const perSecond = LOAD * Math.min(...most)
      return await runPacedRequests({ port, connections, seconds: 1, perSecond }, plan.core)
    }
    const report = await runPacedRequests({ port, connections, seconds: warmUpSeconds }, plan.core)
    most.push(report.perSecond)
    return report
  })
}
