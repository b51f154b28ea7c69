/** Whether both lists hold the same items in the same order, each the very same value. */
export function hasSameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
