import { isDeepStrictEqual } from 'node:util'
import type { KubernetesObject } from '../api/meta.ts'
import type { ObjectEvent } from './object-event.ts'

/** Whether an event is worth a reconcile. */
export type Predicate<T extends KubernetesObject> = (event: ObjectEvent<T>) => boolean

/**
 * True unless an update changed nothing that is kept of the object: a write to its status leaves only another
 * resourceVersion, because the cache drops the status before it stores.
 */
export function contentChanged<T extends KubernetesObject>(event: ObjectEvent<T>): boolean {
  return event.type !== 'updated' || !isDeepStrictEqual(content(event.before), content(event.object))
}

/** The same with more left out of the comparison: what `strip` takes away of an object is as good as unchanged. */
export function contentChangedBut<T extends KubernetesObject>(strip: (object: T) => KubernetesObject): Predicate<T> {
  return (event) =>
    event.type !== 'updated' || !isDeepStrictEqual(content(strip(event.before)), content(strip(event.object)))
}

function content(object: KubernetesObject): unknown {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '', generation: 0 } }
}
