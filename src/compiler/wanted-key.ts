import { keyOf, type ObjectRef, refOf } from '../model/object-ref.ts'

/** The key of a wanted object in a snapshot: `Secret shop/ca`. */
export function wantedKey(ref: ObjectRef): string {
  return `${ref.kind} ${keyOf(ref)}`
}

/** The object of such a key. */
export function refOfWanted(key: string): ObjectRef {
  const [kind = '', path = ''] = key.split(' ')
  return refOf(kind, path)
}
