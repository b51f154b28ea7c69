// Watches that lie or fall silent: nobody says that anything is wrong, and what is served is right all the same.
import { expect } from 'chai'
import { listOf, watchOf } from './fault-proxy.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'

describe('a watch that falls silent without an end', () => {
  const stage = faultyScene()

  it('is taken for dead after its time, and read on from the last version (R70-82, R50-2)', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start({ flags: ['--watch-timeout', '2s'], tunables: { stallMarginMs: 500 } })
    const url = `http://${namespace.host('shop')}/`
    for (const name of ['old', 'new']) await namespace.service(name)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'old' } })
    await ramjet.serves(url, 'old')

    const silent = await eventually(() => {
      const [open] = proxy.seen((request) => watchOf('ingresses')(request) && request.isOpen && request.status === 200)
      if (!open) throw new Error('no watch is open')
      return open
    })
    const watches = proxy.seen(watchOf('ingresses')).length
    const stalled = proxy.inject((request) => request === silent, { kind: 'pause' })
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
    await eventually(() => expect(stalled.hits).to.equal(1))
    await ramjet.serves(url, 'new-1')
    // By another watch: of the silent one no byte has come since.
    expect(proxy.seen(watchOf('ingresses')).length).to.be.above(watches)
    await eventually(() => expect(silent.isOpen).to.equal(false))
    expect(proxy.seen(listOf('ingresses'))).to.have.lengthOf(1)
    expect((await ramjet.readiness()).status).to.equal(200)
  })

  it('does not keep the other kinds from being read', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start()
    const url = `http://${namespace.host('shop')}/`
    const [one, two] = await namespace.service('web', 2)
    if (!one || !two) throw new Error('there are two pods')
    await namespace.endpoints('web', [one])
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    await ramjet.serves(url, 'web-1')
    proxy.inject(watchOf('ingresses'), { kind: 'pause' })
    await namespace.endpoints('web', [two])
    await ramjet.serves(url, 'web-2')
  })
})

describe('a watch that loses events', () => {
  const stage = faultyScene()

  it('is mended by the safety relist, of an edit and of a deletion (R70-86, R30-8)', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start({ flags: ['--resync-period', '3s'] })
    const [shop, gone] = [`http://${namespace.host('shop')}/`, `http://${namespace.host('gone')}/`]
    for (const name of ['old', 'new']) await namespace.service(name)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'old' } })
    await namespace.ingress('gone', { [namespace.host('gone')]: { '/': 'old' } })
    await ramjet.serves(shop, 'old')
    await ramjet.serves(gone, 'old')

    const listed = proxy.seen(listOf('ingresses')).length
    const lost = proxy.inject(watchOf('ingresses'), { kind: 'drop', lines: ({ type }) => type !== 'BOOKMARK' })
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'new' } })
    await namespace.deleteIngress('gone')
    await ramjet.serves(shop, 'new')
    await ramjet.serves(gone, '404')
    // What we write onto Ingresses ourselves is lost as well.
    await eventually(() => expect(lost.hits).to.be.at.least(2))
    expect(proxy.seen(listOf('ingresses')).length).to.be.above(listed)
  })

  it('never publishes for a relist that brings nothing new (R30-7)', async () => {
    const { proxy, namespace } = stage
    const ramjet = await stage.start({ flags: ['--resync-period', '1s'] })
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    await ramjet.serves(`http://${namespace.host('shop')}/`, 'web')
    await namespace.compiled(ramjet)
    const before = await ramjet.serving()
    const listed = proxy.requests.length
    await eventually(() => {
      for (const plural of ['ingresses', 'ingressclasses', 'services', 'endpointslices']) {
        // The slices of our own admin Service have a watch of their own (R30-19).
        const lists = proxy.requests
          .slice(listed)
          .filter((one) => listOf(plural)(one) && !one.query.has('labelSelector'))
        expect(lists.length, plural).to.be.above(2)
      }
    })
    const { generation, endpointsVersion } = await ramjet.serving()
    expect({ generation, endpointsVersion }).to.deep.equal({
      generation: before.generation,
      endpointsVersion: before.endpointsVersion,
    })
  })
})
