// Certificates of Secrets on the real API server: R21-8 to R21-15, R70-93.
import { join } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { ask } from './support/ask.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { ADMIN_PORT, Ramjet } from './support/ramjet.ts'
import { makeAccount, READ } from './support/rbac.ts'
import { namespaceForEach, scene } from './support/scene.ts'
import type { TestNamespace } from './support/test-namespace.ts'
import { fingerprintOf, handshake, resumes, sessionOf, tlsSecret } from './support/tls.ts'

const TOKEN = 'a-token-of-the-test'
const RBAC = 'rbac.authorization.k8s.io'

interface CertificateRow {
  readonly namespace: string
  readonly secret: string
  readonly state: string
  readonly reason: string | null
  readonly hosts: readonly string[]
  readonly names: readonly string[]
}

async function serves(ramjet: Ramjet, host: string, pair: KeyPair | 'refused'): Promise<void> {
  const wanted = pair === 'refused' ? pair : fingerprintOf(pair)
  await eventually(async () => expect(await handshake(ramjet, host)).to.equal(wanted))
}

async function told(ramjet: Ramjet, { name }: TestNamespace): Promise<readonly string[]> {
  const warnings = await ramjet.warnings(name)
  return warnings
    .filter(({ reason }) => reason !== 'UnresolvableService')
    .map(({ reason, object, field }) => `${reason} ${object.name} ${field}`)
}

