import type { Random } from '../../src/lib/random.ts'

/** Gives the points one after the other, from the start again after the last. */
export function fixedRandom(...points: readonly number[]): Random {
  let next = 0
  return () => {
    const point = points[next % points.length] ?? 0
    next += 1
    return point
  }
}
