import type { KubernetesObject } from '../api/meta.ts'

/** The values under which an object is found again; none, one or several. */
export type IndexBy<T extends KubernetesObject> = (object: T) => readonly string[]

/** Objects by one kind of value, kept with every change of the store. */
export class Index<T extends KubernetesObject> {
  readonly #valuesOf: IndexBy<T>
  readonly #byValue = new Map<string, Map<string, T>>()

  constructor(valuesOf: IndexBy<T>) {
    this.#valuesOf = valuesOf
  }

  add(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#byValue.get(value)
      if (objects) objects.set(key, object)
      else this.#byValue.set(value, new Map([[key, object]]))
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#byValue.get(value)
      objects?.delete(key)
      if (objects?.size === 0) this.#byValue.delete(value)
    }
  }

  find(value: string): readonly T[] {
    return [...(this.#byValue.get(value)?.values() ?? [])]
  }
}
