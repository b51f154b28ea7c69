/** The keys under which two maps hold different values, those that only one of them has included. */
export function changedKeys<V>(before: ReadonlyMap<string, V>, after: ReadonlyMap<string, V>): Set<string> {
  const keys = new Set<string>()
  if (before === after) return keys
  for (const [key, value] of after) if (before.get(key) !== value || !before.has(key)) keys.add(key)
  for (const key of before.keys()) if (!after.has(key)) keys.add(key)
  return keys
}
