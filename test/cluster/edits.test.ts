// An Ingress changes while requests run: each request gets the answer that was right when it began, and none is lost.
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

describe('an Ingress under traffic', () => {
  const stage = scene()

  it('is made, edited and deleted without one wrong or lost answer (R00-13)', async () => {
    const { ramjet, namespace } = stage
    const [host, calm] = [namespace.host('shop'), namespace.host('calm')]
    for (const name of ['old', 'new', 'other']) await namespace.service(name)
    // All three Services are known before the clock starts, so that only the Ingress's own edits are looked at.
    await namespace.ingress('calm', { [calm]: { '/': 'other', '/old': 'old', '/new': 'new' } })
    for (const [path, name] of Object.entries({ '': 'other', old: 'old', new: 'new' })) {
      await ramjet.serves(`http://${calm}/${path}`, name)
    }

    const bystander = await ramjet.traffic(`http://${calm}/`, 'other')
    const traffic = await ramjet.traffic(`http://${host}/`, '404')
    await traffic.flow()
    await traffic.turn('old', () => namespace.ingress('shop', { [host]: { '/': 'old' } }))
    await traffic.flow()
    await traffic.turn('new', () => namespace.ingress('shop', { [host]: { '/': 'new' } }))
    await traffic.flow()
    await traffic.turn('404', () => namespace.deleteIngress('shop'))
    await traffic.flow()

    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    expect(await bystander.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('turns from Service to Service twenty times without one wrong or lost answer', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    for (const name of ['a', 'b']) await namespace.service(name)
    await namespace.ingress('both', { [namespace.host('both')]: { '/a': 'a', '/b': 'b' } })
    await ramjet.serves(`http://${namespace.host('both')}/b`, 'b')
    await namespace.ingress('shop', { [host]: { '/': 'b' } })
    await ramjet.serves(`http://${host}/`, 'b')

    const traffic = await ramjet.traffic(`http://${host}/`, 'b')
    for (let round = 0; round < 10; round += 1) {
      await traffic.turn('a', () => namespace.ingress('shop', { [host]: { '/': 'a' } }))
      await traffic.turn('b', () => namespace.ingress('shop', { [host]: { '/': 'b' } }))
    }
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('leaves a request in flight on the route that it began with (R00-13)', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('slow')
    const [pod] = await namespace.service('old')
    await namespace.service('new')
    await namespace.ingress('slow', { [host]: { '/': 'old' } })
    await ramjet.serves(`http://${host}/`, 'old')
    const seen = pod?.requests ?? 0

    const slow = ramjet.get(`http://${host}/?delay=1500`)
    await eventually(() => expect(pod?.requests).to.equal(seen + 1))
    await namespace.ingress('slow', { [host]: { '/': 'new' } })
    await ramjet.serves(`http://${host}/`, 'new')
    expect((await slow).from).to.equal('old-1')
  })
})
