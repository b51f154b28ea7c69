// Regular expressions of one host: usual ones, and the worst that are accepted.
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { RouteTable } from '../../src/model/route-table.ts'
import { buildRouter } from '../../src/router/router.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { measureMatches, viewOf } from './match-rounds.ts'
import { hostOf, regexCluster } from './population.ts'
import type { RouteSize, Section } from './route-size.ts'
import { compileCleanly } from './tables.ts'

const VIEWS = 256
const LONGEST_PATH = 2048
// Each costs some 100 states that all stay alive on a path of nothing but "a".
const HOSTILE = Array.from({ length: 60 }, (_, index) => `/.*a.{100}c${index}`)

/** One match against the number of patterns of a host; its last row is the host that was made to be slow. */
export function regexCost(size: RouteSize): Section {
  const raw: Record<string, readonly number[]> = {}
  const rows = size.patterns.map((patterns) => {
    const table = tableOf(Array.from({ length: patterns }, (_, index) => `/v[0-9]+/service-${index}/.*`))
    const { nanoseconds, bytesPerMatch } = measureMatches(buildRouter(table), viewsOf(patterns), size.rounds)
    raw[`regex match ns, ${patterns} patterns`] = nanoseconds
    raw[`regex match bytes, ${patterns} patterns`] = [bytesPerMatch]
    const times = [median(nanoseconds), quantile(nanoseconds, 0.95), bytesPerMatch].map(threeFigures)
    return [String(patterns), ...times]
  })
  const hostile = hostileNanoseconds(Math.max(3, Math.floor(size.edits / 5)))
  raw['regex match ns, hostile host'] = hostile
  rows.push([`hostile (${HOSTILE.length})`, threeFigures(median(hostile)), threeFigures(quantile(hostile, 0.95)), '-'])
  const heads = ['patterns', 'median ns', 'p95 ns', 'bytes']
  return { raw, table: { title: 'One match: regular expressions of one host', heads, rows } }
}

function viewsOf(patterns: number): ReturnType<typeof viewOf>[] {
  return Array.from({ length: VIEWS }, (_, index) => {
    const service = (index * 7919) % patterns
    return viewOf(hostOf(0), `/v${index}/service-${service}/orders/${index}`)
  })
}

// A new router for every figure: the first request after a publish has no states to use again.
function hostileNanoseconds(times: number): readonly number[] {
  const table = tableOf(HOSTILE)
  const view = viewOf(hostOf(0), `/${'a'.repeat(LONGEST_PATH - 1)}`)
  return Array.from({ length: times }, () => {
    const router = buildRouter(table)
    const start = performance.now()
    router.route(view)
    return (performance.now() - start) * 1e6
  })
}

function tableOf(patterns: readonly string[]): RouteTable {
  return compileCleanly(regexCluster(patterns), emptyMemo()).tables.routes
}
