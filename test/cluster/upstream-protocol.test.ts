// What is spoken to a Service port, and the way of clients to https: R21-31, R21-32, R11-57 on the real API server.
import { createServer, type Server } from 'node:https'
import { expect } from 'chai'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { POD_PORT, service } from '../../hack/cluster/objects.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'
import { nextPodAddress } from './support/addresses.ts'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

const NGINX = 'nginx.ingress.kubernetes.io'

describe('what is spoken to a backend', () => {
  const stage = scene()
  const servers: Server[] = []

  afterEach('stop the backends', () => {
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
  })

  /** A Service with one pod that speaks TLS and nothing else. */
  async function secured(name: string, { cert, key }: KeyPair): Promise<void> {
    const { namespace } = stage
    const address = nextPodAddress()
    const server = createServer({ cert, key }, (_request, response) => {
      response.end(`{"pod":"${name}-1"}`)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(POD_PORT, address, resolve))
    await namespace.apply(service(namespace.name, name))
    await namespace.endpoints(name, [{ address }])
  }

  function secret(name: string, data: Readonly<Record<string, string>>): KubeObject {
    return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: stage.namespace.name, name }, stringData: data }
  }

  async function told(): Promise<readonly string[]> {
    const warnings = await stage.ramjet.warnings(stage.namespace.name)
    return warnings.map(({ reason, object, field }) => `${reason} ${object.name} ${field.replace(`${NGINX}/`, '')}`)
  }

  async function backendOf(name: string): Promise<unknown> {
    const { backends } = (await stage.ramjet.admin('/admin/backends')) as { backends: readonly AdminBackend[] }
    const found = backends.find(({ backend }) => backend === `${stage.namespace.name}/${name}:80`)
    return found && { protocol: found.protocol, tls: found.tls }
  }

  it('R21-31: HTTPS is dialled by TLS, and told where nobody asked for verification', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await secured('web', makeCertificate(['web.internal']))
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, '502')
    await namespace.annotate('shop', { [`${NGINX}/backend-protocol`]: 'https' })
    await ramjet.serves(`http://${host}/`, 'web-1')
    const unverified = { protocol: 'HTTPS', tls: { verify: false, server_name: null } }
    await eventually(async () => expect(await backendOf('web')).to.deep.equal(unverified))
    await eventually(async () => expect(await told()).to.deep.equal(['UpstreamNotVerified shop proxy-ssl-verify']))
  })

  it('R21-32, R11-162: verification fails closed until its Secret is good, and is never skipped', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    const authority = makeCertificate(['ca.internal'], { isAuthority: true })
    await secured('web', makeCertificate(['web.internal'], { issuer: authority }))
    const annotations = {
      [`${NGINX}/backend-protocol`]: 'HTTPS',
      [`${NGINX}/proxy-ssl-secret`]: 'upstream',
      [`${NGINX}/proxy-ssl-verify`]: 'on',
      [`${NGINX}/proxy-ssl-name`]: 'web.internal',
    }
    await namespace.ingress('shop', { [host]: { '/': 'web' } }, { annotations })
    await ramjet.serves(`http://${host}/`, '503')
    await eventually(async () => expect(await told()).to.deep.equal(['AccessRuleInvalid shop proxy-ssl-secret']))
    await namespace.apply(secret('upstream', { 'ca.crt': authority.cert }))
    await ramjet.serves(`http://${host}/`, 'web-1')
    await eventually(async () => expect(await told()).to.deep.equal([]))
    const verified = { protocol: 'HTTPS', tls: { verify: true, server_name: 'web.internal' } }
    await eventually(async () => expect(await backendOf('web')).to.deep.equal(verified))
    await namespace.apply(secret('upstream', { 'ca.crt': makeCertificate(['x'], { isAuthority: true }).cert }))
    await ramjet.serves(`http://${host}/`, '502')
    await namespace.apply(secret('upstream', { 'ca.crt': 'broken' }))
    await ramjet.serves(`http://${host}/`, '503')
  })

  it('R11-57: who comes by http is sent to https once the host has TLS', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web')
    const annotations = { [`${NGINX}/ssl-redirect`]: 'true' }
    const shop = await namespace.ingress('shop', { [host]: { '/': 'web' } }, { annotations })
    await ramjet.serves(`http://${host}/`, 'web-1')
    const { cert, key } = makeCertificate([host])
    const pair = { 'tls.crt': cert, 'tls.key': key }
    await namespace.apply({ ...secret('shop', pair), type: 'kubernetes.io/tls' })
    const spec = { ...(shop['spec'] as object), tls: [{ hosts: [host], secretName: 'shop' }] }
    await namespace.apply({ ...shop, metadata: { namespace: namespace.name, name: 'shop', annotations }, spec })
    await ramjet.serves(`http://${host}/`, '308')
    const { headers } = await ramjet.get(`http://${host}/cart?x=1`)
    expect(headers.location).to.equal(`https://${host}:8443/cart?x=1`)
  })
})

interface AdminBackend {
  readonly backend: string
  readonly protocol: string
  readonly tls: unknown
}
