// `churn`: what a change costs whoever is being served, beside nginx that reloads at the same rhythm (R60-13, R60-38).
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, BenchOptions, BenchOutcome, Goal } from '../bench.ts'
import { bootstrapOfMedian, judgeMedian } from '../bootstrap.ts'
import { contendersTable } from '../contenders/choose.ts'
import type { Running } from '../contenders/contender.ts'
import { NGINX } from '../contenders/nginx.ts'
import { startContender } from '../contenders/start.ts'
import { median, threeFigures } from '../statistics.ts'
import { type Arm, type Changing, changingContenders } from './changes.ts'
import { startEchoOrigin } from './echo-origin.ts'
import { holdConnections } from './held-connections.ts'
import type { Latency } from './latency.ts'
import { EchoTunnel } from './tunnel-client.ts'
import { runWrk } from './wrk.ts'

const IDLE = 100
const TUNNELS = 20
const CONNECTIONS = 64
const PAIRS = 100
const ARMS: readonly Arm[] = ['spec', 'endpoint']
const HEADS = [
  'contender',
  'changed / quiet',
  '95 % interval',
  'p99 ms changed',
  'p99 ms quiet',
  'p99.9 ms changed',
  'p99.9 ms quiet',
  'lost',
  'idle',
  'tunnels',
]

export const churn: Bench = {
  name: 'churn',
  about: 'a change every two seconds under full load: throughput, tails, lost requests, connections and tunnels held',
  needs: 'nothing',
  programs: ['wrk', 'taskset'],
  run,
}

/** What became of one contender in one arm: pairs of a second with a change and one without. */
interface Outcome {
  /** Throughput with a change over throughput without. */
  readonly ratios: readonly number[]
  readonly changed: readonly Latency[]
  readonly quiet: readonly Latency[]
  readonly lost: number
  readonly idleAlive: number
  readonly tunnelsAlive: number
}

interface Plan {
  readonly upstream: string
  readonly arm: Arm
  readonly core: number
  readonly pairs: number
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const first = await startEchoOrigin(core)
  const second = await startEchoOrigin(core)
  const contenders = changingContenders([first.address, second.address])
  const tables = [contendersTable(contenders.map(({ contender }) => [contender.name, contender.version() ?? '-']))]
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  try {
    // In another order from run to run, so that neither always comes behind the other (R60-13).
    for (const arm of Math.random() < 0.5 ? ARMS : ARMS.toReversed()) {
      const rows: string[][] = []
      for (const changing of contenders) {
        const { name } = changing.contender
        options.progress(`arm ${arm}, ${name}`)
        const pairs = options.smoke ? 2 : PAIRS
        const outcome = await measure(changing, { upstream: first.address, arm, core, pairs })
        if (options.smoke && name !== NGINX.name) expectWhole(name, outcome)
        rows.push(rowOf(name, outcome))
        raw[`${arm}, ${name}: changed / quiet`] = outcome.ratios
        raw[`${arm}, ${name}: p99 ms changed`] = outcome.changed.map(({ p99Ms }) => p99Ms)
        raw[`${arm}, ${name}: p99 ms quiet`] = outcome.quiet.map(({ p99Ms }) => p99Ms)
        if (name !== NGINX.name) goals.push(...goalsOf(`arm ${arm}, ${name}`, outcome))
      }
      tables.push({ title: `Arm ${arm}: pairs of a second with a change and one without`, heads: HEADS, rows })
    }
  } finally {
    await first.stop()
    await second.stop()
  }
  return { tables, goals, raw }
}

async function measure(changing: Changing, plan: Plan): Promise<Outcome> {
  const running = await startContender(changing.contender, plan.upstream, plan.core)
  try {
    return await measureRunning(changing, running, plan)
  } finally {
    await running.stop()
  }
}

