import type { KubernetesObject } from '../api/meta.ts'
import type { Informer } from './informer.ts'
import type { ObjectEvent } from './object-event.ts'
import type { Predicate } from './predicate.ts'
import { type Request, requestKey } from './reconciler.ts'

/** The requests that an object stands for: itself, or others that depend on it. */
export type MapToRequests<T extends KubernetesObject> = (object: T) => readonly Request[]

/** What a controller looks at. Without map the object itself is the request. */
export interface Watch<T extends KubernetesObject> {
  readonly informer: Informer<T>
  readonly map?: MapToRequests<T>
  /** Events that any of these turns down are dropped. */
  readonly predicates?: readonly Predicate<T>[]
}

/** A watch whose kind of object its controller need not know. */
export interface Source {
  /** Begins to call `add` for each key that an event concerns. */
  connect(add: (key: string, receivedAtMs: number) => void): void
}

/** Joins informer, predicates and map: events in, keys out. */
export function sourceOf<T extends KubernetesObject>({ informer, map = itself, predicates = [] }: Watch<T>): Source {
  return {
    connect(add): void {
      informer.addHandler((event, receivedAtMs) => {
        if (!predicates.every((passes) => passes(event))) return
        for (const object of objectsOf(event)) for (const request of map(object)) add(requestKey(request), receivedAtMs)
      })
    },
  }
}

function itself({ metadata }: KubernetesObject): readonly Request[] {
  return [{ namespace: metadata.namespace ?? '', name: metadata.name }]
}

/** Of an update both forms: what the old one stood for may have lost it. */
function objectsOf<T extends KubernetesObject>(event: ObjectEvent<T>): readonly T[] {
  return event.type === 'updated' ? [event.before, event.object] : [event.object]
}
