import { emptyMemo } from '../../src/compiler/memo.ts'
import type { RequestView } from '../../src/router/request-view.ts'
import { buildRouter } from '../../src/router/router.ts'
import type { Goal } from '../bench.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { measureMatches, viewOf } from './match-rounds.ts'
import { hostOf, hostsOf, PATHS_PER_HOST, prefixCluster } from './population.ts'
import type { RouteSize, Section } from './route-size.ts'
import { compileCleanly } from './tables.ts'

const VIEWS = 1024

/** One match against the number of hosts and prefixes. */
export function matchCost(size: RouteSize): Section {
  const raw: Record<string, readonly number[]> = {}
  const goals: Goal[] = []
  const rows = size.routes.map((routes) => {
    const { tables } = compileCleanly(prefixCluster(routes), emptyMemo())
    const { nanoseconds, bytesPerMatch } = measureMatches(buildRouter(tables.routes), viewsOf(routes), size.rounds)
    raw[`match ns, ${routes} routes`] = nanoseconds
    raw[`match bytes, ${routes} routes`] = [bytesPerMatch]
    goals.push(goalOf(routes, median(nanoseconds)))
    const times = [median(nanoseconds), quantile(nanoseconds, 0.95), bytesPerMatch].map(threeFigures)
    return [routes.toLocaleString('en-US'), hostsOf(routes).toLocaleString('en-US'), ...times]
  })
  const heads = ['routes', 'hosts', 'median ns', 'p95 ns', 'bytes']
  return { raw, goals, table: { title: 'One match: hosts and prefixes', heads, rows } }
}

function goalOf(routes: number, measured: number): Goal {
  const what = `one match among ${routes.toLocaleString('en-US')} routes`
  return { rule: 'R60-34', what, atMost: 300, measured, unit: 'ns' }
}

// Requests that the routes take, spread over hosts and paths so that no two neighbours are alike.
function viewsOf(routes: number): readonly RequestView[] {
  return Array.from({ length: VIEWS }, (_, index) => {
    const host = (index * 7919) % hostsOf(routes)
    const path = (index * 7) % PATHS_PER_HOST
    return viewOf(hostOf(host), `/part-${path}/list/item-${index}`)
  })
}
