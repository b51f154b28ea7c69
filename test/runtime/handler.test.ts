import { expect } from 'chai'
import type { KubernetesObject } from '../../src/api/meta.ts'
import { sourceOf } from '../../src/runtime/handler.ts'
import type { Informer } from '../../src/runtime/informer.ts'
import type { EventHandler } from '../../src/runtime/object-event.ts'

type Owned = KubernetesObject & { readonly owner?: string }

function object(name: string, owner?: string): Owned {
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: '1', creationTimestamp: '' }
  return owner === undefined ? { metadata } : { metadata, owner }
}

/** An informer that tells what a test tells it to. */
class TellingInformer {
  tell: EventHandler<Owned> = () => {}

  addHandler(handler: EventHandler<Owned>): void {
    this.tell = handler
  }
}

describe('sourceOf', () => {
  let informer: TellingInformer
  let added: string[]

  function connect(watch: Omit<Parameters<typeof sourceOf<Owned>>[0], 'informer'> = {}): void {
    informer = new TellingInformer()
    added = []
    const source = sourceOf<Owned>({ informer: informer as unknown as Informer<Owned>, ...watch })
    source.connect((key, receivedAtMs) => added.push(`${key} ${receivedAtMs}`))
  }

  it('adds the key of the object itself where there is no map', () => {
    connect()
    informer.tell({ type: 'added', object: object('a') }, 7)
    informer.tell({ type: 'deleted', object: object('b') }, 8)
    expect(added).to.deep.equal(['shop/a 7', 'shop/b 8'])
  })

  it('adds what both forms of an updated object map to', () => {
    connect({ map: ({ owner }) => (owner === undefined ? [] : [{ namespace: 'shop', name: owner }]) })
    informer.tell({ type: 'updated', before: object('a', 'old'), object: object('a', 'new') }, 1)
    informer.tell({ type: 'added', object: object('b') }, 2)
    expect(added).to.deep.equal(['shop/old 1', 'shop/new 1'])
  })

  it('drops what one of its predicates turns down', () => {
    connect({ predicates: [() => true, ({ type }) => type !== 'deleted'] })
    informer.tell({ type: 'deleted', object: object('a') }, 1)
    informer.tell({ type: 'added', object: object('b') }, 2)
    expect(added).to.deep.equal(['shop/b 2'])
  })
})
