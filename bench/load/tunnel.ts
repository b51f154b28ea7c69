// `tunnel`: 64 WebSocket tunnels, each with a message of 128 bytes under way that is echoed.
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { chooseContenders, PEERS } from '../contenders/choose.ts'
import { pairedRatio } from '../paired-ratio.ts'
import { median, threeFigures } from '../statistics.ts'
import { startEchoOrigin } from './echo-origin.ts'
import { runInterleaved } from './interleaved.ts'
import { echoAll } from './tunnel-client.ts'

const TUNNELS = 64
const PEER = 'nginx'

export const tunnel: Bench = {
  name: 'tunnel',
  about: '64 WebSocket tunnels with a message of 128 bytes each under way, by CPU time of the proxy',
  needs: 'nothing',
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders } = chooseContenders(PEERS, options.against, options.progress)
  const origin = await startEchoOrigin(core)
  try {
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
      async ({ place }, seconds = 1) => await echoAll(place.port, TUNNELS, seconds),
    )
    const raw: Record<string, number[]> = {}
    const rows = contenders.map(({ name }) => {
      const own = slots.filter(({ contender }) => contender === name)
      const ratio = pairedRatio(slots, name, PEER)
      raw[name] = own.map(({ figure }) => figure)
      return [
        name,
        threeFigures(median(raw[name])),
        threeFigures(ratio.median),
        `${threeFigures(ratio.lowerQuartile)} to ${threeFigures(ratio.upperQuartile)}`,
        String(ratio.pairs),
        threeFigures(median(own.map(({ p99Ms }) => p99Ms))),
      ]
    })
    const heads = ['contender', 'CPU us', 'ratio', 'quartiles', 'pairs', 'p99 ms']
    return { tables: [{ title: `CPU microseconds per echo, and the ratio to ${PEER}`, heads, rows }], goals: [], raw }
  } finally {
    await origin.stop()
  }
}
