import { expect } from 'chai'
import type { KubernetesObject } from '../../src/api/meta.ts'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { createIngressReconciler } from '../../src/controllers/ingress.ts'
import { createIngressClassReconciler } from '../../src/controllers/ingress-class.ts'
import { createServiceReconciler } from '../../src/controllers/service.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { type Request, requestKey } from '../../src/runtime/reconciler.ts'
import { cacheOf } from '../fakes/lister.ts'

const KINDS = [
  { kind: 'Ingresses', part: 'ingresses', namespace: 'shop', create: createIngressReconciler },
  { kind: 'IngressClasses', part: 'ingressClasses', namespace: '', create: createIngressClassReconciler },
  { kind: 'Services', part: 'services', namespace: 'shop', create: createServiceReconciler },
] as const

function object({ namespace, name }: Request, resourceVersion = '1'): KubernetesObject {
  const scope = namespace === '' ? {} : { namespace }
  return { metadata: { name, ...scope, uid: name, resourceVersion, creationTimestamp: '' } }
}

for (const { kind, part, namespace, create } of KINDS) {
  describe(`the reconciler of ${kind}`, () => {
    const request: Request = { namespace, name: 'web' }
    const key = requestKey(request)
    const signal = new AbortController().signal

    it('follows the cache into the snapshot and marks each change once', async () => {
      const cache = cacheOf<KubernetesObject>([object(request)])
      const snapshots = new SnapshotStore({ servedBackends: () => new Map() })
      const marked: [Change, number | undefined][] = []
      const loop = { markDirty: (change: Change, receivedAtMs?: number) => void marked.push([change, receivedAtMs]) }
      const reconciler = create({ lister: cache, snapshots, loop })
      const reconcile = async (): Promise<unknown> => reconciler.reconcile(request, { signal, receivedAtMs: 7 })

      await reconcile()
      expect(snapshots.snapshot()[part].get(key)).to.equal(cache.get(key))
      await reconcile()
      expect(marked).to.deep.equal([[{ kind: 'all' }, 7]])

      cache.set(object(request, '2'))
      await reconcile()
      expect(snapshots.snapshot()[part].get(key)).to.equal(cache.get(key))

      cache.delete(key)
      await reconcile()
      expect(snapshots.snapshot()[part].has(key)).to.equal(false)
      expect(marked).to.have.length(3)
    })
  })
}
