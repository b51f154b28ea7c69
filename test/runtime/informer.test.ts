import { expect } from 'chai'
import type { Service } from '../../src/api/core.ts'
import { decodeService } from '../../src/api/decode-core.ts'
import { ApiClient } from '../../src/runtime/client.ts'
import { Informer } from '../../src/runtime/informer.ts'
import type { Resource } from '../../src/runtime/resource.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject } from '../fakes/api-server.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const RESOURCE: Resource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true }
const ALL = '/api/v1/services'
const inNamespace = (namespace: string): string => `/api/v1/namespaces/${namespace}/services`

function service(key: string, { port = 80, ...metadata }: { port?: unknown; uid?: string } = {}): FakeObject {
  const [namespace = '', name = ''] = key.split('/')
  return {
    metadata: { name, namespace, managedFields: [{ manager: 'kubectl' }], labels: { app: name }, ...metadata },
    spec: { ports: [{ port }], selector: { app: name } },
    status: { loadBalancer: {} },
  }
}

describe('Informer', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let client: ApiClient
  let stop: AbortController
  let informer: Informer<Service>
  let told: string[]
  let ended: Promise<void>

  beforeEach(async () => {
    server = new FakeApiServer()
    const access = plainAccess(await server.start())
    clock = new FakeClock()
    client = new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
    stop = new AbortController()
    told = []
    ended = Promise.resolve()
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await ended
    await client.close()
    await server.stop()
  })

  function start(...namespaces: readonly string[]): void {
    informer = new Informer({
      client,
      resource: RESOURCE,
      decode: decodeService,
      namespaces,
      indexers: { port: ({ spec }) => (spec?.ports ?? []).map(({ port }) => String(port)) },
      settings: {
        pageSize: 2,
        watchTimeoutMs: 300_000,
        stallMarginMs: 30_000,
        resyncPeriodMs: 60_000,
        askAgainMs: 60_000,
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log: new FakeLogger(),
    })
    informer.addHandler(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
    ended = informer.run(stop.signal)
  }

  const watching = (path = ALL): Promise<void> =>
    eventually(() => server.watching(path) === 1 && !clock.pending().includes(30_000))
  const toldOf = (count: number): Promise<void> => eventually(() => told.length >= count)

  it('stores what is read of the objects and nothing else (R50-4)', async () => {
    server.serve(ALL, service('shop/web'))
    start()
    await watching()
    expect(informer.lister.get('shop/web')).to.deep.equal({
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'uid-101',
        resourceVersion: '101',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { ports: [{ port: 80 }] },
    })
  })

  it('tells of additions, changes and removals, and keeps its indexes', async () => {
    server.serve(ALL, service('shop/web'))
    start()
    await watching()
    server.put(ALL, service('shop/api'))
    server.put(ALL, service('shop/web', { port: 81 }))
    server.delete(ALL, 'shop/api')
    await toldOf(4)
    expect(told).to.deep.equal(['added web', 'added api', 'updated web', 'deleted api'])
    expect(informer.lister.byIndex('port', '80')).to.deep.equal([])
    expect(informer.lister.byIndex('port', '81')).to.have.length(1)
  })

  it('tells a handler that comes late of all there is', async () => {
    server.serve(ALL, service('shop/web'), service('shop/api'))
    start()
    await watching()
    const late: string[] = []
    informer.addHandler(({ type, object }) => late.push(`${type} ${object.metadata.name}`))
    expect(late).to.deep.equal(['added web', 'added api'])
  })

  it('turns what happened in a gap into events, a re-creation into two (R70-83, R70-87)', async () => {
    server.serve(ALL, service('shop/same'), service('shop/gone'), service('shop/anew'))
    start()
    await watching()
    server.deleteSilently(ALL, 'shop/gone')
    server.putSilently(ALL, service('shop/anew', { uid: 'another' }))
    server.putSilently(ALL, service('shop/new'))
    told = []
    clock.advance(60_000)
    await toldOf(4)
    expect(told).to.deep.equal(['deleted gone', 'deleted anew', 'added anew', 'added new'])
  })

  it('skips a malformed object of a list, names object and field, and serves the rest (R50-3, R70-105)', async () => {
    server.serve(ALL, service('shop/web'), service('shop/bad', { port: '80' }), service('shop/api'))
    start()
    await watching()
    expect(told).to.deep.equal(['added web', 'added api'])
    const fault = { field: 'spec.ports[0].port', message: 'is not a whole number' }
    expect(informer.status().malformed).to.deep.equal([{ namespace: 'shop', name: 'bad', fault }])
  })

  it('takes an object out that becomes malformed, and back in when it is mended', async () => {
    server.serve(ALL, service('shop/web'))
    start()
    let changes = 0
    informer.onStatus(() => {
      changes += 1
    })
    await watching()
    changes = 0
    server.put(ALL, service('shop/web', { port: '80' }))
    await toldOf(2)
    expect(informer.status().malformed).to.have.length(1)
    server.put(ALL, service('shop/web'))
    await toldOf(3)
    expect(told).to.deep.equal(['added web', 'deleted web', 'added web'])
    expect(informer.status().malformed).to.deep.equal([])
    expect(changes).to.equal(2)
  })

  it('forgets a malformed object that was deleted, whether it hears of it or not', async () => {
    server.serve(ALL, service('shop/one', { port: '80' }), service('shop/two', { port: '80' }))
    start()
    await watching()
    server.delete(ALL, 'shop/one')
    await eventually(() => informer.status().malformed.length === 1)
    server.deleteSilently(ALL, 'shop/two')
    clock.advance(60_000)
    await eventually(() => informer.status().malformed.length === 0)
  })

  it('reads each namespace that it is given and merges them into one store (R50-8)', async () => {
    for (const namespace of ['shop', 'blog', 'bank']) server.serve(inNamespace(namespace), service(`${namespace}/web`))
    start('shop', 'blog', 'shop')
    await eventually(() => informer.hasSynced)
    await watching(inNamespace('shop'))
    await watching(inNamespace('blog'))
    expect([...informer.lister.list()].map(({ metadata }) => metadata.namespace)).to.have.members(['shop', 'blog'])
    expect(server.requests.filter(({ path }) => path === ALL)).to.have.length(0)
    server.deleteSilently(inNamespace('shop'), 'shop/web')
    clock.advance(60_000)
    await toldOf(3)
    expect([...informer.lister.list()].map(({ metadata }) => metadata.namespace)).to.deep.equal(['blog'])
  })

  it('has synced when every namespace was listed, and shows the worst of them', async () => {
    for (const namespace of ['shop', 'blog']) server.serve(inNamespace(namespace))
    server.fail({ kind: 'status', status: 403 }, ({ path }) => path === inNamespace('blog'))
    start('shop', 'blog')
    await watching(inNamespace('shop'))
    await eventually(() => informer.status().state.kind === 'forbidden')
    expect(informer.hasSynced).to.equal(false)
    expect(informer.status()).to.deep.include({ namespace: 'blog', state: { kind: 'forbidden', verb: 'list' } })
    expect(informer.status().lastSyncAgeMs).to.equal(undefined)
    clock.advance(60_000)
    await eventually(() => informer.hasSynced)
    await eventually(() => informer.status().state.kind === 'synced')
  })

  it('tells how long ago the API server last proved alive', async () => {
    server.serve(ALL)
    start()
    await watching()
    clock.advance(5000)
    expect(informer.status().lastSyncAgeMs).to.equal(5000)
    server.bookmark(ALL)
    await eventually(() => informer.status().lastSyncAgeMs === 0)
  })
})
