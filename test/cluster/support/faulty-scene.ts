// Hooks for tests of control-plane faults: a proxy before the API server, and a namespace, for each test.
import { RAMJET_ACCOUNT } from '../../../hack/cluster/identity.ts'
import { FaultProxy } from '../fault-proxy.ts'
import { theCluster } from './cluster.ts'
import { Ramjet, type RamjetOptions } from './ramjet.ts'
import { namespaceForEach } from './scene.ts'
import type { TestNamespace } from './test-namespace.ts'

const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${RAMJET_ACCOUNT.namespace}/leases`

export interface FaultyScene {
  readonly proxy: FaultProxy
  /** The running test's own. */
  readonly namespace: TestNamespace
  /** A Ramjet that reaches the API server through the proxy; it is stopped after the test. */
  spawn(options?: RamjetOptions): Promise<Ramjet>
  /** The same, once it is ready. */
  start(options?: RamjetOptions): Promise<Ramjet>
}

/** Call it inside `describe`; read its fields inside tests. */
export function faultyScene(): FaultyScene {
  const namespace = namespaceForEach()
  const running: Ramjet[] = []
  let proxy: FaultProxy | undefined
  beforeEach('start the fault proxy', async () => {
    proxy = await FaultProxy.start(theCluster())
  })
  afterEach('stop Ramjet and the fault proxy', async () => {
    proxy?.heal()
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
    await proxy?.stop()
    // Who was cut off, or saw another API server, could not release it: the next replica would wait for its whole time.
    await theCluster().admin.request('DELETE', LEASES)
  })
  const theProxy = (): FaultProxy => {
    if (!proxy) throw new Error('it is there once hooks have run')
    return proxy
  }
  const spawn = async ({ flags = [], ...rest }: RamjetOptions = {}): Promise<Ramjet> => {
    const options = { ...rest, flags: ['--kube-apiserver', theProxy().url, ...flags] }
    const ramjet = await Ramjet.spawn(theCluster(), options)
    running.push(ramjet)
    return ramjet
  }
  return {
    get proxy() {
      return theProxy()
    },
    get namespace() {
      return namespace()
    },
    spawn,
    start: async (options) => {
      const ramjet = await spawn(options)
      await ramjet.ready()
      return ramjet
    },
  }
}