async function measureRunning(changing: Changing, running: Running, { arm, core, pairs }: Plan): Promise<Outcome> {
  const { port } = running.place
  const load = { port, connections: CONNECTIONS, headers: [], core }
  await runWrk({ ...load, seconds: 5 })
  const held = await holdConnections(port, IDLE)
  const tunnels = Array.from({ length: TUNNELS }, () => new EchoTunnel(port))
  await Promise.all(tunnels.map(({ opened }) => opened))
  const ratios: number[] = []
  const changed: Latency[] = []
  const quiet: Latency[] = []
  let lost = 0
  for (let turn = 0; turn < pairs; turn += 1) {
    const loaded = runWrk({ ...load, seconds: 1 })
    // In the middle of the second, so that what the change costs falls into it.
    await delay(300)
    changing.change(running, arm, turn)
    const withChange = await loaded
    const without = await runWrk({ ...load, seconds: 1 })
    ratios.push(withChange.perSecond / without.perSecond)
    changed.push(withChange)
    quiet.push(without)
    lost += withChange.faults + without.faults
  }
  const idleAlive = IDLE - held.lost
  const tunnelsAlive = await countAlive(tunnels)
  await held.close()
  for (const tunnel of tunnels) tunnel.close()
  return { ratios, changed, quiet, lost, idleAlive, tunnelsAlive }
}

const ECHO_MS = 20_000
const LOOK_MS = 50

/** A tunnel is alive when it still gives back what is sent into it. */
async function countAlive(tunnels: readonly EchoTunnel[]): Promise<number> {
  for (const tunnel of tunnels) {
    tunnel.isGoing = false
    if (tunnel.isAlive) tunnel.send()
  }
  for (let waited = 0; waited < ECHO_MS && !tunnels.every(hasAnswered); waited += LOOK_MS) await delay(LOOK_MS)
  return tunnels.filter(hasAnswered).length
}

function hasAnswered({ times }: EchoTunnel): boolean {
  return times.length > 0
}

/** What a smoke asserts: that a change costs nobody anything does not depend on the machine (R60-10). */
function expectWhole(name: string, { lost, idleAlive, tunnelsAlive }: Outcome): void {
  if (lost === 0 && idleAlive === IDLE && tunnelsAlive === TUNNELS) return
  throw new Error(`${name} lost ${lost} requests, kept ${idleAlive} idle connections and ${tunnelsAlive} tunnels`)
}

function rowOf(name: string, outcome: Outcome): string[] {
  const { lower, upper } = bootstrapOfMedian(outcome.ratios, Math.random)
  return [
    name,
    threeFigures(median(outcome.ratios)),
    `${threeFigures(lower)} to ${threeFigures(upper)}`,
    threeFigures(median(outcome.changed.map(({ p99Ms }) => p99Ms))),
    threeFigures(median(outcome.quiet.map(({ p99Ms }) => p99Ms))),
    threeFigures(median(outcome.changed.map(({ p999Ms }) => p999Ms))),
    threeFigures(median(outcome.quiet.map(({ p999Ms }) => p999Ms))),
    String(outcome.lost),
    `${outcome.idleAlive} of ${IDLE}`,
    `${outcome.tunnelsAlive} of ${TUNNELS}`,
  ]
}

/** Throughput without changes over that with them, so that less is better as everywhere. */
const MOST_LOST = 1 / 0.98

function goalsOf(what: string, outcome: Outcome): readonly Goal[] {
  const slowdowns = outcome.ratios.map((ratio) => 1 / ratio)
  const none = (name: string, measured: number): Goal => {
    return { rule: 'R60-38', what: `${what}, ${name}`, atMost: 0, measured, unit: '' }
  }
  return [
    none('lost requests', outcome.lost),
    none('idle connections closed', IDLE - outcome.idleAlive),
    none('tunnels broken', TUNNELS - outcome.tunnelsAlive),
    {
      rule: 'R60-38',
      what: `${what}, throughput without changes`,
      atMost: MOST_LOST,
      measured: median(slowdowns),
      unit: 'x that with them',
      verdict: judgeMedian(slowdowns, MOST_LOST, Math.random),
    },
  ]
}
