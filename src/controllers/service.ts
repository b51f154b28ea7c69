import type { Service } from '../api/core.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export interface ServiceDeps {
  readonly lister: Lister<Service>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
}

/** Keeps the Services of the snapshot as the cache has them. */
export function createServiceReconciler({ lister, snapshots, loop }: ServiceDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      if (snapshots.services.put(key, lister.get(key))) loop.markDirty({ kind: 'all' }, receivedAtMs)
      return {}
    },
  }
}
