// What one look-up costs: prepared views in, decisions out, as an engine calls the router.
import { getHeapStatistics } from 'node:v8'
import type { RequestView } from '../../src/router/request-view.ts'
import type { Router } from '../../src/router/router.ts'

const WARM_ROUNDS = 100

export interface MatchFigures {
  /** Nanoseconds of one match, one figure for each round over all views. */
  readonly nanoseconds: readonly number[]
  /** Bytes that one match allocates, mean over all rounds. */
  readonly bytesPerMatch: number
}

/** The view of a request, over bytes of its own. */
export function viewOf(host: string, path: string): RequestView {
  const bytes = Buffer.from(host + path, 'latin1')
  return { bytes, hostStart: 0, hostEnd: host.length, pathStart: host.length, pathEnd: bytes.length }
}

/** Routes every view `rounds` times, after rounds of warm-up. All views must be taken by a route. */
export function measureMatches(router: Router, views: readonly RequestView[], rounds: number): MatchFigures {
  expectRoutes(router, views)
  for (let round = 0; round < WARM_ROUNDS; round += 1) routeAll(router, views)
  const nanoseconds = Array.from({ length: rounds }, () => timeRound(router, views))
  return { nanoseconds, bytesPerMatch: allocationOf(router, views, rounds) }
}

// After the timing: what a compiler of V8's still allocates while code gets hot is no cost of a match.
function allocationOf(router: Router, views: readonly RequestView[], rounds: number): number {
  const before = allocatedBytes()
  for (let round = 0; round < rounds; round += 1) routeAll(router, views)
  return (allocatedBytes() - before) / (rounds * views.length)
}

// A match that misses is cheaper than one that hits: a benchmark of misses would flatter.
function expectRoutes(router: Router, views: readonly RequestView[]): void {
  for (const view of views) {
    if (router.route(view).kind === 'forward') continue
    throw new Error(`a prepared request is not routed: ${Buffer.from(view.bytes).toString('latin1')}`)
  }
}

function timeRound(router: Router, views: readonly RequestView[]): number {
  const start = performance.now()
  routeAll(router, views)
  return ((performance.now() - start) * 1e6) / views.length
}

function routeAll(router: Router, views: readonly RequestView[]): number {
  let forwards = 0
  for (const view of views) if (router.route(view).kind === 'forward') forwards += 1
  return forwards
}

function allocatedBytes(): number {
  return getHeapStatistics().total_allocated_bytes
}
