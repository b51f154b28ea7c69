import type { Contribution } from './contribution.ts'

/**
 * Who goes first and so wins: a routes file, then the older object, then the first `namespace/name` (R00-20, R10-27).
 * Negative where `a` does. Every tie in the compiler is settled here.
 */
export function compareAge(a: Contribution, b: Contribution): number {
  if (a.source !== b.source) return a.source === 'file' ? -1 : 1
  // Kubernetes writes every timestamp in UTC and to the second, so that their text sorts as they do.
  return compareText(a.createdAt, b.createdAt) || compareText(a.key, b.key)
}

/** By UTF-16 units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
