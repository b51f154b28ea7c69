import { expect } from 'chai'
import { type ClusterSource, createClusterSource } from '../../src/controllers/cluster-source.ts'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { DEFAULT_TUNABLES } from '../../src/controllers/tunables.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject, listsOf } from '../fakes/api-server.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const INGRESSES = '/apis/networking.k8s.io/v1/ingresses'
const CLASSES = '/apis/networking.k8s.io/v1/ingressclasses'
const SERVICES = '/api/v1/services'
const SLICES = '/apis/discovery.k8s.io/v1/endpointslices'
const PARAMETERS = '/apis/ramjet.dev/v1alpha1/classparameters'
const SECRETS = '/api/v1/secrets'
const PATHS = [INGRESSES, CLASSES, SERVICES, SLICES]

function object(name: string, fields: Readonly<Record<string, unknown>> = {}, namespace = 'shop'): FakeObject {
  return { metadata: { name, namespace }, ...fields }
}

function slice(name: string, service: string, ready = true): FakeObject {
  const labels = { 'kubernetes.io/service-name': service }
  const endpoints = [{ addresses: ['192.0.2.1'], conditions: { ready } }]
  return { metadata: { name, namespace: 'shop', labels }, addressType: 'IPv4', endpoints }
}

describe('the cluster source', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let snapshots: SnapshotStore
  let marked: Change[]
  let started: number
  let statuses: number
  let source: ClusterSource

  beforeEach(async () => {
    server = new FakeApiServer()
    clock = new FakeClock()
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    marked = []
    started = 0
    statuses = 0
    server.serve(INGRESSES, object('web'))
    server.serve(CLASSES, { metadata: { name: 'ramjet' } })
    server.serve(SERVICES, object('web'))
    server.serve(SLICES, slice('web-1', 'web'), slice('web-2', 'web'))
    server.serve(PARAMETERS)
    server.serve(SECRETS)
    create(await server.start())
  })

  afterEach(async () => {
    await source.stop()
    await server.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  function create(url: URL, ...watchNamespaces: readonly string[]): void {
    source = createClusterSource({
      access: plainAccess(url),
      settings: {
        watchNamespaces,
        watchTimeoutMs: 300_000,
        resyncPeriodMs: 0,
        certificateGraceMs: 86_400_000,
        userAgent: 'ramjet/test',
      },
      tunables: DEFAULT_TUNABLES,
      snapshots,
      loop: {
        markDirty: (change) => void marked.push(change),
        start: () => {
          started += 1
        },
      },
      ownClasses: () => [],
      onStatus: () => {
        statuses += 1
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log: new FakeLogger(),
    })
  }

  const synced = (): Promise<void> => eventually(() => source.synced())
  const kind = (name: string): ReturnType<ClusterSource['kinds']>[number] | undefined =>
    source.kinds().find((status) => status.kind === name)

  it('asks nothing before it is started', async () => {
    await settled()
    expect(server.requests).to.deep.equal([])
    expect(source.synced()).to.equal(false)
    expect(kind('Ingress')).to.include({ state: 'syncing', objects: 0, lastSyncAgeMs: undefined })
  })

  it('R30-1, R30-2: lists TLS Secrets by their type, and asks by name for those that are used and not listed', async () => {
    server.serve(SECRETS, { ...object('tls'), type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } })
    server.serve('/api/v1/namespaces/shop/secrets')
    source.start()
    await eventually(() => started > 0)
    expect([...snapshots.snapshot().tlsSecrets.keys()]).to.deep.equal(['shop/tls'])
    expect(
      server.requests
        .filter(({ path }) => path === SECRETS)
        .every(({ query }) => query.get('fieldSelector') === 'type=kubernetes.io/tls'),
    ).to.equal(true)
    source.wantObjects({ objects: [], tlsSecrets: new Set(['shop/tls', 'shop/none']) })
    // No clock moves: it does not wait for its time to be over.
    await source.wantedAsked()
    const { tlsSecrets } = snapshots.snapshot()
    expect(tlsSecrets.get('shop/none')?.current).to.deep.equal({ ok: false, error: 'does not exist' })
    expect(tlsSecrets.get('shop/tls')?.current).to.deep.equal({ ok: false, error: 'has no tls.crt' })
    const named = server.requests.filter(({ path }) => path.endsWith('/shop/secrets'))
    expect(new Set(named.map(({ query }) => query.get('fieldSelector')))).to.deep.equal(new Set(['metadata.name=none']))
  })

  it('starts the loop once, when all that there is has reached the snapshot', async () => {
    source.start()
    await eventually(() => started > 0)
    const { ingresses, ingressClasses, services, endpointSlices } = snapshots.snapshot()
    expect([...ingresses.keys(), ...ingressClasses.keys(), ...services.keys()]).to.deep.equal([
      'shop/web',
      'ramjet',
      'shop/web',
    ])
    expect(endpointSlices.get('shop/web')).to.have.length(2)
    expect(source.synced()).to.equal(true)
    clock.advance(1000)
    server.put(INGRESSES, object('api'))
    await eventually(() => snapshots.snapshot().ingresses.has('shop/api'))
    expect(started).to.equal(1)
    expect(source.kinds().map(({ state, objects, required }) => [state, objects, required])).to.deep.equal([
      ['synced', 2, true],
      ['synced', 1, true],
      ['synced', 0, false],
      ['synced', 1, true],
      ['synced', 2, true],
      ['synced', 0, false],
    ])
  })

  for (const missing of PATHS) {
    it(`does not start the loop while ${missing} was not listed, whatever else is there`, async () => {
      server.fail({ kind: 'hang' }, listsOf(missing))
      source.start()
      const others = PATHS.filter((path) => path !== missing)
      await eventually(() => others.every((path) => server.watching(path) === 1))
      await settled()
      expect(started).to.equal(0)
      expect(source.synced()).to.equal(false)
      server.heal()
      server.cut()
      // Each reader sees the cut by itself, and waits from then on.
      await eventually(() => {
        if (clock.pending().includes(400)) clock.advance(400)
        return source.synced()
      })
    })
  }

  it('marks what changed: endpoints of a Service, or anything', async () => {
    source.start()
    await synced()
    await eventually(() => PATHS.every((path) => server.watching(path) === 1))
    marked = []
    server.put(SLICES, slice('web-1', 'web', false))
    await eventually(() => marked.length === 1)
    expect(marked).to.deep.equal([{ kind: 'endpoints', service: 'shop/web' }])
    server.put(SERVICES, object('web', { spec: { clusterIP: '198.51.100.1' } }))
    await eventually(() => marked.length === 2)
    expect(marked[1]).to.deep.equal({ kind: 'all' })
  })

  it('marks nothing for a change of what is not kept: status, managedFields', async () => {
    source.start()
    await synced()
    await eventually(() => server.watching(INGRESSES) === 1)
    marked = []
    server.put(INGRESSES, object('web', { status: { loadBalancer: {} } }))
    server.put(INGRESSES, object('next'))
    await eventually(() => marked.length > 0)
    expect(marked).to.have.length(1)
  })

  it('moves slices whose label changed from one Service to the other', async () => {
    source.start()
    await synced()
    await eventually(() => server.watching(SLICES) === 1)
    server.put(SLICES, slice('web-2', 'api'))
    await eventually(() => snapshots.snapshot().endpointSlices.has('shop/api'))
    await eventually(() => snapshots.snapshot().endpointSlices.get('shop/web')?.length === 1)
  })

  it('names verb and kind of a required kind that is forbidden, and goes on when it is granted (R30-48)', async () => {
    server.forbid('watch', 'endpointslices')
    source.start()
    await eventually(() => kind('EndpointSlice')?.state === 'forbidden' && server.watching(INGRESSES) === 1)
    expect(kind('EndpointSlice')).to.include({
      required: true,
      hasSynced: false,
      problem: 'may not watch endpointslices.discovery.k8s.io',
    })
    expect(source.warnings()).to.deep.equal([
      {
        reason: 'KindForbidden',
        object: { kind: 'Process', namespace: '', name: '' },
        field: 'watch endpointslices',
        message: 'may not watch endpointslices.discovery.k8s.io; asked again until it is granted',
      },
    ])
    expect(source.synced()).to.equal(false)
    server.grant('watch', 'endpointslices')
    await clock.pass(400)
    await synced()
    expect(source.warnings()).to.deep.equal([])
  })

  it('does without ClassParameters while their CRD is not there, and reads them as soon as it is (R50-5)', async () => {
    server.unserve(PARAMETERS)
    source.start()
    await synced()
    expect(kind('ClassParameters')).to.include({ state: 'absent', required: false, hasSynced: false })
    expect(source.warnings()).to.deep.equal([])
    server.serve(PARAMETERS, object('tuned', { spec: { timeout: '5s' } }), object('broken', { spec: { timeout: 5 } }))
    await clock.pass(400)
    await eventually(() => kind('ClassParameters')?.state === 'synced')
    await eventually(() => snapshots.snapshot().classParameters.size === 2)
    expect([...snapshots.snapshot().classParameters.entries()]).to.deep.equal([
      ['shop/tuned', { kind: 'valid', fields: { responseTimeoutMs: 5000 } }],
      ['shop/broken', { kind: 'invalid', field: 'spec.timeout', problem: 'must be a number with ms, s, m or h' }],
    ])
  })

  it('marks a change of what ClassParameters set, and none of their status', async () => {
    server.put(PARAMETERS, object('tuned', { spec: { timeout: '5s' } }))
    source.start()
    await synced()
    await eventually(() => server.watching(PARAMETERS) === 1)
    marked = []
    server.put(PARAMETERS, object('tuned', { spec: { timeout: '5s' }, status: { routes: 1 } }))
    server.put(PARAMETERS, object('tuned', { spec: { timeout: '5s', limits: {} } }))
    server.put(PARAMETERS, object('tuned', { spec: { timeout: '6s' } }))
    await eventually(() => marked.length > 0)
    expect(marked).to.deep.equal([{ kind: 'all' }])
  })

  it('stays synced when a permission is lost later (R30-47)', async () => {
    source.start()
    await synced()
    await eventually(() => server.watching(SERVICES) === 1 && !clock.pending().includes(30_000))
    server.forbid('list', 'services')
    server.forbid('watch', 'services')
    clock.advance(200_000)
    server.endWatches(SERVICES)
    await eventually(() => kind('Service')?.state === 'forbidden')
    expect(source.synced()).to.equal(true)
    expect(kind('Service')).to.include({ hasSynced: true, objects: 1 })
    expect(snapshots.snapshot().services.has('shop/web')).to.equal(true)
  })

  it('leaves a malformed object out, tells of it, and serves the rest (R50-3)', async () => {
    server.put(INGRESSES, object('bad', { spec: { rules: 'none' } }))
    source.start()
    await synced()
    expect([...snapshots.snapshot().ingresses.keys()]).to.deep.equal(['shop/web'])
    expect(source.warnings()).to.deep.equal([
      {
        reason: 'UndecodableObject',
        object: { kind: 'Ingress', namespace: 'shop', name: 'bad' },
        field: 'spec.rules',
        message: 'spec.rules is not a list; the object is left out',
      },
    ])
    const before = statuses
    await eventually(() => server.watching(INGRESSES) === 1)
    server.put(INGRESSES, object('bad'))
    await eventually(() => source.warnings().length === 0)
    expect(statuses).to.be.above(before)
  })

  it('says what it waits for while the API server fails', async () => {
    server.fail({ kind: 'status', status: 500 }, listsOf(SERVICES))
    source.start()
    await eventually(() => (kind('Service')?.problem ?? '').includes('500'))
    expect(kind('Service')?.problem).to.match(/^listing services: GET \/api\/v1\/services was answered 500/)
    await clock.pass(400)
    await synced()
  })

  it('reads the namespaces that it is given, and classes for all (R50-8)', async () => {
    await source.stop()
    const url = new URL(server.url)
    for (const namespace of ['shop', 'blog']) {
      server.serve(`/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`, object('web', {}, namespace))
      server.serve(`/api/v1/namespaces/${namespace}/services`)
      server.serve(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`)
      server.serve(`/apis/ramjet.dev/v1alpha1/namespaces/${namespace}/classparameters`)
    }
    create(url, 'shop', 'blog')
    source.start()
    await synced()
    expect([...snapshots.snapshot().ingresses.keys()]).to.have.members(['shop/web', 'blog/web'])
    expect(server.requests.map(({ path }) => path))
      .to.include(CLASSES)
      .and.not.include(INGRESSES)
  })

  it('ends every watch when it is stopped', async () => {
    source.start()
    await synced()
    await eventually(() => PATHS.every((path) => server.watching(path) === 1))
    await source.stop()
    await eventually(() => PATHS.every((path) => server.watching(path) === 0))
  })
})
