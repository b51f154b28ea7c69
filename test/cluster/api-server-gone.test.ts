// The API server goes and comes back. What serves goes on; what changed meanwhile is served afterwards.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { anyOf } from './fault-proxy.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'
import type { Ramjet } from './support/ramjet.ts'

const KINDS = ['Ingress', 'IngressClass', 'Service', 'EndpointSlice'] as const
const PLURALS = ['ingresses', 'ingressclasses', 'services', 'endpointslices'] as const
const GONE_MS = 60_000
/** Readers back off to 30 s at most (R70-112), and then it takes as long as a change does. */
const BACK_MS = 60_000
/** Each takes a few milliseconds. */
const LOOKS = 50

const expectUnready = async (ramjet: Ramjet, url: string): Promise<void> => {
  expect((await ramjet.readiness()).status).to.not.equal(200)
  const refused = await ramjet.get(url).catch((error: NodeJS.ErrnoException) => error.code)
  expect(refused).to.equal('ECONNREFUSED')
}

describe('an API server that is gone', function () {
  this.timeout(120_000)
  const stage = faultyScene()

  it('for a minute under traffic costs no answer and no readiness; a pod that starts then waits (R70-80, R70-81)', async function () {
    this.timeout(GONE_MS + 2 * BACK_MS + 60_000)
    const { proxy, namespace } = stage
    const ramjet = await stage.start()
    const url = `http://${namespace.host('shop')}/`
    for (const name of ['old', 'new']) await namespace.service(name)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'old', '/known': 'new' } })
    const traffic = await ramjet.traffic(url, 'old')

    const goneAtMs = performance.now()
    await proxy.goAway()
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
    const restarted = await stage.spawn()
    await eventually(async () => expect((await restarted.readiness()).status).to.equal(503))
    let ageSeconds = 0
    while (performance.now() - goneAtMs < GONE_MS) {
      await traffic.flow(2_000)
      expect((await ramjet.readiness()).status).to.equal(200)
      await expectUnready(restarted, url)
      const ages = await Promise.all(KINDS.map((kind) => ramjet.metric(`ramjet_last_sync_age_seconds{kind="${kind}"}`)))
      expect(Math.min(...ages.map(Number))).to.be.at.least(ageSeconds)
      ageSeconds = Math.floor(Math.min(...ages.map(Number)))
    }
    expect(ageSeconds).to.be.at.least(GONE_MS / 1000 - 2)
    // One line when a kind breaks off, one when nobody listens any more, none for each of the many tries after that.
    const told = readFileSync(ramjet.process.log, 'utf8').match(/"reading failed/g) ?? []
    expect(told).to.have.lengthOf.within(KINDS.length, 3 * KINDS.length)

    await traffic.turn('new', () => proxy.comeBack(), BACK_MS)
    await traffic.flow()
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    await eventually(async () => expect((await restarted.readiness()).status).to.equal(200), BACK_MS)
    expect((await restarted.get(url)).from).to.equal('new-1')
    await eventually(async () => {
      const age = await ramjet.metric('ramjet_last_sync_age_seconds{kind="Ingress"}')
      expect(age).to.be.below(BACK_MS / 1000 + 5)
    })
  })

  it('for a moment hides no edit, no deletion and no second life of an object (R70-87)', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start()
    const host = namespace.host('shop')
    for (const name of ['one', 'two', 'three']) await namespace.service(name)
    await namespace.ingress('first', { [host]: { '/': 'one' } })
    await namespace.ingress('second', { [host]: { '/': 'two', '/edited': 'two', '/gone': 'one' } })
    await namespace.ingress('gone', { [namespace.host('gone')]: { '/': 'one' } })
    await ramjet.serves(`http://${host}/`, 'one')
    await ramjet.serves(`http://${namespace.host('gone')}/`, 'one')

    await proxy.goAway()
    await namespace.deleteIngress('gone')
    await namespace.deleteIngress('first')
    const { metadata } = await namespace.ingress('second', { [host]: { '/': 'two', '/edited': 'three' } })
    // The second one is the older of the two only once the clock of the API server shows another second.
    await eventually(async () => {
      await namespace.deleteIngress('first')
      const again = await namespace.ingress('first', { [host]: { '/': 'one' } })
      expect(again.metadata['creationTimestamp']).to.not.equal(metadata['creationTimestamp'])
    })
    await proxy.comeBack()
    await eventually(async () => {
      for (const [path, from] of Object.entries({ '': 'two-1', edited: 'three-1' })) {
        expect((await ramjet.get(`http://${host}/${path}`)).from).to.equal(from)
      }
      expect((await ramjet.get(`http://${host}/gone`)).from).to.equal('two-1')
      expect((await ramjet.get(`http://${namespace.host('gone')}/`)).from).to.equal('404')
    }, BACK_MS)
  })
})

describe('a pod that starts', () => {
  const stage = faultyScene()

  it('opens no traffic port before the last of the required kinds was listed whole', async () => {
    const { proxy, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    const held = PLURALS.map((plural) => proxy.inject(anyOf(plural), { kind: 'hold' }))
    const ramjet = await stage.spawn()
    for (const [index, plural] of PLURALS.entries()) {
      const listing = new RegExp(`listing ${plural}\\b`)
      await eventually(async () => {
        expect(held[index]?.hits).to.be.above(0)
        expect((await ramjet.readiness()).body).to.match(listing)
      })
      // Long enough for whoever does not wait to compile, publish and listen.
      for (let again = 0; again < LOOKS; again += 1) await expectUnready(ramjet, url)
      held[index]?.lift()
      await eventually(async () => expect((await ramjet.readiness()).body).to.not.match(listing))
    }
    await ramjet.ready()
    expect((await ramjet.get(url)).from).to.equal('web-1')
  })
})
