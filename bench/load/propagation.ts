import { setTimeout as delay } from 'node:timers/promises'
import { startEchoPod } from '../../hack/cluster/echo-server.ts'
import { installRamjet } from '../../hack/cluster/install.ts'
import { namespaceObject } from '../../hack/cluster/objects.ts'
import { type Cluster, startCluster } from '../../hack/cluster/start.ts'
import type { Bench, BenchOptions, BenchOutcome, Goal } from '../bench.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { Poller } from './poller.ts'
import { startProduct } from './product.ts'
import {
  CHANGES,
  type Change,
  type ChangeInput,
  fillCluster,
  PODS,
  prepareChanges,
  removeIngresses,
} from './propagation-changes.ts'
import { makeShownPair } from './shown-pairs.ts'

interface Size {
  /** Ingresses that stand there beside those that change. */
  readonly routes: readonly number[]
  readonly repeats: number
}

interface Arrival {
  readonly writeMs: number
  readonly firstMs: number
  readonly everywhereMs: number
}

type Series = ReadonlyMap<string, readonly Arrival[]>

interface Section {
  readonly rows: readonly (readonly string[])[]
  readonly goals: readonly Goal[]
  readonly raw: Readonly<Record<string, readonly number[]>>
}

const MEANT: Size = { routes: [0, 500, 5000], repeats: 60 }
/** From here on a change may take longer. */
const MANY_ROUTES = 5000
const SMOKE: Size = { routes: [0], repeats: 5 }
// Longer than the debounce and all that a change sets in motion, so that no two changes meet.
const QUIET_MS = 60

/** From the API server's acknowledgement of a write to the first right answer over a socket (R60-14). */
export const propagation: Bench = {
  name: 'propagation',
  about: 'a change in the API server until it is answered over a socket',
  needs: 'cluster',
  programs: ['openssl'],
  run: runPropagation,
}

async function runPropagation({ smoke, progress }: BenchOptions): Promise<BenchOutcome> {
  const size = smoke ? SMOKE : MEANT
  const cluster = await startCluster()
  const pods = await Promise.all(PODS.map(startEchoPod))
  const pairs = [makeShownPair(), makeShownPair()] as const
  try {
    await installRamjet(cluster)
    const sections: Section[] = []
    for (const routes of size.routes) {
      progress(`${routes} routes, ${size.repeats} changes of each kind`)
      sections.push(sectionOf(routes, await measureRoutes(cluster, { routes, repeats: size.repeats, pairs })))
    }
    const heads = ['change', 'times', 'median', 'p95', 'on every connection', 'write', 'write p95']
    const rows = sections.flatMap((section) => section.rows)
    return {
      tables: [{ title: 'Acknowledged write to first right answer: milliseconds', heads, rows }],
      goals: sections.flatMap(({ goals }) => goals),
      raw: Object.assign({}, ...sections.map(({ raw }) => raw)),
    }
  } finally {
    for (const pod of pods) await pod.stop()
    await cluster.stop()
  }
}

interface Round {
  readonly routes: number
  readonly repeats: number
  readonly pairs: ChangeInput['pairs']
}

/** Starts the product beside `routes` Ingresses, makes the changes, and takes all of it away again. */
async function measureRoutes(cluster: Cluster, { routes, repeats, pairs }: Round): Promise<Series> {
  const { admin } = cluster
  const space = `bench-${routes}`
  await admin.create(namespaceObject(space))
  await prepareChanges(admin, space, pairs[0])
  await fillCluster(admin, space, routes)
  const product = await startProduct(cluster)
  const poller = new Poller(product)
  const series = new Map<string, readonly Arrival[]>()
  try {
    for (const { name, change } of CHANGES) {
      const arrivals: Arrival[] = []
      for (let index = 0; index < repeats; index += 1) {
        arrivals.push(await measure(poller, change({ admin, space, index, pairs })))
      }
      series.set(name, arrivals)
    }
  } finally {
    poller.close()
    await product.stop()
    await removeIngresses(admin, space)
  }
  return series
}

function sectionOf(routes: number, series: Series): Section {
  const rows: string[][] = []
  const goals: Goal[] = []
  const raw: Record<string, readonly number[]> = {}
  for (const [name, arrivals] of series) {
    const title = `${name}, ${routes === 0 ? 'empty' : `${routes} routes`}`
    const first = arrivals.map(({ firstMs }) => firstMs)
    const everywhere = arrivals.map(({ everywhereMs }) => everywhereMs)
    const write = arrivals.map(({ writeMs }) => writeMs)
    Object.assign(raw, {
      [`first ms, ${title}`]: first,
      [`everywhere ms, ${title}`]: everywhere,
      [`write ms, ${title}`]: write,
    })
    const figures = [median(first), quantile(first, 0.95), median(everywhere), median(write), quantile(write, 0.95)]
    goals.push(...goalsOf(title, first, routes < MANY_ROUTES ? 60 : 80))
    rows.push([title, String(first.length), ...figures.map(threeFigures)])
  }
  return { rows, goals, raw }
}

function goalsOf(title: string, first: readonly number[], atMost: number): readonly Goal[] {
  const tail = quantile(first, 0.95) / median(first)
  return [
    { rule: 'R60-36', what: `${title}, median`, atMost, measured: median(first), unit: 'ms' },
    { rule: 'R60-36', what: `${title}, p95`, atMost: 2, measured: tail, unit: 'x the median' },
  ]
}

async function measure(poller: Poller, change: Change): Promise<Arrival> {
  await delay(QUIET_MS)
  const start = performance.now()
  await change.write()
  const writeMs = performance.now() - start
  return { writeMs, ...(await poller.until(change)) }
}
