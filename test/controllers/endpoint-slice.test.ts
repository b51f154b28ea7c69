import { expect } from 'chai'
import { type EndpointSlice, SERVICE_NAME_LABEL } from '../../src/api/discovery.ts'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { BY_SERVICE, createEndpointSliceReconciler, servicesOf } from '../../src/controllers/endpoint-slice.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { type Reconciler, requestKey } from '../../src/runtime/reconciler.ts'
import type { Store } from '../../src/runtime/store.ts'
import { cacheOf } from '../fakes/lister.ts'

function slice(name: string, service: string | undefined, resourceVersion = '1'): EndpointSlice {
  const labels = service === undefined ? {} : { labels: { [SERVICE_NAME_LABEL]: service } }
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion, creationTimestamp: '', ...labels }
  return { metadata, addressType: 'IPv4' }
}

describe('the reconciler of EndpointSlices', () => {
  let cache: Store<EndpointSlice>
  let snapshots: SnapshotStore
  let marked: [Change, number | undefined][]
  let reconciler: Reconciler

  beforeEach(() => {
    cache = cacheOf<EndpointSlice>([], { [BY_SERVICE]: (object) => servicesOf(object).map(requestKey) })
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    marked = []
    const loop = { markDirty: (change: Change, receivedAtMs?: number) => void marked.push([change, receivedAtMs]) }
    reconciler = createEndpointSliceReconciler({ lister: cache, snapshots, loop })
  })

  async function reconcile(name = 'web'): Promise<void> {
    const signal = new AbortController().signal
    await reconciler.reconcile({ namespace: 'shop', name }, { signal, receivedAtMs: 7 })
  }

  const inSnapshot = (): string[] =>
    (snapshots.snapshot().endpointSlices.get('shop/web') ?? []).map(({ metadata }) => metadata.name)

  it('sets all slices of the Service, by name whatever their order, and marks its endpoints', async () => {
    for (const object of [slice('web-b', 'web'), slice('api-a', 'api'), slice('web-a', 'web')]) cache.set(object)
    await reconcile()
    expect(inSnapshot()).to.deep.equal(['web-a', 'web-b'])
    expect(marked).to.deep.equal([[{ kind: 'endpoints', service: 'shop/web' }, 7]])
  })

  it('takes the Service out when its last slice is gone', async () => {
    cache.set(slice('web-a', 'web'))
    await reconcile()
    cache.delete('shop/web-a')
    await reconcile()
    expect(snapshots.snapshot().endpointSlices.has('shop/web')).to.equal(false)
    expect(marked).to.have.length(2)
  })

  it('changes and marks nothing when it runs twice', async () => {
    cache.set(slice('web-a', 'web'))
    await reconcile()
    const before = snapshots.snapshot().endpointSlices
    await reconcile()
    await reconcile('unknown')
    expect(snapshots.snapshot().endpointSlices).to.equal(before)
    expect(marked).to.have.length(1)
  })

  it('sees a slice that was replaced', async () => {
    cache.set(slice('web-a', 'web'))
    await reconcile()
    cache.set(slice('web-a', 'web', '2'))
    await reconcile()
    expect(marked).to.have.length(2)
  })
})

describe('servicesOf', () => {
  it('names the Service of the label in the namespace of the slice, and none without a label', () => {
    expect(servicesOf(slice('a', 'web'))).to.deep.equal([{ namespace: 'shop', name: 'web' }])
    expect(servicesOf(slice('a', undefined))).to.deep.equal([])
  })
})
