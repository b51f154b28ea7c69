import type { Contribution, ContributionChange } from './contribution.ts'
import { compareAge } from './order.ts'
import type { PersistentMap } from './persistent-map.ts'

/** By something that contributions name, those that name it, in order of age. */
export type ContributionIndex = PersistentMap<readonly Contribution[]>

export interface IndexStep {
  readonly index: ContributionIndex
  /** The keys whose list is another one now. */
  readonly touched: ReadonlySet<string>
}

/**
 * The index after these changes, and the keys whose list is another one now. `keysOf` says what a contribution names,
 * where that depends on more than itself as it was before the changes or as it is after them.
 */
export function changeIndex(
  last: ContributionIndex,
  changes: readonly ContributionChange[],
  keysOf: (contribution: Contribution, when: 'before' | 'after') => Iterable<string>,
): IndexStep {
  const lists = new Map<string, Map<string, Contribution>>()
  const listOf = (key: string): Map<string, Contribution> => {
    const list = lists.get(key) ?? new Map((last.get(key) ?? []).map((one) => [idOf(one), one]))
    lists.set(key, list)
    return list
  }
  for (const { before } of changes)
    if (before) for (const key of keysOf(before, 'before')) listOf(key).delete(idOf(before))
  for (const { after } of changes)
    if (after) for (const key of keysOf(after, 'after')) listOf(key).set(idOf(after), after)
  const sorted = [...lists].map(([key, list]) => [key, sortedOrNone([...list.values()])] as const)
  return { index: last.with(sorted), touched: new Set(lists.keys()) }
}

function sortedOrNone(list: readonly Contribution[]): readonly Contribution[] | undefined {
  return list.length === 0 ? undefined : list.toSorted(compareAge)
}

/** A file may be named as an Ingress is. */
function idOf({ source, key }: Contribution): string {
  return `${source} ${key}`
}
