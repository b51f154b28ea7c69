import type { Endpoint } from '../../model/endpoint-table.ts'

/** Turns of a rotation, unless there are more endpoints than this. */
const MAX_TURNS = 4096
/** Multiples of it, modulo 1, keep the greatest distance from one another (Weyl's sequence of the golden ratio). */
const GOLDEN = 0.6180339887498949

interface Turn {
  readonly at: number
  readonly endpoint: Endpoint
}

/**
 * Endpoints, each as often as its share asks and its turns spread evenly over the round. Even weights are the endpoints
 * themselves. Weights, all above 0, are brought to their smallest terms, and to a round of some 4,096 turns where that
 * is still more; no endpoint loses its last turn by that (R20-141).
 */
export function smoothRotation(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const [first] = endpoints
  if (!first || endpoints.every(({ weight }) => weight === first.weight)) return endpoints
  const counts = countTurns(endpoints.map(({ weight }) => weight))
  const turns: Turn[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    const count = counts[index] ?? 0
    // Each begins at a place of its own: turns that fall together would be a burst.
    const phase = (index * GOLDEN) % 1
    for (let turn = 0; turn < count; turn += 1) turns.push({ at: (turn + phase) / count, endpoint })
  }
  return turns.toSorted((a, b) => a.at - b.at).map(({ endpoint }) => endpoint)
}

function countTurns(weights: readonly number[]): readonly number[] {
  const divisor = weights.reduce(greatestCommonDivisor)
  const total = weights.reduce((sum, weight) => sum + weight, 0) / divisor
  const scale = total > MAX_TURNS ? MAX_TURNS / total : 1
  return weights.map((weight) => Math.max(1, Math.round((weight / divisor) * scale)))
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
