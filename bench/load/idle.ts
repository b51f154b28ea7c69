// `idle`: what a proxy holds for a connection that does nothing, and what it gives back (R60-39 to R60-41).
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, BenchOptions, BenchOutcome, FigureTable, Goal } from '../bench.ts'
import { type Chosen, chooseContenders, contendersTable, PEERS } from '../contenders/choose.ts'
import type { Contender } from '../contenders/contender.ts'
import { type Front, type KeyPairFiles, makeKeyPair } from '../contenders/front.ts'
import { haproxy, MAX_CONNECTIONS } from '../contenders/haproxy.ts'
import { nginx } from '../contenders/nginx.ts'
import { NODE_UNDICI } from '../contenders/node-proxies.ts'
import { ramjet } from '../contenders/ramjet.ts'
import { newFolder, startContender } from '../contenders/start.ts'
import { threeFigures } from '../statistics.ts'
import { holdConnections } from './held-connections.ts'
import { startUpstream } from './upstream.ts'

const HELD = 10_000
const SETTLE_MS = 5000
const KIB = 1024
const MIB = 1024 * KIB

/** One kind of connections, and what each may cost a contender of ours. */
interface Arm extends Chosen {
  readonly name: string
  readonly isSecure: boolean
  readonly rule: string
  /** KiB. */
  readonly targets: ReadonlyMap<string, number>
}

const PLAIN_TARGETS: ReadonlyMap<string, number> = new Map([
  ['wire/handle', 4],
  ['wire/public', 6],
])
const SECURE_TARGETS: ReadonlyMap<string, number> = new Map([['wire', 60]])

export const idle: Bench = {
  name: 'idle',
  about: `resident memory of a proxy that holds ${HELD.toLocaleString('en-US')} idle connections, twice`,
  needs: 'nothing',
  programs: ['nginx', 'openssl', 'taskset'],
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
  const folder = newFolder()
  const upstream = await startUpstream(core)
  const tables: FigureTable[] = []
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  try {
    const arms = armsOf(options, makeKeyPair(folder))
    tables.push(contendersTable([...new Map(arms.flatMap(({ versions }) => versions))]))
    for (const arm of arms) {
      const measured = await measureArm(arm, options, { upstream: upstream.address, core })
      tables.push(measured.table)
      goals.push(...measured.goals)
      Object.assign(raw, measured.raw)
    }
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { tables, goals, raw }
}

function armsOf({ against, progress }: BenchOptions, pair: KeyPairFiles): readonly Arm[] {
  const front: Front = { speaks: 'https', job: 'request', pair }
  const own = [ramjet('wire', undefined, { front }), ramjet('standard', undefined, { front })]
  const plain = chooseContenders([...PEERS, NODE_UNDICI], against, progress)
  const secure = chooseContenders([nginx(front), haproxy(front)], against, progress, own)
  return [
    { name: 'plain', ...plain, isSecure: false, rule: 'R60-39', targets: PLAIN_TARGETS },
    { name: 'TLS', ...secure, isSecure: true, rule: 'R60-40', targets: SECURE_TARGETS },
  ]
}

async function measureArm(
  arm: Arm,
  { smoke, progress }: BenchOptions,
  place: { readonly upstream: string; readonly core: number },
): Promise<{ readonly table: FigureTable; readonly goals: readonly Goal[]; readonly raw: BenchOutcome['raw'] }> {
  const goals: Goal[] = []
  const rows: string[][] = []
  const raw: Record<string, number[]> = {}
  const mostHeld = smoke ? 200 : HELD
  for (const contender of arm.contenders) {
    progress(`${contender.name}, ${arm.name}`)
    const held = Math.min(mostHeld, contender.name === 'haproxy' ? MAX_CONNECTIONS : mostHeld)
    const cycles = await measure(contender, { ...place, held, isSecure: arm.isSecure, smoke })
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
    raw[`${arm.name}, ${contender.name}`] = Object.values(cycles)
    goals.push(...goalsOf(arm, contender.name, { perConnection, again }))
  }
  const heads = ['contender', 'MiB before', 'KiB per connection', 'MiB between', 'second / first', 'MiB after']
  return { table: { title: `Resident memory with idle connections, ${arm.name}`, heads, rows }, goals, raw }
}

function goalsOf(
  { targets, rule, name: kind }: Arm,
  name: string,
  { perConnection, again }: { readonly perConnection: number; readonly again: number },
): readonly Goal[] {
  const atMost = targets.get(name)
  if (atMost === undefined) return []
  return [
    { rule, what: `an idle connection, ${kind}, ${name}`, atMost, measured: perConnection, unit: 'KiB' },
    { rule: 'R60-41', what: `a second cycle, ${kind}, ${name}`, atMost: 1.1, measured: again, unit: 'x the first' },
  ]
}

interface Plan {
  readonly upstream: string
  readonly core: number
  readonly held: number
  readonly isSecure: boolean
  readonly smoke: boolean
}

async function measure(contender: Contender, plan: Plan): Promise<Cycles> {
  const running = await startContender(contender, plan.upstream, plan.core)
  const settle = plan.smoke ? 200 : SETTLE_MS
  const resident = async (): Promise<number> => {
    await delay(settle)
    return running.tree.residentBytes()
  }
  const cycle = async (): Promise<number> => {
    const connections = await holdConnections(running.place.port, plan.held, plan.isSecure)
    const bytes = await resident()
    await connections.close()
    return bytes
  }
  try {
    // What the first requests of a process cost is no matter of idle connections.
    await (await holdConnections(running.place.port, Math.min(500, plan.held), plan.isSecure)).close()
    const before = await resident()
    const first = await cycle()
    const between = await resident()
    const second = await cycle()
    return { before, first, between, second, after: await resident() }
  } finally {
    await running.stop()
  }
}