/** Reasons of the Events on an Ingress. */
async function eventsOf({ name }: TestNamespace, ingress: string): Promise<readonly string[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/${name}/events`
  const { items } = (await theCluster().admin.request('GET', path)) as {
    readonly items: readonly { readonly reason: string; readonly regarding?: { readonly name?: string } }[]
  }
  return items.filter(({ regarding }) => regarding?.name === ingress).map(({ reason }) => reason)
}

async function rowsOf(ramjet: Ramjet, { name }: TestNamespace): Promise<readonly CertificateRow[]> {
  const { certificates } = (await ramjet.admin('/admin/certificates')) as { certificates: readonly CertificateRow[] }
  return certificates.filter(({ namespace }) => namespace === name)
}

/** Pins a generation, or releases the pin. */
async function pin({ address }: Ramjet, body: { readonly generation: number } | undefined): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const target = { address, port: ADMIN_PORT, host: address, path: '/admin/rollback' }
  const { status } = body
    ? await ask(target, { method: 'POST', headers, body: JSON.stringify(body) })
    : await ask(target, { method: 'DELETE', headers })
  expect(status).to.equal(200)
}

/** The right to read one Secret, and no other. */
function namedReader(namespace: string, secret: string): KubeObject {
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: READ }]
  return { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { namespace, name: 'named' }, rules }
}

function namedBinding(namespace: string, account: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { namespace, name: 'named' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'named' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  }
}

describe('certificates of Secrets', () => {
  const dir = temporaryFolder('certificates', { token: TOKEN })
  const tokenFile = join(dir, 'token')
  const stage = scene({ flags: ['--certificate-grace', '12s', '--admin-token-file', tokenFile] })
  let first: KeyPair
  let second: KeyPair

  before('make certificates', () => {
    first = makeCertificate(['web.example', '*.wild.example'])
    second = makeCertificate(['web.example'])
  })

  const put = (name: string, pair: KeyPair, type?: string) =>
    theCluster().admin.apply(tlsSecret(stage.namespace.name, name, pair, type))

  it('R21-13: one that comes late is served at once, and until then plain HTTP and every other name are', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    const [late, other] = [namespace.host('late'), namespace.host('other')]
    await put('other', second)
    await namespace.ingress('other', { [other]: { '/': 'web' } }, { tls: [{ hosts: [other], secretName: 'other' }] })
    await namespace.ingress(
      'late',
      { [late]: { '/': 'web' } },
      {
        tls: [{ hosts: [late], secretName: 'late' }],
        annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' },
      },
    )
    await serves(ramjet, other, second)
    await ramjet.serves(`http://${late}/`, 'web')
    await serves(ramjet, late, 'refused')
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['InvalidCertificate late spec.tls[0].secretName'])
      expect(await eventsOf(namespace, 'late')).to.include('InvalidCertificate')
    })
    await put('late', first)
    await serves(ramjet, late, first)
    await eventually(async () => expect(await told(ramjet, namespace)).to.deep.equal([]))
  })

  it('R21-14: one that is rotated serves anew, and one that breaks then serves its last good pair, told and listed', async () => {
    const { ramjet, namespace } = stage
    const [web, other] = [namespace.host('web'), namespace.host('other')]
    await put('tls', first)
    await put('other', second)
    await namespace.ingress('web', { [web]: { '/': 'web' } }, { tls: [{ hosts: [web], secretName: 'tls' }] })
    await namespace.ingress('other', { [other]: { '/': 'web' } }, { tls: [{ hosts: [other], secretName: 'other' }] })
    await serves(ramjet, web, first)
    await put('tls', second)
    await serves(ramjet, web, second)
    await put('tls', { cert: first.cert, key: second.key })
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['LastGoodCertificate web spec.tls[0].secretName'])
    })
    expect(await handshake(ramjet, web)).to.equal(fingerprintOf(second))
    expect(await handshake(ramjet, other)).to.equal(fingerprintOf(second))
    const [row] = (await rowsOf(ramjet, namespace)).filter(({ secret }) => secret === 'tls')
    expect(row).to.deep.include({
      state: 'last-good',
      reason: 'has a key that does not belong to the certificate',
      hosts: [other, web].toSorted(),
    })
    await put('tls', first)
    await serves(ramjet, web, first)
    await eventually(async () => expect(await told(ramjet, namespace)).to.deep.equal([]))
  })

  it('R21-14: one that is deleted serves until the grace ends, and the name is refused then', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    const host = namespace.host('web')
    await put('tls', first)
    await namespace.ingress(
      'web',
      { [host]: { '/': 'web' } },
      {
        tls: [{ hosts: [host], secretName: 'tls' }],
        annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' },
      },
    )
    await serves(ramjet, host, first)
    await theCluster().admin.delete(tlsSecret(namespace.name, 'tls', first))
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['LastGoodCertificate web spec.tls[0].secretName'])
    })
    expect(await handshake(ramjet, host)).to.equal(fingerprintOf(first))
    await serves(ramjet, host, 'refused')
    expect(await told(ramjet, namespace)).to.deep.equal(['InvalidCertificate web spec.tls[0].secretName'])
    await ramjet.serves(`http://${host}/`, 'web')
    await eventually(async () =>
      expect(await eventsOf(namespace, 'web')).to.include.members(['LastGoodCertificate', 'InvalidCertificate']),
    )
  })

  it('R21-12: of two Ingresses that want different certificates for a host the older keeps it, and the newer is told', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('web')
    await put('first', first)
    await put('second', second)
    // Made in one second, their names decide.
    await namespace.ingress('a-older', { [host]: { '/': 'web' } }, { tls: [{ hosts: [host], secretName: 'first' }] })
    await namespace.ingress('b-newer', { [host]: { '/x': 'web' } }, { tls: [{ hosts: [host], secretName: 'second' }] })
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['TLSHostConflict b-newer spec.tls[0].hosts'])
      expect(await eventsOf(namespace, 'b-newer')).to.include('TLSHostConflict')
    })
    // It is told by what was compiled, which is served a moment later.
    await namespace.compiled(ramjet)
    expect(await handshake(ramjet, host)).to.equal(fingerprintOf(first))
    await namespace.deleteIngress('a-older')
    await serves(ramjet, host, second)
  })

  it('R21-10, R21-11: one of the type Opaque serves, and without hosts the names of its certificate', async () => {
    const { ramjet, namespace } = stage
    const wildcard = makeCertificate([`*.${namespace.name}.example`])
    await put('opaque', wildcard, 'Opaque')
    await namespace.ingress('web', {}, { defaultBackend: 'web', tls: [{ secretName: 'opaque' }] })
    await serves(ramjet, namespace.host('any'), wildcard)
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['OpaqueTLSSecret web spec.tls[0].secretName'])
    })
    await put('opaque', { ...wildcard, cert: second.cert }, 'Opaque')
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['LastGoodCertificate web spec.tls[0].secretName'])
    })
  })

  it('R21-15: one that is about to end serves, is told to its Ingress, listed and measured', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('web')
    const ending = makeCertificate([host], { days: 5 })
    await put('ending', ending)
    await namespace.ingress('web', {}, { defaultBackend: 'web', tls: [{ secretName: 'ending' }] })
    await serves(ramjet, host, ending)
    await eventually(async () => {
      expect(await told(ramjet, namespace)).to.deep.equal(['CertificateExpiring web spec.tls[0].secretName'])
      expect(await eventsOf(namespace, 'web')).to.include('CertificateExpiring')
    })
    const [row] = await rowsOf(ramjet, namespace)
    expect(row).to.deep.include({ state: 'expiring', hosts: [host], names: [host] })
    const series = `ramjet_certificate_expiry_seconds{namespace="${namespace.name}",secret="ending"}`
    const inDays = ((await ramjet.metric(series)) ?? 0) / 86_400 - Date.now() / 86_400_000
    expect(inDays).to.be.within(4.9, 5)
    await put('ending', makeCertificate([host]))
    await eventually(async () => expect(await told(ramjet, namespace)).to.deep.equal([]))
  })

  it('R30-20, R21-19: a rotation is one in the history of generations, and a rollback brings the certificate back', async () => {
    const { ramjet, namespace } = stage
    const hosts = [namespace.host('a'), namespace.host('b')]
    await put('tls', first)
    await namespace.ingress('web', {}, { defaultBackend: 'web', tls: [{ hosts, secretName: 'tls' }] })
    await serves(ramjet, namespace.host('a'), first)
    await put('tls', second)
    await serves(ramjet, namespace.host('a'), second)
    // One worker may serve it before all do, and until then the number is that of before.
    await namespace.compiled(ramjet)
    const before = (await ramjet.serving()).generation
    await put('tls', first)
    await serves(ramjet, namespace.host('a'), first)
    await pin(ramjet, { generation: before })
    await serves(ramjet, namespace.host('a'), second)
    await pin(ramjet, undefined)
    await serves(ramjet, namespace.host('a'), first)
    const { generations } = (await ramjet.admin('/admin/generations')) as {
      generations: readonly { readonly certs: number; readonly diff: { readonly certs_rotated: readonly string[] } }[]
    }
    const [newest] = generations
    expect(newest?.diff.certs_rotated.join()).to.match(/^a\.\S+, b\.\S+: [0-9a-f]{32} -> [0-9a-f]{32}$/)
    expect(newest?.certs).to.be.greaterThan(0)
  })
})

