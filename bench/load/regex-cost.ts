import { emptyMemo } from '../../src/compiler/memo.ts'
import type { RouteTable } from '../../src/model/route-table.ts'
import { buildRouter } from '../../src/router/router.ts'
import type { Goal } from '../bench.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { measureMatches, viewOf } from './match-rounds.ts'
import { hostOf, regexCluster } from './population.ts'
import type { RouteSize, Section } from './route-size.ts'
import { compileCleanly } from './tables.ts'

const VIEWS = 256

/** One match against the number of regular expressions of its host. */
export function regexCost(size: RouteSize): Section {
  const raw: Record<string, readonly number[]> = {}
  const goals: Goal[] = []
  const rows = size.patterns.map((patterns) => {
    const table = tableOf(Array.from({ length: patterns }, (_, index) => `/v[0-9]+/service-${index}/.*`))
    const { nanoseconds, bytesPerMatch } = measureMatches(buildRouter(table), viewsOf(patterns), size.rounds)
    raw[`regex match ns, ${patterns} patterns`] = nanoseconds
    raw[`regex match bytes, ${patterns} patterns`] = [bytesPerMatch]
    goals.push(goalOf(patterns, median(nanoseconds)))
    const times = [median(nanoseconds), quantile(nanoseconds, 0.95), bytesPerMatch].map(threeFigures)
    return [String(patterns), ...times]
  })
  const heads = ['patterns', 'median ns', 'p95 ns', 'bytes']
  return { raw, goals, table: { title: 'One match: regular expressions of one host', heads, rows } }
}

function goalOf(patterns: number, measured: number): Goal {
  const what = `one match of a host with ${patterns} regular expressions`
  return { rule: 'R10-23', what, atMost: 2000, measured, unit: 'ns' }
}

function viewsOf(patterns: number): ReturnType<typeof viewOf>[] {
  return Array.from({ length: VIEWS }, (_, index) => {
    const service = (index * 7919) % patterns
    return viewOf(hostOf(0), `/v${index}/service-${service}/orders/${index}`)
  })
}

function tableOf(patterns: readonly string[]): RouteTable {
  return compileCleanly(regexCluster(patterns), emptyMemo()).tables.routes
}
