import { expect } from 'chai'
import { ApiClient } from '../../src/runtime/client.ts'
import { Reflector, type ReflectorSettings, type ReflectorSink } from '../../src/runtime/reflector.ts'
import type { Resource, Selection } from '../../src/runtime/resource.ts'
import { metadataOf } from '../../src/runtime/watch-event.ts'
import { plainAccess } from '../fakes/access.ts'
import { FakeApiServer, type FakeObject, listsOf, watchesOf } from '../fakes/api-server.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

const RESOURCE: Resource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true }
const PATH = '/api/v1/services'
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const SETTINGS: ReflectorSettings = {
  pageSize: 2,
  watchTimeoutMs: 300_000,
  stallMarginMs: 30_000,
  resyncPeriodMs: 0,
  askAgainMs: 60_000,
}

function service(name: string, extra: Readonly<Record<string, unknown>> = {}): FakeObject {
  return { metadata: { name, namespace: 'shop' }, ...extra }
}

/** Writes down what reaches it. */
class RecordingSink implements ReflectorSink {
  readonly told: string[] = []

  startList(): ReturnType<ReflectorSink['startList']> {
    const names: string[] = []
    return {
      add: (raw) => void names.push(nameOf(raw)),
      commit: () => void this.told.push(`list ${names.join(' ')}`),
    }
  }

  set(raw: unknown): void {
    this.told.push(`set ${nameOf(raw)}`)
  }

  delete(raw: unknown): void {
    this.told.push(`delete ${nameOf(raw)}`)
  }
}

function noop(): void {}

function nameOf(raw: unknown): string {
  return String(metadataOf(raw)['name'])
}

