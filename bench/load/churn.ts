// `churn`: what a change costs whoever is being served, beside nginx that reloads at the same rhythm (R60-13, R60-38).
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, BenchOptions, BenchOutcome, FigureTable, Goal } from '../bench.ts'
import { bootstrapOfMedian } from '../bootstrap.ts'
import type { Running } from '../contenders/contender.ts'
import { startContender } from '../contenders/start.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { type Arm, type Changing, changingContenders } from './changes.ts'
import { startEchoOrigin } from './echo-origin.ts'
import { holdConnections } from './held-connections.ts'
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
  'lost',
  'idle',
  'tunnels',
]

export const churn: Bench = {
  name: 'churn',
  about: 'a change every two seconds under full load: throughput, tails, lost requests, connections and tunnels held',
  needs: 'nothing',
  run,
}

/** What became of one contender in one arm: pairs of a second with a change and one without. */
interface Outcome {
  /** Throughput with a change over throughput without. */
  readonly ratios: readonly number[]
  readonly changedP99Ms: readonly number[]
  readonly quietP99Ms: readonly number[]
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
  const tables: FigureTable[] = []
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  try {
    for (const arm of ARMS) {
      const rows: string[][] = []
      for (const changing of changingContenders([first.address, second.address])) {
        const { name } = changing.contender
        options.progress(`arm ${arm}, ${name}`)
        const pairs = options.smoke ? 2 : PAIRS
        const outcome = await measure(changing, { upstream: first.address, arm, core, pairs })
        rows.push(rowOf(name, outcome))
        raw[`${arm}, ${name}`] = outcome.ratios
        if (name !== 'nginx') goals.push(...goalsOf(`arm ${arm}, ${name}`, outcome))
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
  const outcome = { ratios: [0].slice(1), changedP99Ms: [0].slice(1), quietP99Ms: [0].slice(1), lost: 0 }
  for (let turn = 0; turn < pairs; turn += 1) {
    const changed = runWrk({ ...load, seconds: 1 })
    // In the middle of the second, so that what the change costs falls into it.
    await delay(300)
    changing.change(running, arm, turn)
    const withChange = await changed
    const without = await runWrk({ ...load, seconds: 1 })
    outcome.ratios.push(withChange.perSecond / without.perSecond)
    outcome.changedP99Ms.push(withChange.p99Ms)
    outcome.quietP99Ms.push(without.p99Ms)
    outcome.lost += withChange.faults + without.faults
  }
  const idleAlive = IDLE - held.lost
  const tunnelsAlive = await countAlive(tunnels)
  await held.close()
  for (const tunnel of tunnels) tunnel.close()
  return { ...outcome, idleAlive, tunnelsAlive }
}

const ECHO_MS = 1000

/** A tunnel is alive when it still gives back what is sent into it. */
async function countAlive(tunnels: readonly EchoTunnel[]): Promise<number> {
  for (const tunnel of tunnels) {
    tunnel.isGoing = false
    if (tunnel.isAlive) tunnel.send()
  }
  await delay(ECHO_MS)
  return tunnels.filter(({ times }) => times.length > 0).length
}

function rowOf(name: string, outcome: Outcome): string[] {
  const { lower, upper } = bootstrapOfMedian(outcome.ratios, Math.random)
  return [
    name,
    threeFigures(median(outcome.ratios)),
    `${threeFigures(lower)} to ${threeFigures(upper)}`,
    threeFigures(quantile(outcome.changedP99Ms, 0.5)),
    threeFigures(quantile(outcome.quietP99Ms, 0.5)),
    String(outcome.lost),
    `${outcome.idleAlive} of ${IDLE}`,
    `${outcome.tunnelsAlive} of ${TUNNELS}`,
  ]
}

function goalsOf(what: string, outcome: Outcome): readonly Goal[] {
  const { upper } = bootstrapOfMedian(
    outcome.ratios.map((ratio) => 1 / ratio),
    Math.random,
  )
  const zero = (name: string, measured: number): Goal => ({
    rule: 'R60-38',
    what: `${what}, ${name}`,
    atMost: 0,
    measured,
    unit: '',
  })
  return [
    zero('lost requests', outcome.lost),
    zero('idle connections closed', IDLE - outcome.idleAlive),
    zero('tunnels broken', TUNNELS - outcome.tunnelsAlive),
    { rule: 'R60-38', what: `${what}, quiet over changed throughput`, atMost: 1 / 0.98, measured: upper, unit: '' },
  ]
}
