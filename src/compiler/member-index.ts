import type { PersistentMap } from './persistent-map.ts'

/** By group the members that belong to it; a member may belong to several, a group without members is not there. */
export type MemberIndex = PersistentMap<ReadonlySet<string>>

/** The groups that one member was in, and those that it is in now. */
export interface Move {
  readonly member: string
  readonly before: Iterable<string>
  readonly after: Iterable<string>
}

/** The index after these moves, and the groups that a member came to or left. Each member moves once. */
export function moveMembers(
  last: MemberIndex,
  moves: Iterable<Move>,
): { readonly index: MemberIndex; readonly touched: ReadonlySet<string> } {
  const groups = new Map<string, Set<string>>()
  const groupOf = (name: string): Set<string> => {
    const group = groups.get(name) ?? new Set(last.get(name))
    groups.set(name, group)
    return group
  }
  for (const { member, before, after } of moves) {
    const was = new Set(before)
    const is = new Set(after)
    for (const name of was) if (!is.has(name)) groupOf(name).delete(member)
    for (const name of is) if (!was.has(name)) groupOf(name).add(member)
  }
  const index = last.with([...groups].map(([name, group]) => [name, group.size === 0 ? undefined : group] as const))
  return { index, touched: new Set(groups.keys()) }
}
