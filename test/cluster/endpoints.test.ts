// Pods come and go: endpoints are live beside the generation, and traffic does not notice.
import { expect } from 'chai'
import { endpointSlice, service } from '../../hack/cluster/objects.ts'
import { nextPodAddress } from './support/addresses.ts'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

describe('endpoints under traffic', () => {
  const stage = scene()

  it('flip twenty times without one wrong or lost answer, in one generation (R00-22, R30-4)', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    const [one, two] = [await namespace.pod('web-1'), await namespace.pod('web-2')]
    await namespace.apply(service(namespace.name, 'web'))
    await namespace.endpoints('web', [one])
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web-1')

    // Whatever an earlier test left to be cleared away has been published by now.
    await namespace.compiled(ramjet)
    const before = await ramjet.serving()
    const traffic = await ramjet.traffic(`http://${host}/`, 'web-1')
    for (let round = 0; round < 10; round += 1) {
      await traffic.turn('web-2', () => namespace.endpoints('web', [two]))
      await traffic.turn('web-1', () => namespace.endpoints('web', [one]))
    }
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    // The workers serve the last one before it is counted.
    const { generation, endpointsVersion } = before
    const after = { generation, endpointsVersion: endpointsVersion + 20 }
    await eventually(async () => expect(await ramjet.serving()).to.include(after))
  })

  it('are rolled one by one, each pod killed once it is out, without a lost answer', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    let pods = await namespace.service('web', 3)
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')

    const traffic = await ramjet.traffic(`http://${host}/`, 'web')
    for (const leaving of pods) {
      const next = await namespace.pod(`web-${leaving.name.replace('web-', '')}0`)
      const staying = pods.filter((pod) => pod !== leaving)
      pods = [...staying, next]
      const ending = { address: leaving.address, ready: false, serving: true, terminating: true }
      await namespace.endpoints('web', [...pods, ending])
      await eventually(async () => {
        const seen = leaving.requests
        await traffic.flow(30)
        if (leaving.requests > seen) throw new Error(`${leaving.name} still gets requests`)
      })
      await namespace.endpoints('web', pods)
      await leaving.stop()
      await traffic.flow()
    }
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('that refuse connections cost no answer while another one is left (R20-127)', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    const [pod] = await namespace.service('web')
    await namespace.endpoints('web', [{ address: nextPodAddress() }, { address: pod?.address ?? '' }])
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')
    const traffic = await ramjet.traffic(`http://${host}/`, 'web')
    await traffic.flow(300)
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('of a Service that appears late heal the route step by step (R10-36, R10-37)', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('late')}/`
    const reasons = async (): Promise<string[]> =>
      (await ramjet.warnings(namespace.name)).map(({ reason, object }) => `${reason} ${object.name}`)

    await namespace.ingress('late', { [namespace.host('late')]: { '/': 'web' } })
    await ramjet.serves(url, '503')
    expect(await reasons()).to.deep.equal(['UnresolvableService late'])

    const pod = await namespace.pod('web-1')
    await namespace.apply(service(namespace.name, 'web'))
    await eventually(async () => {
      const { status, headers } = await ramjet.get(url)
      expect([status, headers['retry-after']]).to.deep.equal([503, '1'])
    })
    expect(await reasons()).to.deep.equal(['EndpointsMissing late'])

    await namespace.apply(endpointSlice(namespace.name, 'web', [{ address: pod.address }]))
    await ramjet.serves(url, 'web-1')
    await eventually(async () => expect(await reasons()).to.deep.equal([]))
  })
})
