import { at, optional, type Raw, readInteger, readString, readTexts } from './decode.ts'
import type { ObjectMeta } from './meta.ts'

// kubectl's copy of the whole object: as large as the object, and nobody reads it here.
const UNREAD: ReadonlySet<string> = new Set(['kubectl.kubernetes.io/last-applied-configuration'])

/** What is kept of the metadata: identity and age, labels and annotations; managedFields and the rest go. */
export function readMeta(raw: Raw): ObjectMeta {
  const meta = at(raw, 'metadata')
  return {
    ...readIdentity(meta),
    ...optional(meta, 'labels', (labels) => readTexts(labels, UNREAD)),
    ...optional(meta, 'annotations', (annotations) => readTexts(annotations, UNREAD)),
  }
}

/** Identity and age alone: for kinds whose labels and annotations nobody reads. */
export function readIdentity(meta: Raw): ObjectMeta {
  return {
    name: readString(at(meta, 'name')),
    ...optional(meta, 'namespace', readString),
    uid: readString(at(meta, 'uid')),
    resourceVersion: readString(at(meta, 'resourceVersion')),
    ...optional(meta, 'generation', readInteger),
    creationTimestamp: readString(at(meta, 'creationTimestamp')),
    ...optional(meta, 'deletionTimestamp', readString),
  }
}
