import { setTimeout as delay } from 'node:timers/promises'
import { startEchoPod } from '../../hack/cluster/echo-server.ts'
import { installRamjet } from '../../hack/cluster/install.ts'
import { namespaceObject } from '../../hack/cluster/objects.ts'
import { startCluster } from '../../hack/cluster/start.ts'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { Poller } from './poller.ts'
import { startProduct } from './product.ts'
import { CHANGES, type Change, fillCluster, NAMESPACE, PODS, prepareChanges } from './propagation-changes.ts'

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

const MEANT: Size = { routes: [0, 500], repeats: 60 }
const SMOKE: Size = { routes: [0], repeats: 5 }
// Longer than the debounce and all that a change sets in motion, so that no two changes meet.
const QUIET_MS = 60

/** From the API server's acknowledgement of a write to the first right answer over a socket (R60-14). */
export const propagation: Bench = {
  name: 'propagation',
  about: 'a change in the API server until it is answered over a socket',
  needs: 'cluster',
  run: runPropagation,
}

async function runPropagation({ smoke, progress }: BenchOptions): Promise<BenchOutcome> {
  const size = smoke ? SMOKE : MEANT
  const rows: string[][] = []
  const raw: Record<string, readonly number[]> = {}
  for (const routes of size.routes) {
    progress(`starting a cluster with ${routes} routes`)
    const series = await measureCluster(routes, size.repeats, progress)
    for (const [name, arrivals] of series) {
      const first = arrivals.map(({ firstMs }) => firstMs)
      const everywhere = arrivals.map(({ everywhereMs }) => everywhereMs)
      const write = arrivals.map(({ writeMs }) => writeMs)
      const key = `${name}, ${routes} routes`
      Object.assign(raw, {
        [`first ms, ${key}`]: first,
        [`everywhere ms, ${key}`]: everywhere,
        [`write ms, ${key}`]: write,
      })
      const figures = [median(first), quantile(first, 0.95), median(everywhere), median(write), quantile(write, 0.95)]
      rows.push([
        `${name}, ${routes === 0 ? 'empty' : `${routes} routes`}`,
        String(first.length),
        ...figures.map(threeFigures),
      ])
    }
  }
  const heads = ['change', 'times', 'median', 'p95', 'on every connection', 'write', 'write p95']
  return { raw, tables: [{ title: 'Acknowledged write to first right answer: milliseconds', heads, rows }] }
}

async function measureCluster(
  routes: number,
  repeats: number,
  progress: (line: string) => void,
): Promise<ReadonlyMap<string, readonly Arrival[]>> {
  const cluster = await startCluster()
  const pods = await Promise.all(PODS.map(startEchoPod))
  try {
    await installRamjet(cluster)
    await cluster.admin.create(namespaceObject(NAMESPACE))
    await prepareChanges(cluster.admin)
    await fillCluster(cluster.admin, routes)
    const product = await startProduct(cluster)
    const poller = new Poller(product.httpPort)
    try {
      const series = new Map<string, readonly Arrival[]>()
      for (const { name, change } of CHANGES) {
        progress(`${name}: ${repeats} times`)
        const arrivals: Arrival[] = []
        for (let index = 0; index < repeats; index += 1)
          arrivals.push(await measure(poller, change(cluster.admin, index)))
        series.set(name, arrivals)
      }
      return series
    } finally {
      poller.close()
      await product.stop()
    }
  } finally {
    for (const pod of pods) await pod.stop()
    await cluster.stop()
  }
}

async function measure(poller: Poller, { host, pod, write }: Change): Promise<Arrival> {
  await delay(QUIET_MS)
  const start = performance.now()
  await write()
  const writeMs = performance.now() - start
  return { writeMs, ...(await poller.until(host, pod)) }
}
