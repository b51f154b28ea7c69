import { expect } from 'chai'
import type { KubernetesObject } from '../../src/api/meta.ts'
import { Store } from '../../src/runtime/store.ts'

interface Pod extends KubernetesObject {
  readonly node: string
}

function pod(name: string, { uid = name, version = '1', node = 'n1', namespace = 'shop' } = {}): Pod {
  const metadata = { name, namespace, uid, resourceVersion: version, creationTimestamp: '2026-01-01T00:00:00Z' }
  return { metadata, node }
}

function storeOf(...pods: readonly Pod[]): Store<Pod> {
  const store = new Store<Pod>({ node: ({ node }) => [node] })
  for (const object of pods) store.set(object)
  return store
}

const names = (pods: Iterable<Pod>): string[] => [...pods].map(({ metadata }) => metadata.name).toSorted()

describe('Store', () => {
  it('adds, updates and deletes, and says so', () => {
    const store = storeOf()
    const first = pod('a')
    const second = pod('a', { version: '2' })
    expect(store.set(first)).to.deep.equal([{ type: 'added', object: first }])
    expect(store.set(second)).to.deep.equal([{ type: 'updated', before: first, object: second }])
    expect(store.get('shop/a')).to.equal(second)
    expect(store.delete('shop/a')).to.deep.equal([{ type: 'deleted', object: second }])
    expect(store.delete('shop/a')).to.deep.equal([])
    expect(store.size).to.equal(0)
  })

  it('takes an object with another uid for a removal and an addition (R50-3)', () => {
    const before = pod('a', { uid: 'old' })
    const object = pod('a', { uid: 'new' })
    expect(storeOf(before).set(object)).to.deep.equal([
      { type: 'deleted', object: before },
      { type: 'added', object },
    ])
  })

  it('keeps the old object where the new one is equal', () => {
    const before = pod('a')
    const store = storeOf(before)
    expect(store.set(pod('a'))).to.deep.equal([])
    expect(store.get('shop/a')).to.equal(before)
  })

  it('finds objects by index after every kind of change', () => {
    const store = storeOf(pod('a'), pod('b'), pod('c', { node: 'n2' }))
    store.set(pod('b', { version: '2', node: 'n2' }))
    store.delete('shop/c')
    expect(names(store.byIndex('node', 'n1'))).to.deep.equal(['a'])
    expect(names(store.byIndex('node', 'n2'))).to.deep.equal(['b'])
    expect(store.byIndex('node', 'n3')).to.deep.equal([])
  })

  it('names an index that it was not given', () => {
    expect(() => storeOf().byIndex('zone', 'a')).to.throw('zone')
  })

  it('turns the difference to a new list into events and changes nothing else', () => {
    const same = pod('same')
    const store = storeOf(same, pod('gone'), pod('edited'), pod('made-anew', { uid: 'old' }))
    const events = store.replace([
      pod('same'),
      pod('edited', { version: '2' }),
      pod('made-anew', { uid: 'new' }),
      pod('new'),
    ])
    const told = events.map(({ type, object }) => `${type} ${object.metadata.name}`)
    expect(told).to.deep.equal(['deleted gone', 'updated edited', 'deleted made-anew', 'added made-anew', 'added new'])
    expect(store.get('shop/same')).to.equal(same)
    expect(names(store.list())).to.deep.equal(['edited', 'made-anew', 'new', 'same'])
  })

  it('replaces one namespace and leaves the others alone', () => {
    const store = storeOf(pod('a'), pod('b', { namespace: 'blog' }))
    store.replace([pod('c')], 'shop')
    expect(names(store.list())).to.deep.equal(['b', 'c'])
  })
})
