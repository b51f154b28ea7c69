// An informer of a kind that a CRD defines, and what becomes of its objects when the CRD goes (R50-5).
import { expect } from 'chai'
import type { Namespace } from '../../src/api/core.ts'
import { decodeNamespace } from '../../src/api/decode-core.ts'
import { ApiClient } from '../../src/runtime/client.ts'
import { Informer } from '../../src/runtime/informer.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject } from '../fakes/api-server.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const RESOURCE = { group: 'ramjet.dev', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true }
const THINGS = '/apis/ramjet.dev/v1/things'
const DISCOVERY = '/apis/ramjet.dev/v1'
const HOLD_MS = 1000
const KEEP_MS = 300_000
const ASK_AGAIN_MS = 60_000

const thing = (name: string): FakeObject => ({ metadata: { name, namespace: 'shop' } })

describe('an informer of a custom kind', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let client: ApiClient
  let stop: AbortController
  let informer: Informer<Namespace>
  let told: string[]
  let ended: Promise<void>

  beforeEach(async () => {
    server = new FakeApiServer()
    const access = plainAccess(await server.start())
    clock = new FakeClock()
    client = new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
    stop = new AbortController()
    told = []
    server.serve(THINGS, thing('a'), thing('b'))
    informer = new Informer({
      client,
      resource: RESOURCE,
      decode: decodeNamespace,
      namespaces: [],
      custom: { holdMs: HOLD_MS, keepMs: KEEP_MS },
      settings: {
        pageSize: 500,
        watchTimeoutMs: 3_000_000,
        stallMarginMs: 30_000,
        resyncPeriodMs: 0,
        askAgainMs: ASK_AGAIN_MS,
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log: new FakeLogger(),
    })
    informer.addHandler(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
    ended = informer.run(stop.signal)
    await eventually(() => server.watching(THINGS) === 1 && !clock.pending().includes(30_000))
    told = []
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await ended
    await client.close()
    await server.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  /** Makes discovery say that the kind is there for good. */
  function isServedForGood(): void {
    const text = JSON.stringify({ resources: [{ name: 'things', verbs: ['create', 'list', 'watch'] }] })
    server.fail({ kind: 'body', text }, ({ path }) => path === DISCOVERY, 100)
  }

  /** Removes the CRD as the API server does it: object by object, then the kind. */
  async function removeKind(): Promise<void> {
    server.delete(THINGS, 'shop/a')
    server.delete(THINGS, 'shop/b')
    server.unserve(THINGS)
    server.endWatches(THINGS)
    await clock.pass(400)
    await eventually(() => informer.status().state.kind === 'absent')
  }

  it('takes an object out a moment after it was removed', async () => {
    isServedForGood()
    server.delete(THINGS, 'shop/a')
    await clock.pass(HOLD_MS)
    await eventually(() => told.length === 1)
    expect(told).to.deep.equal(['deleted a'])
    expect(informer.status().objects).to.equal(1)
  })

  it('takes no object out that is there again by then', async () => {
    isServedForGood()
    server.delete(THINGS, 'shop/a')
    await eventually(() => clock.pending().includes(HOLD_MS))
    server.put(THINGS, thing('a'))
    await eventually(() => told.length === 2)
    await clock.pass(HOLD_MS)
    await settled()
    // Made anew under its name, it is another object.
    expect(told).to.deep.equal(['deleted a', 'added a'])
    expect(informer.status().objects).to.equal(2)
  })

  it('keeps the last objects of a kind that was removed, until the time is up', async () => {
    await removeKind()
    await eventually(() => clock.pending().includes(KEEP_MS))
    clock.advance(HOLD_MS)
    await settled()
    expect(informer.status().objects).to.equal(2)
    expect(told).to.deep.equal([])
    clock.advance(KEEP_MS)
    await eventually(() => told.length === 2)
    expect(told).to.deep.equal(['deleted a', 'deleted b'])
    expect(informer.status()).to.deep.include({ state: { kind: 'absent' }, objects: 0 })
  })

  it('believes a kind that comes back what it holds, and starts no time anew', async () => {
    await removeKind()
    await eventually(() => clock.pending().includes(KEEP_MS))
    server.serve(THINGS, thing('b'))
    clock.advance(ASK_AGAIN_MS)
    await eventually(() => informer.status().state.kind === 'synced')
    await eventually(() => !clock.pending().some((ms) => ms > 100_000 && ms < KEEP_MS))
    expect(told).to.include('deleted a').and.to.include('added b')
    expect(informer.status().objects).to.equal(1)
  })
})
