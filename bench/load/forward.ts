// `forward`: one HTTP/1.1 request through a proxy and its answer of 128 bytes, in CPU time of the proxy (R60-27, R60-28).
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { chooseContenders, MORE_PEERS, PEERS } from '../contenders/choose.ts'
import { checkAlike } from './alike.ts'
import { runInterleaved } from './interleaved.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import type { Arrangement, Target } from './ratio-report.ts'
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
const COMMON = { unit: 'request', targets: TARGETS }

const ARRANGEMENTS: readonly Forwarding[] = [
  { ...COMMON, name: 'minimal head, 64 connections', connections: 64, headers: [] },
  { ...COMMON, name: 'minimal head, 256 connections', connections: 256, headers: [] },
  { ...COMMON, name: 'browser head, 64 connections', connections: 64, headers: BROWSER },
  { ...COMMON, name: 'browser head, 256 connections', connections: 256, headers: BROWSER },
]

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
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: upstream.address, core, ...paceOf(options, ROUNDS) }
    return await benchRatios(
      options.smoke ? ARRANGEMENTS.slice(0, 1) : ARRANGEMENTS,
      options,
      ({ connections, headers }) =>
        runInterleaved(plan, async ({ place }, seconds = 1) => {
          const report = await runWrk({ port: place.port, connections, seconds, headers, core })
          return { ...report, units: report.requests }
        }),
      () => versions,
    )
  } finally {
    await upstream.stop()
  }
}
