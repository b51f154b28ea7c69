// Secrets and ConfigMaps read by name with no right to any other: R30-2 on the real API server. What composes it is the
// product's; the compile that wants something is the test's, since nothing that is built names one yet.
import { expect } from 'chai'
import { writeIdentity } from '../../hack/cluster/identity.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { WantedObjects } from '../../src/controllers/wanted-objects.ts'
import type { ObjectRef } from '../../src/model/object-ref.ts'
import { ApiClient } from '../../src/runtime/client.ts'
import { loadClusterAccess } from '../../src/runtime/kubeconfig.ts'
import { systemClock, systemTimers } from '../../src/runtime/system-time.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { READ } from './support/rbac.ts'
import { namespaceForEach } from './support/scene.ts'

const CALL_TIMEOUT_MS = 30_000

/** The right to read one object of a kind, and no other. */
function readOne(resource: string, name: string) {
  return { apiGroups: [''], resources: [resource], resourceNames: [name], verbs: READ }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

describe('wanted objects', () => {
  const namespace = namespaceForEach()
  let snapshots: SnapshotStore
  let marks: number
  let stop: (() => Promise<void>) | undefined
  let wanted: WantedObjects

  const secret = (name: string, value: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: namespace().name, name },
    stringData: { key: value },
  })
  const ref = (kind: string, name: string): ObjectRef => ({ kind, namespace: namespace().name, name })
  const held = (kind: string, name: string): string | undefined => {
    const object = snapshots.snapshot().wantedObjects.get(`${kind} ${namespace().name}/${name}`)
    return object?.data['key']
  }

  /** An account that may read the Secret `ca` and the ConfigMap `settings`, and nothing else at all. */
  async function account(): Promise<string> {
    const { name } = namespace()
    const [group, named] = ['rbac.authorization.k8s.io', { namespace: name, name: 'reader' }]
    await namespace().apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: named })
    await namespace().applyGlobal({
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata: named,
      rules: [readOne('secrets', 'ca'), readOne('configmaps', 'settings')],
    })
    await namespace().applyGlobal({
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata: named,
      roleRef: { apiGroup: group, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: name }],
    })
    return await writeIdentity(theCluster(), named)
  }

  beforeEach(async () => {
    const log = new FakeLogger()
    const identity = await account()
    const env = { ...theCluster().podEnvironment }
    const access = await loadClusterAccess(
      { kubeconfig: undefined, context: undefined, kubeApiserver: undefined, serviceAccountDir: identity, env },
      { clock: systemClock, log, tokenReadMs: 60_000 },
    )
    const shared = { clock: systemClock, timers: systemTimers }
    const client = new ApiClient({ ...shared, access, callTimeoutMs: CALL_TIMEOUT_MS, userAgent: 'ramjet/test' })
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    marks = 0
    wanted = new WantedObjects({
      ...shared,
      client,
      settings: {
        wantedWatches: 2,
        pollWantedMs: 200,
        anywhere: new Set<string>(),
        namespaces: [],
        reading: {
          pageSize: 500,
          watchTimeoutMs: 300_000,
          stallMarginMs: 30_000,
          resyncPeriodMs: 0,
          askAgainMs: 200,
        },
      },
      snapshots,
      loop: {
        markDirty: () => {
          marks += 1
        },
      },
      classes: () => [],
      onObject: () => {},
      onStatus: () => {},
      random: () => 0.5,
      log,
    })
    const controller = new AbortController()
    const ended = wanted.run(controller.signal)
    stop = async () => {
      controller.abort()
      await ended
      await client.close()
    }
  })

  afterEach(() => stop?.())

  it('follow one Secret and one ConfigMap, each by its name alone (R30-2)', async () => {
    await namespace().applyGlobal(secret('ca', 'first'))
    wanted.want('test', [ref('Secret', 'ca'), ref('ConfigMap', 'settings')])
    await wanted.readAll(30_000)
    // Rules that were made a moment ago may not be known yet: then it is asked again.
    await eventually(() => expect(held('Secret', 'ca')).to.equal(base64('first')))
    await eventually(() => expect(wanted.warnings()).to.deep.equal([]))
    expect(held('ConfigMap', 'settings')).to.equal(undefined)
    const before = marks
    await namespace().applyGlobal(secret('ca', 'second'))
    await namespace().applyGlobal({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: namespace().name, name: 'settings' },
      data: { key: 'text' },
    })
    await eventually(() => {
      expect(held('Secret', 'ca')).to.equal(base64('second'))
      expect(held('ConfigMap', 'settings')).to.equal('text')
    })
    expect(marks).to.equal(before + 2)
    await theCluster().admin.delete(secret('ca', ''))
    await eventually(() => expect(held('Secret', 'ca')).to.equal(undefined))
    expect(wanted.warnings()).to.deep.equal([])
  })

  it('name a missing permission, and are read once it is granted (R30-48)', async () => {
    await namespace().applyGlobal(secret('other', 'value'))
    wanted.want('test', [ref('Secret', 'other')])
    await wanted.readAll(30_000)
    expect(wanted.warnings().map(({ reason, field }) => `${reason} ${field}`)).to.deep.equal([
      'KindForbidden list secrets',
    ])
    await namespace().applyGlobal({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { namespace: namespace().name, name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }],
    })
    await eventually(() => expect(held('Secret', 'other')).to.equal(base64('value')))
    await eventually(() => expect(wanted.warnings()).to.deep.equal([]))
  })

  it('beyond the bound are polled, and let go when nothing wants them (R30-2)', async () => {
    await namespace().applyGlobal(secret('ca', 'value'))
    wanted.want('test', [ref('Secret', 'one'), ref('Secret', 'two'), ref('Secret', 'ca')])
    await eventually(() => expect(held('Secret', 'ca')).to.equal(base64('value')))
    await namespace().applyGlobal(secret('ca', 'new'))
    await eventually(() => expect(held('Secret', 'ca')).to.equal(base64('new')))
    wanted.want('test', [])
    expect(snapshots.snapshot().wantedObjects.size).to.equal(0)
  })
})
