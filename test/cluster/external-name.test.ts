// Services of type ExternalName behind --allow-external-name: a live resolver, and addresses that are judged (R10-38).
import { expect } from 'chai'
import { type EchoPod, startEchoPod } from '../../hack/cluster/echo-server.ts'
import { POD_PORT } from '../../hack/cluster/objects.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { NameServer } from './support/name-server.ts'
import { ADMIN_PORT, Ramjet } from './support/ramjet.ts'
import { reasonsIn } from './support/rows.ts'
import { scene } from './support/scene.ts'

/** What a name resolves to that must never be dialled (R20-184), of every range that a name server can spell. */
const DENIED = [
  '0.0.0.0',
  '127.0.0.1',
  '127.8.8.8',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'ff02::1',
  'fd00:ec2::254',
  '0:0:0:0:0:ffff:7f00:1',
  '64:ff9b::a9fe:a9fe',
]

describe('a Service of type ExternalName', () => {
  const stage = scene({ flags: ['--allow-external-name'] })
  let names: NameServer

  before(async () => {
    names = await NameServer.start()
  })
  after(async () => {
    await names.stop()
  })

  /** A Service `far` that stands for NAMESPACE.far.example, and an Ingress to it; resolves with URL and name. */
  async function external(port: number = POD_PORT): Promise<{ readonly url: string; readonly name: string }> {
    const { namespace } = stage
    const name = `${namespace.name}.far.example`
    const host = namespace.host('shop')
    const spec = { type: 'ExternalName', externalName: name, ports: [{ name: 'http', port: 80, targetPort: port }] }
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'far', namespace: namespace.name },
      spec,
    })
    await namespace.ingress('shop', { [host]: { '/': 'far' } })
    return { url: `http://${host}/`, name }
  }

  const reasons = async (): Promise<readonly string[]> => reasonsIn(stage.ramjet, stage.namespace)

  it('is dialled where its name leads, by the target port, and follows the name within its time to live', async () => {
    const { ramjet, namespace } = stage
    const [old, next] = [await namespace.pod('old-1'), await namespace.pod('new-1')]
    const name = `${namespace.name}.far.example`
    names.set(name, { addresses: [old.address], ttlSeconds: 1 })
    const { url } = await external()
    const traffic = await ramjet.traffic(url, 'old')
    await namespace.compiled(ramjet)
    const { generation, endpointsVersion } = await ramjet.serving()
    names.set(name, { addresses: [next.address], ttlSeconds: 1 })
    await traffic.turn('new', async () => {})
    await traffic.flow()
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    // The workers serve it before it is counted.
    const after = { generation, endpointsVersion: endpointsVersion + 1 }
    await eventually(async () => expect(await ramjet.serving()).to.include(after))
    expect(await reasons()).to.deep.equal([])
  })

  it('is asked for once as long as its time to live says, and by port number where it lists none', async () => {
    const { ramjet, namespace } = stage
    const pod = await namespace.pod('far-1')
    const { name, url } = await external()
    const metadata = { name: 'bare', namespace: namespace.name }
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { type: 'ExternalName', externalName: `bare.${name}` },
    })
    names.set(`bare.${name}`, { addresses: [pod.address], ttlSeconds: 60 })
    names.set(name, { addresses: [pod.address], ttlSeconds: 1 })
    await namespace.ingress('bare', { [namespace.host('bare')]: { '/': `bare:${POD_PORT}` } })
    await ramjet.serves(`http://${namespace.host('bare')}/`, 'far')
    await eventually(() => expect(names.asked(name)).to.be.at.least(3))
    expect((await ramjet.get(url)).from).to.equal('far-1')
    expect(names.asked(`bare.${name}`)).to.equal(1)
  })

  for (const failure of ['SERVFAIL', 'silence'] as const) {
    it(`keeps what it resolved to while the name server fails (${failure}), and asks again`, async function () {
      this.timeout(90_000)
      const { ramjet, namespace } = stage
      const [old, next] = [await namespace.pod('old-1'), await namespace.pod('new-1')]
      const name = `${namespace.name}.far.example`
      names.set(name, { addresses: [old.address], ttlSeconds: 1 })
      const { url } = await external()
      const traffic = await ramjet.traffic(url, 'old')
      const asked = names.asked(name)
      names.set(name, { failure })
      await eventually(() => expect(names.asked(name)).to.be.at.least(asked + 4))
      await traffic.flow()
      names.set(name, { addresses: [next.address], ttlSeconds: 1 })
      await traffic.turn('new', async () => {})
      expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    })
  }

  it('answers 503 with Retry-After while its name does not exist, and heals when it does', async () => {
    const { ramjet, namespace } = stage
    const pod = await namespace.pod('far-1')
    const { url, name } = await external()
    // The Service may be known only after its Ingress, and until then that is another 503.
    await eventually(async () => {
      const { status, headers } = await ramjet.get(url)
      expect([status, headers['retry-after']]).to.deep.equal([503, '1'])
    })
    await eventually(() => expect(names.asked(name)).to.be.at.least(1))
    expect(await reasons()).to.deep.equal(['EndpointsMissing shop'])
    names.set(name, { addresses: [pod.address], ttlSeconds: 60 })
    await eventually(async () => expect((await ramjet.get(url)).from).to.equal('far-1'))
    expect(await reasons()).to.deep.equal([])
  })

  describe('whose name leads where nobody may be led (R20-184)', () => {
    let inner: EchoPod

    before('listen on loopback', async () => {
      inner = await startEchoPod({ name: 'inner-1', address: '127.0.0.1' })
    })
    after(async () => {
      await inner.stop()
    })

    it('dials no such address, says so, and uses the others', async () => {
      const { ramjet, namespace } = stage
      const pod = await namespace.pod('far-1')
      const name = `${namespace.name}.far.example`
      names.set(name, { addresses: DENIED, ttlSeconds: 1 })
      const { url } = await external()
      await ramjet.serves(url, '503')
      await eventually(async () =>
        expect(await reasons()).to.have.members(['EndpointsMissing shop', 'UpstreamAddressDenied shop']),
      )
      names.set(name, { addresses: [...DENIED, pod.address], ttlSeconds: 1 })
      await ramjet.serves(url, 'far')
      for (let again = 0; again < 2 * DENIED.length; again += 1) expect((await ramjet.get(url)).from).to.equal('far-1')
      expect(await reasons()).to.deep.equal(['UpstreamAddressDenied shop'])
      expect(inner.requests).to.equal(0)
    })

    it('does not reach our own admin port either', async () => {
      const { ramjet, namespace } = stage
      names.set(`${namespace.name}.far.example`, { addresses: [ramjet.address], ttlSeconds: 1 })
      const { url } = await external(ADMIN_PORT)
      await ramjet.serves(`${url}healthz`, '503')
      await eventually(async () => expect(await reasons()).to.include('UpstreamAddressDenied shop'))
      expect((await ramjet.get(`${url}healthz`)).from).to.equal('503')
    })

    it('dials the address that was judged, however the name changes its answer', async () => {
      const { ramjet, namespace } = stage
      const pod = await namespace.pod('far-1')
      const name = `${namespace.name}.far.example`
      // Good, bad, good, bad: by the number of questions for IPv4, of which this may be the next.
      names.set(name, () => ({ addresses: names.asked(name) % 2 === 1 ? [pod.address] : ['127.0.0.1'], ttlSeconds: 0 }))
      const { url } = await external()
      await ramjet.serves(url, 'far')
      const seen = new Set<string>()
      const until = names.asked(name) + 4
      while (names.asked(name) < until) seen.add((await ramjet.get(url)).from)
      expect([...seen].toSorted()).to.deep.equal(['503', 'far-1'])
      expect(inner.requests).to.equal(0)
    })
  })

  it('serves from the first moment that a pod is ready', async () => {
    const { namespace } = stage
    const pod = await namespace.pod('far-1')
    names.set(`${namespace.name}.far.example`, { addresses: [pod.address], ttlSeconds: 60, delayMs: 500 })
    const { url } = await external()
    const starting = await Ramjet.start(theCluster(), { flags: ['--allow-external-name'] })
    try {
      expect((await starting.get(url)).from).to.equal('far-1')
    } finally {
      await starting.stop()
    }
  })
})
