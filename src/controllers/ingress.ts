import type { Ingress } from '../api/networking.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export interface IngressDeps {
  readonly lister: Lister<Ingress>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
  /** Whether the Ingresses of a namespace are read at all; absent: those of each. */
  readonly isSelected?: (namespace: string) => boolean
}

/** Keeps the Ingresses of the snapshot as the cache has them, those of namespaces that are not selected left out. */
export function createIngressReconciler({ lister, snapshots, loop, isSelected }: IngressDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      const ingress = isSelected?.(request.namespace) === false ? undefined : lister.get(key)
      if (snapshots.ingresses.put(key, ingress)) loop.markDirty({ kind: 'all' }, receivedAtMs)
      return {}
    },
  }
}
