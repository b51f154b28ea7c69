// The API server answers, and with no: it is overloaded, broken, does not know us, does not let us, or has no such kind.
import { expect } from 'chai'
import { anyOf, type SeenRequest, watchOf } from './fault-proxy.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { expiringIdentity } from './support/expiring-identity.ts'
import { type FaultyScene, faultyScene } from './support/faulty-scene.ts'
import type { Ramjet } from './support/ramjet.ts'
import { makeAccount, REQUIRED_KINDS, reader, untilDecided } from './support/rbac.ts'

const KINDS = REQUIRED_KINDS.map(({ resource }) => resource)
const anything = (): boolean => true
/** Readers back off to 30 s at most (R70-112), and then it takes as long as a change does. */
const BACK_MS = 60_000
/** Long enough for a start on a busy machine. */
const TOKEN_SECONDS = 30

/** Two Services, and an Ingress that leads to the first; resolves with its URL once that serves. */
async function twoSides({ namespace }: FaultyScene, ramjet: Ramjet): Promise<string> {
  for (const name of ['old', 'new']) await namespace.service(name)
  await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'old', '/new': 'new' } })
  const url = `http://${namespace.host('shop')}/`
  await ramjet.serves(url, 'old')
  return url
}

/** Milliseconds between one request and the next. */
function gapsOf(requests: readonly SeenRequest[]): readonly number[] {
  return requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0))
}

