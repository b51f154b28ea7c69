import { expect } from 'chai'
import type { Service } from '../../src/api/core.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'

const SERVED = new Map()

function service(name: string): Service {
  return { metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', creationTimestamp: '' } }
}

describe('SnapshotStore', () => {
  let store: SnapshotStore

  beforeEach(() => {
    store = new SnapshotStore({ servedBackends: () => SERVED })
  })

  it('holds what was put, without what was taken out', () => {
    const [web, api] = [service('web'), service('api')]
    store.services.put('shop/web', web)
    store.services.put('shop/api', api)
    store.services.put('shop/api', undefined)
    expect([...store.snapshot().services]).to.deep.equal([['shop/web', web]])
  })

  it('does not change a snapshot that was given out', () => {
    store.services.put('shop/web', service('web'))
    const before = store.snapshot()
    store.services.put('shop/api', service('api'))
    store.services.put('shop/web', undefined)
    expect([...before.services.keys()]).to.deep.equal(['shop/web'])
  })

  it('gives the same map again for what did not change, and another for what did', () => {
    store.services.put('shop/web', service('web'))
    const before = store.snapshot()
    store.ingressClasses.put('ramjet', { metadata: service('ramjet').metadata })
    const after = store.snapshot()
    expect(after.services).to.equal(before.services)
    expect(after.ingresses).to.equal(before.ingresses)
    expect(after.endpointSlices).to.equal(before.endpointSlices)
    expect(after.ingressClasses).to.not.equal(before.ingressClasses)
    expect(after.servedBackends).to.equal(SERVED)
  })

  it('says whether a put changed anything', () => {
    const web = service('web')
    expect(store.services.put('shop/web', web)).to.equal(true)
    expect(store.services.put('shop/web', web)).to.equal(false)
    expect(store.services.put('shop/web', service('web'))).to.equal(true)
    expect(store.services.put('shop/web', undefined)).to.equal(true)
    expect(store.services.put('shop/web', undefined)).to.equal(false)
  })

  it('carries the routes of a file until they are taken out', () => {
    const file = { name: 'routes.yaml', backends: [], routes: [], defaultBackend: undefined }
    store.setFile(file)
    expect(store.snapshot().file).to.equal(file)
    store.setFile(undefined)
    expect(store.snapshot().file).to.equal(undefined)
  })
})
