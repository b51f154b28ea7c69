// Thousands of objects come in pages: ready is who has them all, and a page that fails takes the whole list with it.
import { expect } from 'chai'
import type { ApiServer } from '../../hack/cluster/api-server.ts'
import { anyOf, type Fault, FaultProxy, laterPageOf, listOf, type SeenRequest } from './fault-proxy.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet, type RamjetOptions } from './support/ramjet.ts'
import { TestNamespace } from './support/test-namespace.ts'

const COUNT = 3_000
const AT_ONCE = 24

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

describe(`${COUNT} Ingresses`, function () {
  this.timeout(180_000)
  let namespace: TestNamespace
  let uncached: ApiServer
  let proxy: FaultProxy
  let ramjet: Ramjet | undefined

  const url = (index: number): string => `http://${namespace.host(`h${index}`)}/`
  const spawn = async ({ flags = [] }: RamjetOptions = {}): Promise<Ramjet> => {
    ramjet = await Ramjet.spawn(theCluster(), { flags: ['--kube-apiserver', proxy.url, ...flags] })
    return ramjet
  }

  before('make them, and an API server without watch cache', async function () {
    this.timeout(240_000)
    namespace = await TestNamespace.create(theCluster())
    await namespace.service('web')
    uncached = await theCluster().another('no-watch-cache', ['--watch-cache=false'])
    await inParallel(COUNT, (index) =>
      namespace.ingress(`i${index}`, { [namespace.host(`h${index}`)]: { '/': 'web' } }),
    )
  })
  beforeEach(async () => {
    proxy = await FaultProxy.start(theCluster())
  })
  afterEach(async () => {
    proxy.heal()
    await ramjet?.stop()
    await proxy.stop()
  })
  after('remove them', async function () {
    this.timeout(240_000)
    await uncached.process.stop()
    await namespace.remove()
  })

  it('are all served from the first moment that a pod is ready, and none before (R72-7, R70-97)', async () => {
    const held = proxy.inject(laterPageOf('ingresses'), { kind: 'hold' })
    const starting = await spawn()
    await eventually(() => expect(held.hits).to.equal(1))
    expect((await starting.readiness()).body).to.match(/listing ingresses\b/)
    const refused = await starting.get(url(0)).catch((error: NodeJS.ErrnoException) => error.code)
    expect(refused).to.equal('ECONNREFUSED')
    held.lift()
    await starting.ready()
    const others: string[] = []
    await inParallel(COUNT, async (index) => {
      const { from } = await starting.get(url(index))
      if (from !== 'web-1') others.push(`${index}: ${from}`)
    })
    expect(others).to.deep.equal([])
    expect(proxy.seen(laterPageOf('ingresses')).length).to.be.at.least(COUNT / 500 - 1)
  })

  it('are listed from the first page again, whatever became of a later one, and half of them is never served', async () => {
    const faults: readonly Fault[] = [{ kind: 'cut' }, { kind: 'answer', status: 500 }, { kind: 'answer', status: 429 }]
    const laterPages = (): readonly SeenRequest[] => proxy.seen(laterPageOf('ingresses'))
    // The first later page of all meets the first fault, and so on: each ends a list of its own.
    for (const [index, fault] of faults.entries()) proxy.inject((request) => request === laterPages()[index], fault)
    const starting = await spawn()
    await eventually(async () => {
      const { status } = await starting.readiness()
      if (laterPages().length <= faults.length) expect(status).to.not.equal(200)
      expect(laterPages().length).to.be.above(faults.length)
    })
    await starting.ready()
    const ends = proxy
      .seen(anyOf('ingresses'))
      .filter(({ query }) => !query.has('watch'))
      .map(({ status, query }) => `${status}${query.has('continue') ? ' later' : ''}`)
    expect(ends.slice(0, 7)).to.deep.equal(['200', '0 later', '200', '500 later', '200', '429 later', '200'])
    expect(await starting.metric('ramjet_objects{kind="Ingress"}')).to.equal(COUNT)
    expect((await starting.get(url(COUNT - 1))).from).to.equal('web-1')
  })

  it('lose none while a list of them breaks off in its second page with 410, which is begun anew (R70-84)', async () => {
    proxy.forwardTo(uncached.url)
    const running = await spawn({ flags: ['--resync-period', '4s'] })
    await running.ready()
    const before = await running.serving()
    const held = proxy.inject(laterPageOf('ingresses'), { kind: 'hold' })
    const traffic = await running.traffic(url(COUNT - 1), 'web')
    await eventually(() => expect(held.hits).to.equal(1))
    // The version of the list's first page is forgotten before its second one is asked for.
    await namespace.endpoints('other', [])
    await theCluster().compact()
    held.lift()
    const expired = await eventually(() => {
      const [first] = proxy.seen((request) => laterPageOf('ingresses')(request) && request.status === 410)
      if (!first) throw new Error('no page was answered 410 yet')
      return first
    })
    const anew = (): readonly unknown[] =>
      proxy.seen((request) => listOf('ingresses')(request) && request.atMs > expired.atMs)
    await eventually(() => expect(anew()).to.have.lengthOf.above(0))
    await traffic.flow(1_000)
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    expect(await running.metric('ramjet_objects{kind="Ingress"}')).to.equal(COUNT)
    expect((await running.serving()).generation).to.equal(before.generation)
  })

  it('and a version that expired in a gap are listed anew; what changed meanwhile is served (R70-83, R70-87)', async () => {
    proxy.forwardTo(uncached.url)
    const running = await spawn()
    await running.ready()
    const traffic = await running.traffic(url(1), 'web')
    await proxy.goAway()
    await namespace.service('next')
    await namespace.deleteIngress('i2')
    await namespace.deleteIngress('i3')
    await namespace.ingress('i3', { [namespace.host('h3')]: { '/again': 'next' } })
    await namespace.ingress('i4', { [namespace.host('h4')]: { '/': 'next' } })
    await theCluster().compact()
    const listed = proxy.seen(listOf('ingresses')).length
    await proxy.comeBack()
    await eventually(async () => {
      const answers = [2, 3, 4].map(async (index) => (await running.get(url(index))).from)
      expect(await Promise.all(answers)).to.deep.equal(['404', '404', 'next-1'])
    }, 45_000)
    expect((await running.get(`${url(3)}again`)).from).to.equal('next-1')
    // One is what it takes; a list that breaks off on a busy machine is begun anew.
    expect(proxy.seen(listOf('ingresses')).length - listed).to.be.within(1, 3)
    await traffic.flow()
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })
})