describe('an account that may not list Secrets', () => {
  const namespace = namespaceForEach()
  let ramjet: Ramjet | undefined

  afterEach(async () => {
    await ramjet?.stop()
    ramjet = undefined
  })

  it('R30-48, R70-15: serves by those that it may read by name, and is told of all others', async () => {
    const pair = makeCertificate(['web.example'])
    const { name } = namespace()
    const account = await makeAccount(theCluster(), namespace(), 'reader')
    await namespace().applyGlobal(namedReader(name, 'granted'))
    await namespace().applyGlobal(namedBinding(name, account.name))
    ramjet = await Ramjet.start(theCluster(), { account })
    const [granted, other] = [namespace().host('granted'), namespace().host('other')]
    const tls = [
      { hosts: [granted], secretName: 'granted' },
      { hosts: [other], secretName: 'other' },
    ]
    await theCluster().admin.apply(tlsSecret(name, 'granted', pair))
    await theCluster().admin.apply(tlsSecret(name, 'other', pair))
    await namespace().ingress('web', {}, { defaultBackend: 'web', tls })
    await serves(ramjet, granted, pair)
    await serves(ramjet, other, 'refused')
    const running = ramjet
    await eventually(async () => {
      const [warning, ...others] = (await running.warnings(name)).filter(
        ({ reason }) => reason === 'InvalidCertificate',
      )
      expect([warning?.field, others]).to.deep.equal(['spec.tls[1].secretName', []])
      expect(warning?.message).to.contain('may not be read')
    })
  })
})

describe('the default certificate', () => {
  const namespace = namespaceForEach()
  let ramjet: Ramjet | undefined

  afterEach(async () => {
    await ramjet?.stop()
    ramjet = undefined
  })

  it('R21-9: comes from its Secret in whatever namespace, live; what is made at start stands in for it', async () => {
    const [first, second] = [makeCertificate(['default.example']), makeCertificate(['default.example'])]
    const { name } = namespace()
    // Another namespace is the one that is watched.
    const flags = ['--watch-namespace', 'default', '--default-tls-secret', `${name}/fallback`, '--self-signed-default']
    ramjet = await Ramjet.start(theCluster(), { flags })
    const own = await handshake(ramjet, 'nobody.example')
    expect(own).to.match(/^[0-9A-F:]{95}$/)
    await theCluster().admin.apply(tlsSecret(name, 'fallback', first))
    await serves(ramjet, 'nobody.example', first)
    await theCluster().admin.apply(tlsSecret(name, 'fallback', second))
    await serves(ramjet, 'nobody.example', second)
    expect(await rowsOf(ramjet, namespace()))
      .to.have.nested.property('[0].hosts')
      .deep.equal(['*'])
  })
})

describe('keys of session tickets', () => {
  const namespace = namespaceForEach()
  const running: Ramjet[] = []

  afterEach(async () => {
    for (const ramjet of running.splice(0)) await ramjet.stop()
  })

  async function replica(...flags: readonly string[]): Promise<Ramjet> {
    const ramjet = await Ramjet.start(theCluster(), { workers: 1, flags: ['--self-signed-default', ...flags] })
    running.push(ramjet)
    return ramjet
  }

  const put = (text: string) =>
    theCluster().admin.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: namespace().name, name: 'tickets' },
      stringData: { 'ticket.key': text },
    })

  it('R21-24: those of a Secret let a client resume at another replica, until the Secret has others', async () => {
    await put('1'.repeat(48))
    const flag = ['--ticket-key-secret', `${namespace().name}/tickets`]
    const [one, other, alone] = [await replica(...flag), await replica(...flag), await replica()]
    const host = 'any.example'
    await eventually(async () => expect(await resumes(other, host, await sessionOf(one, host))).to.equal(true))
    const before = await sessionOf(one, host)
    expect(await resumes(alone, host, await sessionOf(alone, host))).to.equal(true)
    expect(await resumes(alone, host, before)).to.equal(false)
    await put('2'.repeat(48))
    await eventually(async () => {
      for (const ramjet of [one, other]) expect(await resumes(ramjet, host, before)).to.equal(false)
    })
    expect(await resumes(other, host, await sessionOf(one, host))).to.equal(true)
  })
})