describe('an API server that refuses everybody', function () {
  this.timeout(120_000)
  const stage = faultyScene()
  const edit = async (): Promise<void> => {
    const { namespace } = stage
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
  }

  it('by 429 is asked again when it said, by one request a kind, and costs no answer (R70-104)', async () => {
    const { proxy } = stage
    const ramjet = await stage.start()
    const traffic = await ramjet.traffic(await twoSides(stage, ramjet), 'old')
    const began = proxy.requests.length
    const storm = proxy.inject(anything, { kind: 'answer', status: 429, retryAfter: '2' })
    proxy.cut()
    await edit()
    await eventually(() => expect(storm.hits).to.be.at.least(3 * KINDS.length))
    expect((await ramjet.readiness()).status).to.equal(200)
    for (const kind of KINDS) {
      // The slices of our own admin Service have a watch of their own (R30-19).
      const refused = proxy.requests
        .slice(began)
        .filter(anyOf(kind))
        .filter(({ query }) => !query.has('labelSelector'))
      expect(Math.min(...gapsOf(refused)), kind).to.be.at.least(1_990)
    }
    await traffic.turn('new', async () => storm.lift(), BACK_MS)
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('by 500 is asked more and more seldom, and costs no answer (R70-112)', async () => {
    const { proxy } = stage
    const ramjet = await stage.start()
    const traffic = await ramjet.traffic(await twoSides(stage, ramjet), 'old')
    const began = proxy.requests.length
    const storm = proxy.inject(anything, { kind: 'answer', status: 500 })
    proxy.cut()
    await edit()
    const stormMs = 8_000
    const endsAtMs = performance.now() + stormMs
    while (performance.now() < endsAtMs) await traffic.flow()
    expect((await ramjet.readiness()).status).to.equal(200)
    // Waits of up to 0.8, 1.6, 3.2 and 6.4 s at random: 16 tries in 8 s come once in many millions of runs.
    const tries = KINDS.map((kind) => proxy.requests.slice(began).filter(anyOf(kind)).length)
    expect(Math.min(...tries)).to.be.at.least(2)
    expect(Math.max(...tries)).to.be.below(16)
    await traffic.turn('new', async () => storm.lift(), BACK_MS)
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('at the start of a pod keeps it unready, with the reason, until it answers', async () => {
    const { proxy, namespace } = stage
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    const storm = proxy.inject(anything, { kind: 'answer', status: 500 })
    const ramjet = await stage.spawn()
    await eventually(async () => {
      const { status, body } = await ramjet.readiness()
      expect(status).to.equal(503)
      for (const kind of KINDS) expect(body).to.match(new RegExp(`listing ${kind}\\b[^\\n]* answered 500`))
    })
    storm.lift()
    await ramjet.ready()
    expect((await ramjet.get(`http://${namespace.host('shop')}/`)).from).to.equal('web-1')
  })
})

describe('a token that expires', function () {
  this.timeout(240_000)
  const stage = faultyScene()

  it('is read anew from its file after a 401, long before its minute is over (R70-106, R50-6)', async () => {
    const { proxy } = stage
    const expiring = await expiringIdentity(theCluster(), TOKEN_SECONDS)
    const ramjet = await stage.start({ identity: expiring.folder })
    const traffic = await ramjet.traffic(await twoSides(stage, ramjet), 'old')
    await eventually(async () => expect(await expiring.isRefused()).to.equal(true), 90_000)
    proxy.cut()
    // The file still has the old one: refused twice, then waited.
    await eventually(() =>
      expect(
        proxy
          .seen(watchOf('ingresses'))
          .slice(-2)
          .map(({ status }) => status),
      ).to.deep.equal([401, 401]),
    )
    expect((await ramjet.readiness()).status).to.equal(200)
    expiring.renew()
    const { namespace } = stage
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
    await traffic.turn('new', async () => {}, BACK_MS)
    const [before, after] = proxy.seen(watchOf('ingresses')).slice(-2)
    if (!before || !after) throw new Error('there were two')
    expect([before.status, after.status]).to.deep.equal([401, 200])
    expect(before.authorization).to.equal(expiring.authorization)
    expect(after.authorization).to.not.equal(expiring.authorization)
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })
})

describe('a permission that is taken away', () => {
  const stage = faultyScene()

  it('costs nothing that was read, is told, and is taken up when it is back (R70-99)', async () => {
    const { proxy, namespace } = stage
    const account = await makeAccount(theCluster(), namespace, 'reader')
    const ramjet = await stage.start({ account, tunables: { askAgainMs: 500 } })
    const traffic = await ramjet.traffic(await twoSides(stage, ramjet), 'old')
    await namespace.applyGlobal(reader(account.name, 'ingresses'))
    // Whoever asks before the API server knows of it is let in once more, for as long as a watch lasts.
    await untilDecided(
      theCluster(),
      account,
      { group: 'networking.k8s.io', resource: 'ingresses', verb: 'watch' },
      false,
    )
    proxy.cut(watchOf('ingresses'))
    await eventually(async () => {
      const { warnings } = (await ramjet.admin('/admin/warnings')) as {
        warnings: readonly { reason: string; message: string }[]
      }
      // The account has no right to the optional kinds from the start.
      const forbidden = warnings.filter(({ reason }) => reason === 'KindForbidden').map(({ message }) => message)
      expect(forbidden.filter((message) => message.includes(' ingresses.'))).to.have.lengthOf(1)
    })
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
    await traffic.flow(500)
    expect((await ramjet.readiness()).status).to.equal(200)
    await traffic.turn('new', () => namespace.applyGlobal(reader(account.name)))
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })
})

describe('a kind that the API server does not serve', () => {
  const stage = faultyScene()
  let without: { readonly url: string; readonly process: { stop(): Promise<unknown> } } | undefined

  before('start an API server without EndpointSlices', async () => {
    // Its own parts wait in vain for EndpointSlices as well, and it serves all else.
    const flags = ['--runtime-config=discovery.k8s.io/v1=false']
    without = await theCluster().another('without-slices', flags, '/readyz?exclude=informer-sync')
  })
  after('stop it', async () => {
    await without?.process.stop()
  })

  it('keeps a pod that starts unready, by name, until it is served (R50-5)', async () => {
    const { proxy, namespace } = stage
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    proxy.forwardTo(without?.url ?? '')
    const ramjet = await stage.spawn({ tunables: { askAgainMs: 500 } })
    await eventually(async () => {
      const { status, body } = await ramjet.readiness()
      expect(status).to.equal(503)
      expect(body).to.include('does not serve endpointslices.discovery.k8s.io')
      for (const kind of ['ingresses', 'services']) expect(body).to.not.match(new RegExp(`listing ${kind}\\b`))
    })
    proxy.forwardTo(theCluster().url)
    await ramjet.ready()
    expect((await ramjet.get(`http://${namespace.host('shop')}/`)).from).to.equal('web-1')
  })

  it('any more keeps what was read of it, and is read again when it is back', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start({ tunables: { askAgainMs: 500 } })
    const url = `http://${namespace.host('shop')}/`
    const [one, two] = await namespace.service('web', 2)
    if (!one || !two) throw new Error('there are two pods')
    await namespace.endpoints('web', [one])
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    await ramjet.serves(url, 'web-1')
    const traffic = await ramjet.traffic(url, 'web-1')
    proxy.forwardTo(without?.url ?? '')
    proxy.cut()
    await eventually(() => expect(proxy.seen(anyOf('endpointslices')).at(-1)?.status).to.equal(404))
    await namespace.endpoints('web', [two])
    await traffic.flow(500)
    expect((await ramjet.readiness()).status).to.equal(200)
    await traffic.turn('web-2', async () => proxy.forwardTo(theCluster().url))
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })
})
