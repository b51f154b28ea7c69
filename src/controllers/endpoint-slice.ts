import { type EndpointSlice, SERVICE_NAME_LABEL } from '../api/discovery.ts'
import { hasSameItems } from '../lib/same-items.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, type Request, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** The index of EndpointSlices by `namespace/name` of their Service. */
export const BY_SERVICE = 'service'

export interface EndpointSliceDeps {
  /** Must have the index `BY_SERVICE`. */
  readonly lister: Lister<EndpointSlice>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
}

/** The Service that a slice belongs to, as what is to be reconciled; none where it has no label. */
export function servicesOf({ metadata }: EndpointSlice): readonly Request[] {
  const name = metadata.labels?.[SERVICE_NAME_LABEL]
  return name === undefined || metadata.namespace === undefined ? [] : [{ namespace: metadata.namespace, name }]
}

/** Keeps the slices of each Service as the cache has them. Its requests name Services. */
export function createEndpointSliceReconciler({ lister, snapshots, loop }: EndpointSliceDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      const slices = lister.byIndex(BY_SERVICE, key).toSorted(byName)
      if (hasSameItems(snapshots.endpointSlices.get(key) ?? [], slices)) return {}
      snapshots.endpointSlices.put(key, slices.length === 0 ? undefined : slices)
      loop.markDirty({ kind: 'endpoints', service: key }, receivedAtMs)
      return {}
    },
  }
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}
