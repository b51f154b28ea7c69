import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { changeCost } from './change-cost.ts'
import { hostileHost } from './hostile-host.ts'
import { matchCost } from './match-cost.ts'
import { regexCost } from './regex-cost.ts'
import type { RouteSize } from './route-size.ts'

const MEANT: RouteSize = {
  routes: [10, 1000, 10_000, 100_000],
  patterns: [1, 10, 100, 300],
  rounds: 500,
  edits: 100,
  workers: [1, 2, 4],
}
const SMOKE: RouteSize = { routes: [10, 1000], patterns: [1, 100], rounds: 20, edits: 5, workers: [2] }

/** The cost of routes: to find one, to change one, to publish the change (R60-12). */
export const routes: Bench = {
  name: 'routes',
  about: 'matching, compiling and publishing against the number of routes',
  needs: 'nothing',
  run: runRoutes,
}

async function runRoutes({ smoke, progress }: BenchOptions): Promise<BenchOutcome> {
  const size = smoke ? SMOKE : MEANT
  progress('matching hosts and prefixes')
  const match = matchCost(size)
  progress('matching regular expressions')
  const regex = regexCost(size)
  const hostile = hostileHost(Math.max(3, size.edits / 2))
  progress('changing one Ingress')
  const change = await changeCost(size)
  const sections = [match, regex, hostile, change]
  return {
    tables: sections.map(({ table }) => table),
    goals: sections.flatMap(({ goals }) => goals),
    raw: Object.assign({}, ...sections.map(({ raw }) => raw)),
  }
}
