import type { Ingress } from '../api/networking.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export interface IngressDeps {
  readonly lister: Lister<Ingress>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
}

/** Keeps the Ingresss of the snapshot as the cache has them. */
export function createIngressReconciler({ lister, snapshots, loop }: IngressDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      if (snapshots.ingresses.put(key, lister.get(key))) loop.markDirty({ kind: 'all' }, receivedAtMs)
      return {}
    },
  }
}
