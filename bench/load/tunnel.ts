// `tunnel`: 64 WebSocket tunnels, each with a message of 128 bytes under way that is echoed.
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { chooseContenders, PEERS } from '../contenders/choose.ts'
import { checkAlike } from './alike.ts'
import { startEchoOrigin } from './echo-origin.ts'
import { runInterleaved } from './interleaved.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import type { Arrangement } from './ratio-report.ts'
import { runEchoes } from './tunnel-echoes.ts'

const TUNNELS = 64
const ROUNDS = 25
const ECHOES: Arrangement = { name: '64 tunnels, 128 bytes', unit: 'round trip', targets: new Map() }

export const tunnel: Bench = {
  name: 'tunnel',
  about: '64 WebSocket tunnels with a message of 128 bytes each under way, by CPU time of the proxy',
  needs: 'nothing',
  programs: ['taskset'],
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders, versions } = chooseContenders(PEERS, options.against, options.progress)
  const origin = await startEchoOrigin(core)
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: origin.address, core, ...paceOf(options, ROUNDS) }
    return await benchRatios(
      [ECHOES],
      options,
      () =>
        runInterleaved(plan, ({ place }, seconds = 1) =>
          runEchoes({ port: place.port, tunnels: TUNNELS, seconds }, core),
        ),
      () => versions,
    )
  } finally {
    await origin.stop()
  }
}
