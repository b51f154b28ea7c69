import type { KubernetesObject } from '../api/meta.ts'

/** A change of the cache. An object made anew under its old name is a removal and an addition (R50-3). */
export type ObjectEvent<T extends KubernetesObject> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly before: T; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }

/** Told of each change after the cache has it. `receivedAtMs` is monotonic. Must not throw. */
export type EventHandler<T extends KubernetesObject> = (event: ObjectEvent<T>, receivedAtMs: number) => void

/** `namespace/name`, or the bare name of what is cluster-scoped: an object's key in caches and queues. */
export function objectKey({ metadata }: KubernetesObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
}
