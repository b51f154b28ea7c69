import type { WeightedBackend } from '../model/route-table.ts'

/**
 * The backend whose share of [0, 1) `point` lies in; shares are the weights in their order. `undefined` where all
 * weights are 0 or there is no backend.
 */
export function pickWeighted(backends: readonly WeightedBackend[], point: number): WeightedBackend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0)
  const target = point * total
  let passed = 0
  for (const backend of backends) {
    passed += backend.weight
    if (target < passed) return backend
  }
  return undefined
}
