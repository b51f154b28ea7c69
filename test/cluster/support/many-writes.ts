// Many Ingresses, two replicas, and a change every second: what the API server was asked to write meanwhile, by its own
// audit log, and whether it comes to rest.
import { setTimeout as sleep } from 'node:timers/promises'
import { RAMJET_ACCOUNT, userOf } from '../../../hack/cluster/identity.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'
import { auditEvents } from './audit.ts'
import { eventually } from './eventually.ts'
import { ingress } from './ingress.ts'
import type { Ramjet } from './ramjet.ts'
import type { TestNamespace } from './test-namespace.ts'

const OBSERVED = 'ramjet.dev/observed-generation'
/** Creating and listing go in portions, so that thousands of Ingresses are no burst. */
const PORTION = 50

export interface ManyWritesPlan {
  readonly cluster: Cluster
  readonly namespace: TestNamespace
  readonly replicas: readonly Ramjet[]
  readonly ingresses: number
  /** Which of them are told the newest number, by `--observed-generation`. */
  readonly told: 'all' | 'changed'
  /** One change a second for so long. */
  readonly seconds: number
  /** How long it may take to come to rest after the last change. */
  readonly restMs: number
  /** How long nothing may be written then. */
  readonly quietMs: number
}

export interface ManyWritesReport {
  /** Writes of the replicas onto Ingresses of the namespace while it was changed. */
  readonly writes: number
  /** The most within any one second. */
  readonly mostInOneSecond: number
  /** Milliseconds from the last change until all that are told the newest number carried it and nothing more was written. */
  readonly restedAfterMs: number
  /** Writes in the quiet time after that. */
  readonly writesAtRest: number
  /** Users apart, how many replicas wrote: lines of `ramjet_leader`. */
  readonly leaders: number
}

export async function runManyWrites(plan: ManyWritesPlan): Promise<ManyWritesReport> {
  const { namespace, replicas, ingresses, seconds, quietMs } = plan
  await make(namespace, ingresses)
  for (const ramjet of replicas) await compiledAll(ramjet, ingresses, plan.restMs)
  const beganMs = Date.now()
  for (let second = 0; second < seconds; second += 1) {
    await edit(plan, second % ingresses, second)
    await sleep(1000)
  }
  const lastMs = Date.now()
  await rested(plan)
  const restedAfterMs = Date.now() - lastMs
  const before = writeTimes(plan).length
  await sleep(quietMs)
  const times = writeTimes(plan)
  const leading = await Promise.all(replicas.map((ramjet) => ramjet.metric('ramjet_leader')))
  return {
    writes: times.filter((atMs) => atMs >= beganMs).length,
    mostInOneSecond: mostWithin(times, 1000),
    restedAfterMs,
    writesAtRest: times.length - before,
    leaders: leading.filter((value) => value === 1).length,
  }
}

async function make(namespace: TestNamespace, count: number): Promise<void> {
  for (let from = 0; from < count; from += PORTION) {
    const portion = Array.from({ length: Math.min(PORTION, count - from) }, (_none, index) => from + index)
    await Promise.all(portion.map((index) => namespace.ingress(`many-${index}`, rules(namespace, index, 0))))
  }
}

function rules(namespace: TestNamespace, index: number, turn: number): Parameters<TestNamespace['ingress']>[1] {
  return { [namespace.host(`many-${index}`)]: { [`/turn-${turn}`]: 'web' } }
}

async function compiledAll(ramjet: Ramjet, count: number, withinMs: number): Promise<void> {
  await eventually(async () => {
    const seen = (await ramjet.metric('ramjet_objects{kind="Ingress"}')) ?? 0
    if (seen < count) throw new Error(`${seen} of ${count} Ingresses`)
  }, withinMs)
}

async function edit({ cluster, namespace }: ManyWritesPlan, index: number, turn: number): Promise<void> {
  await cluster.admin.apply(ingress(namespace.name, `many-${index}`, { rules: rules(namespace, index, turn + 1) }))
}

/** Resolves when all that are told the newest number carry it, and two looks a while apart found the same writes. */
async function rested(plan: ManyWritesPlan): Promise<void> {
  let before = -1
  await eventually(async () => {
    const writes = writeTimes(plan).length
    const isSame = writes === before
    before = writes
    if (!isSame) await sleep(1500)
    if (!isSame) throw new Error(`still writing: ${writes}`)
    const number = await newest(plan)
    const behind = (await numbersOf(plan)).filter((one) => one !== number)
    if (behind.length > 0) throw new Error(`${behind.length} do not carry ${number}`)
  }, plan.restMs)
}

/** The number that each Ingress carries which is told the newest; 0 for none. */
async function numbersOf({ cluster, namespace, told, seconds, ingresses }: ManyWritesPlan): Promise<readonly number[]> {
  const last = `many-${(seconds - 1) % ingresses}`
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace.name}/ingresses`
  const { items } = (await cluster.admin.request('GET', path)) as {
    items: readonly { metadata: { name: string; annotations?: Readonly<Record<string, string>> } }[]
  }
  return items
    .filter(({ metadata }) => told === 'all' || metadata.name === last)
    .map(({ metadata }) => Number(metadata.annotations?.[OBSERVED] ?? 0))
}

/** The newest number of the replica that leads. */
async function newest({ replicas }: ManyWritesPlan): Promise<number> {
  for (const ramjet of replicas) {
    if ((await ramjet.metric('ramjet_leader')) === 1) return (await ramjet.serving()).generation
  }
  return Number.NaN
}

/** When each write of ours onto an Ingress of the namespace came in, refused ones too: Unix milliseconds, oldest first. */
function writeTimes({ cluster, namespace }: Pick<ManyWritesPlan, 'cluster' | 'namespace'>): readonly number[] {
  const place = `/namespaces/${namespace.name}/ingresses/`
  return auditEvents(cluster.auditLog, [place])
    .filter(({ verb, user }) => verb === 'patch' && user.username === userOf(RAMJET_ACCOUNT))
    .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp))
    .toSorted((a, b) => a - b)
}

function mostWithin(times: readonly number[], ms: number): number {
  let most = 0
  let from = 0
  for (const [index, atMs] of times.entries()) {
    while (atMs - (times[from] ?? atMs) >= ms) from += 1
    most = Math.max(most, index - from + 1)
  }
  return most
}
