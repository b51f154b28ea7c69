import { expect } from 'chai'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { WantedObjects, type WantedObjectsSettings } from '../../src/controllers/wanted-objects.ts'
import type { ObjectRef } from '../../src/model/object-ref.ts'
import { ApiClient } from '../../src/runtime/client.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject } from '../fakes/api-server.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const SECRETS = '/api/v1/namespaces/shop/secrets'
const MAPS = '/api/v1/namespaces/shop/configmaps'
const POLL_MS = 60_000
const CLASS: ObjectRef = { kind: 'IngressClass', namespace: '', name: 'ramjet' }

const secret = (name: string): ObjectRef => ({ kind: 'Secret', namespace: 'shop', name })
const map = (name: string): ObjectRef => ({ kind: 'ConfigMap', namespace: 'shop', name })

function object(name: string, value: string): FakeObject {
  return { metadata: { name, namespace: 'shop', labels: { a: 'b' } }, type: 'Opaque', data: { key: value } }
}

describe('WantedObjects (R30-2)', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let client: ApiClient
  let snapshots: SnapshotStore
  let marked: Change[]
  let wanted: WantedObjects
  let stop: AbortController
  let ended: Promise<void>

  beforeEach(async () => {
    server = new FakeApiServer()
    clock = new FakeClock()
    const access = plainAccess(await server.start())
    client = new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    marked = []
    stop = new AbortController()
    ended = Promise.resolve()
    server.serve(SECRETS, object('a', 'MQ=='))
    server.serve(MAPS, object('m', 'text'))
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await ended
    await client.close()
    await server.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  function start(over: Partial<WantedObjectsSettings> = {}): void {
    wanted = new WantedObjects({
      client,
      settings: {
        wantedWatches: 2,
        pollWantedMs: POLL_MS,
        namespaces: [],
        anywhere: new Set<string>(),
        reading: {
          pageSize: 500,
          watchTimeoutMs: 300_000,
          stallMarginMs: 30_000,
          resyncPeriodMs: 0,
          askAgainMs: 60_000,
        },
        ...over,
      },
      snapshots,
      loop: { markDirty: (change) => void marked.push(change) },
      classes: () => [CLASS],
      onStatus: () => {},
      onObject: () => {},
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log: new FakeLogger(),
    })
    ended = wanted.run(stop.signal)
  }

  const held = (): Readonly<Record<string, unknown>> =>
    Object.fromEntries([...snapshots.snapshot().wantedObjects].map(([key, { data }]) => [key, data]))
  const asked = (path: string): number =>
    server.requests.filter((request) => request.path === path && request.method === 'GET').length

  it('asks for nothing while nothing is wanted', async () => {
    start()
    wanted.want('test', [])
    await wanted.readAll(1000)
    await settled()
    expect(server.requests).to.deep.equal([])
  })

  it('watches each by its name, and keeps what it is, not its labels', async () => {
    start()
    wanted.want('test', [secret('a'), map('m')])
    await eventually(() => snapshots.snapshot().wantedObjects.size === 2)
    expect(held()).to.deep.equal({ 'Secret shop/a': { key: 'MQ==' }, 'ConfigMap shop/m': { key: 'text' } })
    expect(snapshots.snapshot().wantedObjects.get('Secret shop/a')).to.include({ type: 'Opaque' })
    expect(snapshots.snapshot().wantedObjects.get('Secret shop/a')?.metadata).not.to.have.property('labels')
    const lists = server.requests.filter(({ path }) => path === SECRETS)
    expect(lists.map(({ query }) => query.get('fieldSelector'))).to.include('metadata.name=a')
    expect(marked).to.deep.equal([{ kind: 'all' }, { kind: 'all' }])
  })

  it('marks the rebuild when one changes, goes and arrives', async () => {
    start()
    wanted.want('test', [secret('a')])
    await eventually(() => marked.length === 1 && server.watching(SECRETS) === 1)
    server.put(SECRETS, object('a', 'Mg=='))
    await eventually(() => marked.length === 2)
    expect(held()).to.deep.equal({ 'Secret shop/a': { key: 'Mg==' } })
    server.delete(SECRETS, 'shop/a')
    await eventually(() => marked.length === 3)
    expect(held()).to.deep.equal({})
    server.put(SECRETS, object('a', 'Mw=='))
    await eventually(() => marked.length === 4)
    expect(held()).to.deep.equal({ 'Secret shop/a': { key: 'Mw==' } })
  })

  it('lets go of what is wanted no more, without a rebuild', async () => {
    start()
    wanted.want('test', [secret('a')])
    await eventually(() => marked.length === 1 && server.watching(SECRETS) === 1)
    wanted.want('test', [])
    await eventually(() => server.watching(SECRETS) === 0)
    expect(held()).to.deep.equal({})
    expect(marked).to.have.length(1)
    wanted.want('test', [secret('a')])
    await eventually(() => marked.length === 2)
  })

  it('polls those beyond its bound once a minute, and tells our classes', async () => {
    start({ wantedWatches: 1 })
    wanted.want('test', [map('m'), secret('a'), secret('none')])
    await eventually(() => snapshots.snapshot().wantedObjects.size === 2)
    expect(server.watching(SECRETS)).to.equal(0)
    expect(wanted.warnings().map(({ reason, object: { name }, message }) => [reason, name, message])).to.deep.equal([
      [
        'TooManyReferences',
        'ramjet',
        '3 Secrets and ConfigMaps are named one by one, and 1 are watched; the other 2 are asked for once a minute',
      ],
    ])
    await clock.pass(POLL_MS)
    await eventually(() => asked(`${SECRETS}/none`) === 2)
  })

  it('gives a watch that became free to one that was polled', async () => {
    start({ wantedWatches: 1 })
    wanted.want('test', [map('m'), secret('a')])
    await eventually(() => snapshots.snapshot().wantedObjects.size === 2)
    wanted.want('test', [secret('a')])
    await eventually(() => server.watching(SECRETS) === 1)
    expect(wanted.warnings()).to.deep.equal([])
    expect(held()).to.deep.equal({ 'Secret shop/a': { key: 'MQ==' } })
  })

  it('says once that all was read, missing objects included', async () => {
    start()
    wanted.want('test', [secret('a'), secret('none')])
    await wanted.readAll(30_000)
    expect(held()).to.deep.equal({ 'Secret shop/a': { key: 'MQ==' } })
  })

  it('waits for what cannot be read no longer than it is told', async () => {
    server.fail({ kind: 'status', status: 500 }, ({ path }) => path === SECRETS, 100)
    start()
    wanted.want('test', [secret('a')])
    const read = wanted.readAll(700)
    await clock.pass(700)
    await read
    expect(held()).to.deep.equal({})
  })

  it('asks before it reads, and names a missing permission once', async () => {
    server.forbid('list', 'secrets')
    start()
    wanted.want('test', [secret('a'), secret('b')])
    await wanted.readAll(30_000)
    await eventually(() => wanted.warnings().length === 1)
    expect(wanted.warnings()[0]).to.include({ reason: 'KindForbidden', field: 'list secrets' })
    expect(server.requests.some(({ path }) => path === SECRETS)).to.equal(false)
  })

  it('takes objects of namespaces that are not watched, and of other kinds, for missing', async () => {
    start({ namespaces: ['bank'] })
    wanted.want('test', [secret('a'), { kind: 'Service', namespace: 'bank', name: 'a' }])
    await wanted.readAll(1000)
    await settled()
    expect(server.requests).to.deep.equal([])
  })

  it('ends every watch when it is stopped', async () => {
    start()
    wanted.want('test', [secret('a'), map('m')])
    await eventually(() => server.watching(SECRETS) === 1 && server.watching(MAPS) === 1)
    stop.abort(new Error('over'))
    await ended
    await eventually(() => server.watching(SECRETS) + server.watching(MAPS) === 0)
  })
})
