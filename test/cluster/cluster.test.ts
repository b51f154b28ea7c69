// The ground itself, without the product: if one of these fails, nothing else under test/cluster means anything.
import { expect } from 'chai'
import { kubectl } from '../../hack/cluster/install.ts'
import { KubeClient, KubeError } from '../../hack/cluster/kube-client.ts'
import { endpointSlice, POD_PORT, service } from '../../hack/cluster/objects.ts'
import { ask } from './support/ask.ts'
import { theCluster } from './support/cluster.ts'
import { namespaceForEach } from './support/scene.ts'

async function statusOf(pending: Promise<unknown>): Promise<number> {
  return pending.then(
    () => 200,
    (error: unknown) => (error instanceof KubeError ? error.status : 0),
  )
}

describe('the test cluster', () => {
  const namespace = namespaceForEach()

  it('is ready in little time (R90-14)', () => {
    // The time on a clock is as long as whatever else runs on the machine makes it.
    expect(theCluster().startedWithCpuMs).to.be.within(1, 15_000)
  })

  it('is of the pinned minor version, by its own kubectl (R90-6, R90-10)', async () => {
    const { serverVersion, clientVersion } = JSON.parse(await kubectl(theCluster(), ['version', '-o', 'json']))
    expect(`${serverVersion.major}.${serverVersion.minor}`).to.equal('1.37')
    expect(clientVersion.gitVersion).to.equal(serverVersion.gitVersion)
  })

  it('takes slices with pod addresses, and each of them can be reached (R90-2)', async () => {
    const pods = await namespace().service('echo', 2)
    for (const { address, name } of pods) {
      const answer = await ask({ address, port: POD_PORT, host: 'a.example', path: '/b?c=d' })
      expect([answer.from, answer.echo?.target]).to.deep.equal([name, '/b?c=d'])
    }
    const slice = await theCluster().admin.get(endpointSlice(namespace().name, 'echo', []))
    const stored = slice['endpoints'] as readonly { readonly addresses: readonly string[] }[]
    expect(stored.flatMap(({ addresses }) => addresses)).to.deep.equal(pods.map(({ address }) => address))
  })

  it('refuses loopback in a slice (R90-2)', async () => {
    await namespace().apply(service(namespace().name, 'echo'))
    const loopback = endpointSlice(namespace().name, 'echo', [{ address: '127.0.0.1' }])
    expect(await statusOf(namespace().apply(loopback))).to.equal(422)
  })

  it('shows a pod the address that its client is bound to, else its own (R90-3)', async () => {
    const [pod] = await namespace().service('echo')
    const target = { address: pod?.address ?? '', port: POD_PORT, host: 'a.example', path: '/' }
    const bound = await ask(target, { from: '10.244.255.9' })
    const unbound = await ask(target)
    expect([bound.echo?.client, unbound.echo?.client]).to.deep.equal(['10.244.255.9', pod?.address])
  })

  it('has no way out', async () => {
    const outside = ask({ address: '192.0.2.1', port: 80, host: 'a.example', path: '/' })
    const code = await outside.catch((error: NodeJS.ErrnoException) => error.code)
    expect(code).to.equal('ENETUNREACH')
  })

  it('gives a user without rights nothing (R90-18)', async () => {
    const { url, certificates } = theCluster()
    const viewer = new KubeClient(url, certificates, 'viewer')
    try {
      expect(await statusOf(viewer.request('GET', '/apis/networking.k8s.io/v1/ingresses'))).to.equal(403)
    } finally {
      await viewer.close()
    }
  })

  it('takes config/ a second time without a change (R50-28)', async () => {
    // A generation counts the changes of what was asked for; a status may be written meanwhile.
    const columns = 'custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid,GENERATION:.metadata.generation'
    const before = await kubectl(theCluster(), ['get', '-k', 'config', '-o', columns])
    await kubectl(theCluster(), ['apply', '--server-side', '-k', 'config'])
    expect(await kubectl(theCluster(), ['get', '-k', 'config', '-o', columns])).to.equal(before)
  })

  it('takes every sample', async () => {
    const applied = await kubectl(theCluster(), ['apply', '--dry-run=server', '-f', 'config/samples'])
    expect(applied.trim().split('\n')).to.have.lengthOf(2)
  })
})
