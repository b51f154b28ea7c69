// Copies of plain Maps and Sets that are made only where something changes: who gets them compares by identity.

/** A copy with these entries put in, those with the value `undefined` taken out; `last` itself where none changes it. */
export function changeMap<V>(
  last: ReadonlyMap<string, V>,
  changes: Iterable<readonly [string, V | undefined]>,
): ReadonlyMap<string, V> {
  const changed = [...changes].filter(([key, value]) => last.get(key) !== value)
  if (changed.length === 0) return last
  const copy = new Map(last)
  for (const [key, value] of changed) {
    if (value === undefined) copy.delete(key)
    else copy.set(key, value)
  }
  return copy
}

/** A copy in which these are members or are not; `last` itself where that is so already. */
export function changeSet(
  last: ReadonlySet<string>,
  changes: Iterable<readonly [member: string, belongs: boolean]>,
): ReadonlySet<string> {
  const changed = [...changes].filter(([member, belongs]) => last.has(member) !== belongs)
  if (changed.length === 0) return last
  const copy = new Set(last)
  for (const [member, belongs] of changed) {
    if (belongs) copy.add(member)
    else copy.delete(member)
  }
  return copy
}
