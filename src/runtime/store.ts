import { isDeepStrictEqual } from 'node:util'
import type { KubernetesObject } from '../api/meta.ts'
import { Index, type IndexBy } from './indexer.ts'
import type { Lister } from './lister.ts'
import { type ObjectEvent, objectKey } from './object-event.ts'

export type Indexers<T extends KubernetesObject> = Readonly<Record<string, IndexBy<T>>>

/** The objects of one kind, with their indexes. Each change says what it did to the cache, as events. */
export class Store<T extends KubernetesObject> implements Lister<T> {
  readonly #objects = new Map<string, T>()
  readonly #indexes: ReadonlyMap<string, Index<T>>

  constructor(indexers: Indexers<T> = {}) {
    this.#indexes = new Map(Object.entries(indexers).map(([name, by]) => [name, new Index(by)]))
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  list(): Iterable<T> {
    return this.#objects.values()
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name)
    if (!index) throw new Error(`no index ${name}`)
    return index.find(value)
  }

  /** Adds or replaces one object. An equal one changes nothing, and the old one stays, so that identity means equality. */
  set(object: T): readonly ObjectEvent<T>[] {
    const key = objectKey(object)
    const before = this.#objects.get(key)
    if (before === undefined) {
      this.#put(key, object)
      return [{ type: 'added', object }]
    }
    if (isDeepStrictEqual(before, object)) return []
    this.#drop(key, before)
    this.#put(key, object)
    return before.metadata.uid === object.metadata.uid
      ? [{ type: 'updated', before, object }]
      : [
          { type: 'deleted', object: before },
          { type: 'added', object },
        ]
  }

  delete(key: string): readonly ObjectEvent<T>[] {
    const object = this.#objects.get(key)
    if (object === undefined) return []
    this.#drop(key, object)
    return [{ type: 'deleted', object }]
  }

  /** Makes `objects` all that the store holds (of `namespace`, where one is given), in one step. */
  replace(objects: readonly T[], namespace?: string): readonly ObjectEvent<T>[] {
    const listed = new Set(objects.map(objectKey))
    const events: ObjectEvent<T>[] = []
    for (const [key, { metadata }] of this.#objects) {
      const covered = namespace === undefined || metadata.namespace === namespace
      if (covered && !listed.has(key)) events.push(...this.delete(key))
    }
    for (const object of objects) events.push(...this.set(object))
    return events
  }

  #put(key: string, object: T): void {
    this.#objects.set(key, object)
    for (const index of this.#indexes.values()) index.add(key, object)
  }

  #drop(key: string, object: T): void {
    this.#objects.delete(key)
    for (const index of this.#indexes.values()) index.remove(key, object)
  }
}
