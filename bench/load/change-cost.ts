// One changed Ingress: what its compile costs, and what it costs until the last worker serves it.
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { ClusterSnapshot } from '../../src/compiler/snapshot.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { hostsOf, prefixCluster, withEditedIngress } from './population.ts'
import type { RouteSize, Section } from './route-size.ts'
import { compileCleanly, pairOf } from './tables.ts'
import { withDataPlane } from './with-data-plane.ts'

const TITLE = 'All routes at first, then one changed Ingress: milliseconds, medians'
/** Beyond these the rule sets nothing. */
const RULED_ROUTES = 10_000
const HEADS = ['routes', 'workers', 'first compile', 'first publish', 'compile', 'publish', 'publish p95', 'CPU']

interface Change {
  readonly compileMs: number
  readonly publishMs: number
  /** Of the whole process, all its threads. */
  readonly cpuMs: number
}

interface Series {
  readonly firstCompileMs: number
  readonly firstPublishMs: number
  readonly changes: readonly Change[]
}

/** Edits one Ingress again and again, for each number of routes and of workers. */
export async function changeCost(size: RouteSize): Promise<Section> {
  const parts: Section[] = []
  for (const routes of size.routes) {
    for (const workers of size.workers) {
      parts.push(sectionOf({ routes, workers }, await measureSeries(routes, workers, size.edits)))
    }
  }
  return {
    table: { title: TITLE, heads: HEADS, rows: parts.flatMap(({ table }) => table.rows) },
    goals: parts.flatMap(({ goals }) => goals),
    raw: Object.assign({}, ...parts.map(({ raw }) => raw)),
  }
}

interface Setting {
  readonly routes: number
  readonly workers: number
}

function sectionOf({ routes, workers }: Setting, { firstCompileMs, firstPublishMs, changes }: Series): Section {
  const compile = changes.map(({ compileMs }) => compileMs)
  const publish = changes.map(({ publishMs }) => publishMs)
  const whole = changes.map(({ compileMs, publishMs }) => compileMs + publishMs)
  const cpu = changes.map(({ cpuMs }) => cpuMs)
  const setting = `${routes.toLocaleString('en-US')} routes, ${workers} workers`
  const figures = [
    firstCompileMs,
    firstPublishMs,
    median(compile),
    median(publish),
    quantile(publish, 0.95),
    median(cpu),
  ]
  const row = [routes.toLocaleString('en-US'), String(workers), ...figures.map(threeFigures)]
  return {
    table: { title: TITLE, heads: HEADS, rows: [row] },
    raw: { [`compile ms, ${setting}`]: compile, [`publish ms, ${setting}`]: publish, [`cpu ms, ${setting}`]: cpu },
    goals:
      routes > RULED_ROUTES
        ? []
        : [
            { rule: 'R60-35', what: `a changed Ingress, ${setting}`, atMost: 25, measured: median(whole), unit: 'ms' },
            { rule: 'R60-35', what: `CPU of it, ${setting}`, atMost: 5, measured: median(cpu), unit: 'ms' },
          ],
  }
}

async function measureSeries(routes: number, workers: number, edits: number): Promise<Series> {
  return withDataPlane(workers, async (publish) => {
    // The first publish of all waits until the threads have started, which is no cost of a table.
    await publish(pairOf(compileCleanly(prefixCluster(0), emptyMemo()), 1))
    let snapshot: ClusterSnapshot = prefixCluster(routes)
    const compileStart = performance.now()
    let last: CompileResult = compileCleanly(snapshot, emptyMemo())
    const publishStart = performance.now()
    await publish(pairOf(last, 2))
    const firstPublishMs = performance.now() - publishStart
    const changes: Change[] = []
    for (let edit = 1; edit <= edits; edit += 1) {
      snapshot = withEditedIngress(snapshot, edit % hostsOf(routes), edit)
      const cpu = process.cpuUsage()
      const start = performance.now()
      last = compileCleanly(snapshot, last.memo)
      const compiled = performance.now()
      await publish(pairOf(last, edit + 2))
      const published = performance.now()
      const { user, system } = process.cpuUsage(cpu)
      changes.push({ compileMs: compiled - start, publishMs: published - compiled, cpuMs: (user + system) / 1000 })
    }
    return { firstCompileMs: publishStart - compileStart, firstPublishMs, changes }
  })
}
