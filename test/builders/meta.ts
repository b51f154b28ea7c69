import type { ObjectMeta } from '../../src/api/meta.ts'

/** The moment at which every fixture was created, unless it says another. */
export const CREATED_AT = '2026-01-01T00:00:00Z'

/** Metadata of `namespace/name`, or of a cluster-scoped `name`. */
export function metaOf(key: string): ObjectMeta {
  const slash = key.indexOf('/')
  const scope = slash < 0 ? {} : { namespace: key.slice(0, slash) }
  return {
    ...scope,
    name: key.slice(slash + 1),
    uid: `uid-of-${key}`,
    resourceVersion: '1',
    creationTimestamp: CREATED_AT,
  }
}