describe('Reflector', () => {
  let server: FakeApiServer
  let clock: FakeClock
  let log: FakeLogger
  let sink: RecordingSink
  let client: ApiClient
  let stop: AbortController
  let reflector: Reflector
  let ended: Promise<void>

  beforeEach(async () => {
    server = new FakeApiServer()
    const url = await server.start()
    clock = new FakeClock()
    log = new FakeLogger()
    sink = new RecordingSink()
    stop = new AbortController()
    ended = Promise.resolve()
    const access = plainAccess(url)
    client = new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
    server.serve(PATH, service('a'), service('b'), service('c'))
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await ended
    await client.close()
    await server.stop()
    expect(clock.pending(), 'timers left').to.deep.equal([])
  })

  function start(settings: Partial<ReflectorSettings> = {}, point = 0.5, selection?: Selection): void {
    reflector = new Reflector({
      client,
      resource: RESOURCE,
      namespace: undefined,
      selection,
      sink,
      settings: { ...SETTINGS, ...settings },
      clock,
      timers: clock,
      random: fixedRandom(point),
      log,
      onState: noop,
    })
    ended = reflector.run(stop.signal)
  }

  /** Starts and waits until the first list was handed on and its watch stands. */
  async function startWatching(settings: Partial<ReflectorSettings> = {}): Promise<void> {
    start(settings)
    await watching()
  }

  /** Waits until a watch stands and its head has arrived. */
  async function watching(): Promise<void> {
    await eventually(() => server.watching(PATH) === 1 && !clock.pending().includes(30_000))
  }

  /** Waits until the sink has heard `count` things. */
  async function told(count: number): Promise<readonly string[]> {
    await eventually(() => sink.told.length >= count)
    return sink.told
  }

  const lists = (): number => server.requests.filter(listsOf(PATH)).length
  const watches = (): number => server.requests.filter(watchesOf(PATH)).length
  const lastWatched = (): string | null | undefined =>
    server.requests.findLast(watchesOf(PATH))?.query.get('resourceVersion')

  it('asks, lists and watches what is selected alone (R30-2)', async () => {
    start({}, 0.5, { name: 'a', labels: 'app=web' })
    await watching()
    const readings = server.requests.filter(({ path }) => path === PATH)
    const asked = readings.map(({ query }) => [query.get('fieldSelector'), query.get('labelSelector')])
    expect(asked).to.deep.equal(Array.from(readings, () => ['metadata.name=a', 'app=web']))
    expect(readings.some(({ query }) => query.get('watch') === 'true')).to.equal(true)
    const reviews = server.requests.filter(({ path }) => path === REVIEW)
    expect(reviews.map(({ body }) => /"name":"a"/.test(body))).to.deep.equal([true, true])
  })

  it('asks whether it may, lists page by page, and watches from the version of the list', async () => {
    await startWatching()
    expect(sink.told).to.deep.equal(['list a b c'])
    expect(server.requests.map(({ path }) => path)).to.deep.equal([REVIEW, REVIEW, PATH, PATH, PATH])
    const [first, second, watch] = server.requests.slice(2)
    expect(first?.query.get('limit')).to.equal('2')
    expect(second?.query.get('continue')).to.equal('2')
    expect(watch?.query.get('resourceVersion')).to.equal('103')
    expect(watch?.query.get('allowWatchBookmarks')).to.equal('true')
    expect(reflector.state.kind).to.equal('synced')
  })

  it('hands on additions, changes and removals', async () => {
    await startWatching()
    server.put(PATH, service('d'))
    server.put(PATH, service('d', { spec: {} }))
    server.delete(PATH, 'shop/d')
    expect(await told(4)).to.deep.equal(['list a b c', 'set d', 'set d', 'delete d'])
  })

  it('watches again from the last event or bookmark when the server ends the watch in its time', async () => {
    await startWatching()
    server.put(PATH, service('d'))
    server.bookmark(PATH)
    await told(2)
    clock.advance(300_000)
    server.endWatches(PATH)
    await server.until(() => watches() === 2)
    expect(lastWatched()).to.equal('105')
    expect(lists()).to.equal(2)
    expect(reflector.watchRestarts).to.equal(1)
  })

  it('backs off when a watch ends as soon as it began', async () => {
    await startWatching()
    server.endWatches(PATH)
    await eventually(() => clock.pending().includes(400))
    expect(watches()).to.equal(1)
    clock.advance(400)
    await server.until(() => watches() === 2)
  })

  it('lists anew when an ERROR event says that the version expired (R70-83)', async () => {
    await startWatching()
    server.putSilently(PATH, service('d'))
    server.deleteSilently(PATH, 'shop/a')
    server.sendError(PATH, 410, 'Expired')
    await clock.pass(400)
    expect(await told(2)).to.deep.equal(['list a b c', 'list b c d'])
    await watching()
    expect(lastWatched()).to.equal('104')
  })

  it('lists anew when a watch is answered that its version expired (R70-83)', async () => {
    await startWatching()
    server.putSilently(PATH, service('d'))
    server.fail({ kind: 'status', status: 410, reason: 'Expired' }, watchesOf(PATH))
    server.cut()
    await clock.pass(400)
    await clock.pass(800)
    expect(await told(2)).to.deep.equal(['list a b c', 'list a b c d'])
    await watching()
    expect(watches()).to.equal(3)
  })

  it('lists anew after a whole watch without event and bookmark: its version may be of the future (R70-85)', async () => {
    await startWatching()
    server.putSilently(PATH, service('d'))
    clock.advance(120_000)
    server.endWatches(PATH)
    expect(await told(2)).to.deep.equal(['list a b c', 'list a b c d'])
    await watching()
  })

  it('throws half a list away when it expires between two pages (R70-84)', async () => {
    server.fail({ kind: 'status', status: 410, reason: 'Expired' }, (request) => request.query.has('continue'))
    start()
    await eventually(() => clock.pending().includes(400))
    expect(lists()).to.equal(2)
    expect(sink.told).to.deep.equal([])
    server.putSilently(PATH, service('d'))
    clock.advance(400)
    expect(await told(1)).to.deep.equal(['list a b c d'])
    await watching()
  })

  it('resumes where it was after a cut, without a list', async () => {
    await startWatching()
    server.put(PATH, service('d'))
    await told(2)
    server.cut()
    await clock.pass(400)
    await server.until(() => watches() === 2)
    expect(lastWatched()).to.equal('104')
    expect(lists()).to.equal(2)
  })

  it('waits at least what Retry-After asks for (R70-104)', async () => {
    server.fail({ kind: 'status', status: 429, retryAfter: '7' }, listsOf(PATH))
    start()
    await eventually(() => clock.pending().includes(7000))
    clock.advance(6999)
    await settled()
    expect(lists()).to.equal(1)
    clock.advance(1)
    await told(1)
    await watching()
  })

  it('takes a watch that is silent for its time and the margin for dead, and resumes (R70-82)', async () => {
    await startWatching()
    clock.advance(200_000)
    server.bookmark(PATH)
    await eventually(() => reflector.provedAtMs === clock.monotonicMs())
    clock.advance(329_999)
    await settled()
    expect(server.watching(PATH)).to.equal(1)
    clock.advance(1)
    await clock.pass(400)
    await server.until(() => watches() === 2)
    expect(lastWatched()).to.equal('104')
    expect(lists()).to.equal(2)
  })

  it('asks for watches that last the jittered time', async () => {
    start({}, 1)
    await watching()
    expect(server.requests.findLast(watchesOf(PATH))?.query.get('timeoutSeconds')).to.equal('330')
  })

  it('lists and compares when the resync period is over (R30-8)', async () => {
    await startWatching({ resyncPeriodMs: 120_000 })
    server.putSilently(PATH, service('d'))
    clock.advance(120_000)
    expect(await told(2)).to.deep.equal(['list a b c', 'list a b c d'])
    await watching()
    expect(log.of('warn')).to.deep.equal([])
  })

  it('takes the older state when versions go backwards, and says so aloud (R70-85)', async () => {
    await startWatching()
    server.setVersion(50)
    server.sendLine(
      PATH,
      `${JSON.stringify({ type: 'ERROR', object: { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } } })}\n`,
    )
    await clock.pass(400)
    await told(2)
    await watching()
    expect(lastWatched()).to.equal('50')
    expect(log.of('warn').map(({ message }) => message)).to.deep.equal([
      'the API server is behind our version, listing anew',
      'the API server went back to an older state, which is taken',
    ])
  })

  /** Waits until the kind was refused so often that it is asked for once a minute. */
  async function refused(): Promise<void> {
    for (const ms of [400, 800, 1600]) await clock.pass(ms)
    await eventually(() => clock.pending().includes(60_000))
  }

  for (const verb of ['list', 'watch'] as const) {
    it(`names the verb when it may not ${verb}, and asks again each minute (R30-48)`, async () => {
      server.forbid(verb, 'services')
      start()
      await refused()
      expect(reflector.state).to.deep.equal({ kind: 'forbidden', verb })
      expect(lists()).to.equal(0)
      clock.advance(60_000)
      await eventually(() => clock.pending().includes(60_000))
      expect(log.of('warn')).to.have.length(3)
      server.grant(verb, 'services')
      clock.advance(60_000)
      await told(1)
      await watching()
      expect(reflector.state.kind).to.equal('synced')
    })
  }

  it('takes a permission up within a second that an API server which has just started did not know', async () => {
    await startWatching()
    server.fail({ kind: 'status', status: 403 }, watchesOf(PATH))
    server.cut()
    await clock.pass(400)
    await clock.pass(800)
    await told(2)
    await watching()
    expect(reflector.state.kind).to.equal('synced')
  })

  it('keeps what it has when a permission is lost, and lists anew when it is back', async () => {
    await startWatching()
    server.forbid('list', 'services')
    server.forbid('watch', 'services')
    server.sendError(PATH, 403, 'Forbidden')
    await refused()
    expect(reflector.state).to.deep.equal({ kind: 'forbidden', verb: 'list' })
    expect(reflector.hasListed).to.equal(true)
    expect(sink.told).to.deep.equal(['list a b c'])
    server.grant('list', 'services')
    server.grant('watch', 'services')
    clock.advance(60_000)
    await told(2)
    await watching()
  })

  it('asks again each minute for a kind that is not served (R50-5)', async () => {
    server.unserve(PATH)
    start()
    await refused()
    expect(reflector.state).to.deep.equal({ kind: 'absent' })
    server.serve(PATH, service('a'))
    clock.advance(60_000)
    await told(1)
    await watching()
  })

  it('lists although reviews themselves are forbidden', async () => {
    server.fail({ kind: 'status', status: 403 }, ({ path }) => path === REVIEW, 2)
    await startWatching()
    expect(sink.told).to.deep.equal(['list a b c'])
  })

  it('says once that the API server is gone, and once that it is back (R70-80)', async () => {
    server.fail({ kind: 'status', status: 500 }, listsOf(PATH), 20)
    start({}, 0.5)
    for (const ms of [400, 800, 1600, 3200, 6400, 12_800, 15_000]) {
      await eventually(() => clock.pending().includes(ms))
      expect(reflector.state).to.have.property('problem').that.includes('500')
      clock.advance(ms)
    }
    await eventually(() => clock.pending().includes(15_000))
    server.heal()
    clock.advance(15_000)
    await watching()
    expect(log.of('warn').map(({ message }) => message)).to.deep.equal(['reading failed, trying again'])
    expect(log.of('info').map(({ message }) => message)).to.deep.equal(['reading again'])
  })

  it('goes on after a line that is no JSON, from the version before it', async () => {
    await startWatching()
    server.sendLine(PATH, '{"type":\n')
    await clock.pass(400)
    await server.until(() => watches() === 2)
    expect(lastWatched()).to.equal('103')
  })

  it('reads one namespace where it is given one', async () => {
    const path = '/api/v1/namespaces/shop/services'
    server.serve(path, service('a'))
    const namespace = 'shop'
    const settings = SETTINGS
    const random = fixedRandom(0.5)
    const deps = {
      client,
      resource: RESOURCE,
      namespace,
      sink,
      settings,
      clock,
      timers: clock,
      random,
      log,
      onState: noop,
    }
    reflector = new Reflector(deps)
    ended = reflector.run(stop.signal)
    await server.until(() => server.watching(path) === 1)
    const reviewed = server.requests.filter((request) => request.path === REVIEW)
    expect(reviewed.map(({ body }) => JSON.parse(body).spec.resourceAttributes.namespace)).to.deep.equal([
      'shop',
      'shop',
    ])
  })

  for (const moment of ['listing', 'watching', 'waiting'] as const) {
    it(`ends at once when it is stopped while ${moment}`, async () => {
      if (moment === 'listing') server.fail({ kind: 'hang' }, listsOf(PATH))
      if (moment === 'waiting') server.fail({ kind: 'status', status: 500 }, listsOf(PATH))
      start()
      if (moment === 'listing') await server.until(() => lists() === 1)
      if (moment === 'watching') await watching()
      if (moment === 'waiting') await eventually(() => clock.pending().includes(400))
      stop.abort(new Error('over'))
      await ended
      expect(clock.pending()).to.deep.equal([])
    })
  }
})
