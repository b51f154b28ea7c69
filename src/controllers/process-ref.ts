import type { ObjectRef } from '../model/object-ref.ts'

/** What a warning is about that is about no object of the cluster, but about this process. */
export const PROCESS: ObjectRef = { kind: 'Process', namespace: '', name: '' }
