// `idle`: what a proxy holds for a connection that does nothing, and what it gives back (R60-39, R60-41).
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, BenchOptions, BenchOutcome, Goal } from '../bench.ts'
import { chooseContenders, PEERS } from '../contenders/choose.ts'
import type { Contender } from '../contenders/contender.ts'
import { HAPROXY, MAX_CONNECTIONS } from '../contenders/haproxy.ts'
import { startContender } from '../contenders/start.ts'
import { threeFigures } from '../statistics.ts'
import { holdConnections } from './held-connections.ts'
import { startUpstream } from './upstream.ts'

const HELD = 10_000
const SETTLE_MS = 5000
const KIB = 1024
const MIB = 1024 * KIB

const TARGETS: ReadonlyMap<string, number> = new Map([
  ['wire/handle', 4],
  ['wire/public', 6],
])

export const idle: Bench = {
  name: 'idle',
  about: `resident memory of a proxy that holds ${HELD.toLocaleString('en-US')} idle connections, twice`,
  needs: 'nothing',
  run,
}

/** Resident bytes at the five moments that count. */
interface Cycles {
  readonly before: number
  readonly first: number
  readonly between: number
  readonly second: number
  readonly after: number
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const { contenders } = chooseContenders(PEERS, options.against, options.progress)
  const upstream = await startUpstream(core)
  const mostHeld = options.smoke ? 200 : HELD
  const goals: Goal[] = []
  const rows: string[][] = []
  const raw: Record<string, number[]> = {}
  try {
    for (const contender of contenders) {
      options.progress(contender.name)
      const held = Math.min(mostHeld, contender === HAPROXY ? MAX_CONNECTIONS : mostHeld)
      const cycles = await measure(contender, { upstream: upstream.address, core, held, smoke: options.smoke })
      const perConnection = (cycles.first - cycles.before) / held / KIB
      const again = cycles.second / cycles.first
      rows.push([
        contender.name,
        threeFigures(cycles.before / MIB),
        threeFigures(perConnection),
        threeFigures(cycles.between / MIB),
        threeFigures(again),
        threeFigures(cycles.after / MIB),
      ])
      raw[contender.name] = Object.values(cycles)
      goals.push(...goalsOf(contender.name, perConnection, again))
    }
  } finally {
    await upstream.stop()
  }
  const heads = ['contender', 'MiB before', 'KiB per connection', 'MiB between', 'second / first', 'MiB after']
  return { tables: [{ title: 'Resident memory with idle connections', heads, rows }], goals, raw }
}

function goalsOf(name: string, perConnection: number, again: number): readonly Goal[] {
  const atMost = TARGETS.get(name)
  if (atMost === undefined) return []
  return [
    { rule: 'R60-39', what: `an idle connection, ${name}`, atMost, measured: perConnection, unit: 'KiB' },
    { rule: 'R60-41', what: `a second cycle, ${name}`, atMost: 1.1, measured: again, unit: 'x the first' },
  ]
}

async function measure(
  contender: Contender,
  plan: { readonly upstream: string; readonly core: number; readonly held: number; readonly smoke: boolean },
): Promise<Cycles> {
  const running = await startContender(contender, plan.upstream, plan.core)
  const settle = plan.smoke ? 200 : SETTLE_MS
  const resident = async (): Promise<number> => {
    await delay(settle)
    return running.tree.residentBytes()
  }
  const cycle = async (): Promise<number> => {
    const connections = await holdConnections(running.place.port, plan.held)
    const bytes = await resident()
    await connections.close()
    return bytes
  }
  try {
    // What the first requests of a process cost is no matter of idle connections.
    await (await holdConnections(running.place.port, Math.min(500, plan.held))).close()
    const before = await resident()
    const first = await cycle()
    const between = await resident()
    const second = await cycle()
    return { before, first, between, second, after: await resident() }
  } finally {
    await running.stop()
  }
}
