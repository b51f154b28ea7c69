// The slowest host that could be found among those that the bounds accept (R10-23).
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { RequestView } from '../../src/router/request-view.ts'
import { buildRouter } from '../../src/router/router.ts'
import { median, quantile, threeFigures } from '../statistics.ts'
import { viewOf } from './match-rounds.ts'
import { hostOf, regexCluster } from './population.ts'
import type { Section } from './route-size.ts'
import { compileCleanly } from './tables.ts'

const PATTERNS = 90
const LONGEST_PATH = 2048

/**
 * One match of a host whose patterns keep a hundred states alive each. Every figure is the first request after a
 * publish, which has no remembered states to go by.
 */
export function hostileHost(times: number): Section {
  const patterns = Array.from({ length: PATTERNS }, (_, index) => `/.*a.{100}c${index}`)
  const { tables } = compileCleanly(regexCluster(patterns), emptyMemo())
  const view = hostileView()
  const milliseconds = Array.from({ length: times }, () => {
    const router = buildRouter(tables.routes)
    const start = performance.now()
    const decision = router.route(view)
    const elapsed = performance.now() - start
    if (decision.kind === 'forward') throw new Error('the hostile path was matched')
    return elapsed
  })
  const figures = [median(milliseconds), quantile(milliseconds, 0.95), Math.max(...milliseconds)].map(threeFigures)
  const table = {
    title: 'The first match of the worst host that is accepted: milliseconds',
    heads: ['patterns', 'median', 'p95', 'worst'],
    rows: [[String(PATTERNS), ...figures]],
  }
  const what = 'the first match of the worst host that is accepted'
  const goal = { rule: 'R10-23', what, atMost: 50, measured: median(milliseconds), unit: 'ms' }
  return { table, goals: [goal], raw: { 'hostile match ms': milliseconds } }
}

// Letters that let many patterns begin again and again, in an order that repeats nothing: xorshift from a fixed seed.
function hostileView(): RequestView {
  let state = 88_172_645
  const letters = Array.from({ length: LONGEST_PATH - 1 }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state % 2 === 0 ? 'a' : 'b'
  })
  return viewOf(hostOf(0), `/${letters.join('')}`)
}
