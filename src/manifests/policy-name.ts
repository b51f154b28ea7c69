import { err, ok, type Result } from '../lib/result.ts'
import type { BalancingPolicy } from '../model/route-table.ts'

// With the short names of other programs (R20-139).
const POLICIES: ReadonlyMap<string, BalancingPolicy> = new Map([
  ['roundRobin', 'roundRobin'],
  ['round_robin', 'roundRobin'],
  ['rr', 'roundRobin'],
  ['leastConn', 'leastConn'],
  ['lc', 'leastConn'],
  ['random', 'random'],
  ['p2c', 'random'],
])
const LATER = /^(ewma|lt)$|^(hash|hrw)(:|$)/

/** The balancing policy that `text` names; the error says what is allowed. */
export function parsePolicy(text: string): Result<BalancingPolicy, string> {
  const policy = POLICIES.get(text)
  if (policy !== undefined) return ok(policy)
  return err(LATER.test(text) ? `${text} is not in this build` : 'must be roundRobin, leastConn or random')
}
