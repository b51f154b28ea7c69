import type { IngressClass } from '../api/networking.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export interface IngressClassDeps {
  readonly lister: Lister<IngressClass>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
}

/** Keeps the IngressClasss of the snapshot as the cache has them. */
export function createIngressClassReconciler({ lister, snapshots, loop }: IngressClassDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      if (snapshots.ingressClasses.put(key, lister.get(key))) loop.markDirty({ kind: 'all' }, receivedAtMs)
      return {}
    },
  }
}
