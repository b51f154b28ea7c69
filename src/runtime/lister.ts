import type { KubernetesObject } from '../api/meta.ts'

/** Reads what the cache of one kind holds now. Objects are shared by all readers and never changed. */
export interface Lister<T extends KubernetesObject> {
  /** The object of `namespace/name` (or `name`); `undefined`: the cache holds none. */
  get(key: string): T | undefined
  list(): Iterable<T>
  /** The objects whose index `index` has `value`, in no order. Throws where the informer was given no such index. */
  byIndex(index: string, value: string): readonly T[]
  readonly size: number
}
