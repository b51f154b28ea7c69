/** A record whose members may be missing, and are not `undefined`. */
export type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** `values` without the members that are `undefined`: equal settings have equal digests. */
export function withoutAbsent<T extends object>(values: T): Present<T> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript widens the keys to string
  return Object.fromEntries(present) as Present<T>
}
