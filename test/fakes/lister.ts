import type { KubernetesObject } from '../../src/api/meta.ts'
import { Store } from '../../src/runtime/store.ts'

/** A cache that holds these objects; `set` and `delete` change it. */
export function cacheOf<T extends KubernetesObject>(
  objects: readonly T[],
  ...indexers: ConstructorParameters<typeof Store<T>>
): Store<T> {
  const store = new Store<T>(...indexers)
  for (const object of objects) store.set(object)
  return store
}
