// The rows of the Ingress chapter about backends, end to end (R10-50): stored by the API server, asked over sockets. What it
// refuses to store is left to the compiler's own tables.
import { expect } from 'chai'
import { endpointSlice, service } from '../../hack/cluster/objects.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { ingress } from './support/ingress.ts'
import { Ramjet } from './support/ramjet.ts'
import { itHolds, type Row, reasonsIn, rowScene } from './support/rows.ts'
import { namespaceForEach } from './support/scene.ts'

const rows: readonly Row[] = [
  {
    title: 'R10-34: the port by number or by name',
    ingresses: { web: { 'a.%': { '/name': 'a:http', '/number': 'a:80' } } },
    asks: [
      ['a.%/name', 'a'],
      ['a.%/number', 'a'],
    ],
  },
  {
    title: 'R10-37: a Service that does not exist, or lacks the port, answers 503, and no shorter path takes it',
    ingresses: { web: { 'a.%': { '/': 'a', '/gone': 'nobody', '/port': 'b:metrics' } } },
    asks: [
      ['a.%/', 'a'],
      ['a.%/gone/x', '503'],
      ['a.%/port', '503'],
    ],
    warnings: ['UnresolvableService web'],
  },
  {
    title: 'R10-28: Prefix /foo and /foo/ and the literal /foo are alike; within one Ingress the first keeps it',
    ingresses: { web: { 'a.%': { '/foo': 'a', '/foo/': 'b', 'ImplementationSpecific /foo': 'c', 'Exact /foo': 'b' } } },
    asks: [
      ['a.%/foo/x', 'a'],
      ['a.%/foo', 'b'],
    ],
    warnings: ['RouteConflict web'],
  },
  {
    title: 'R10-44: the backend of an Ingress without rules answers for every host that nobody claimed',
    ingresses: { all: { defaultBackend: 'b' }, web: { 'a.%': { '/x': 'a' } } },
    asks: [
      ['a.%/x', 'a'],
      ['a.%/y', 'b'],
      ['nobody.%/', 'b'],
    ],
  },
  {
    title: 'R10-44: of two the older is used, and the other one is told',
    ingresses: { one: { defaultBackend: 'a' }, two: { defaultBackend: 'b' } },
    asks: [['nobody.%/', 'a']],
    warnings: ['DefaultBackendConflict two'],
  },
  {
    title: 'R10-45: the backend of an Ingress with rules answers the other paths of its own hosts',
    ingresses: { web: { rules: { 'a.%': { '/x': 'a' }, 'b.%': { '/x': 'a' } }, defaultBackend: 'b' } },
    asks: [
      ['a.%/x', 'a'],
      ['a.%/y', 'b'],
      ['b.%/y', 'b'],
      ['nobody.%/y', '404'],
    ],
  },
  {
    title: 'R10-45: of two on one host the older is used, and the other one is told',
    ingresses: {
      one: { rules: { 'a.%': { '/x': 'a' } }, defaultBackend: 'b' },
      two: { rules: { 'a.%': { '/y': 'a' } }, defaultBackend: 'c' },
    },
    asks: [['a.%/z', 'b']],
    warnings: ['DefaultBackendConflict two'],
  },
  {
    title: 'R10-46: a hostless Prefix / hides a default backend, which is told',
    ingresses: { all: { defaultBackend: 'b' }, web: { '*': { '/': 'a' } } },
    asks: [['nobody.%/', 'a']],
    warnings: ['DefaultBackendShadowed all'],
  },
]

describe('backends, end to end', () => {
  const stage = rowScene()
  itHolds(stage, rows)

  it('R10-34: all slices of a Service are merged, an address twice counts once, a slice of names is left out', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('m')
    const [one, two] = [await namespace.pod('m-1'), await namespace.pod('m-2')]
    await namespace.apply(service(namespace.name, 'm'))
    await namespace.endpoints('m', [{ address: one.address }])
    const second = endpointSlice(namespace.name, 'm', [{ address: two.address }, { address: one.address }])
    await namespace.apply({ ...second, metadata: { ...second.metadata, name: 'm-2' } })
    const names = endpointSlice(namespace.name, 'm', [{ address: 'pod.example' }])
    await namespace.apply({ ...names, addressType: 'FQDN', metadata: { ...names.metadata, name: 'm-3' } })
    await namespace.ingress('web', { [host]: { '/': 'm' } })
    await ramjet.serves(`http://${host}/`, 'm')
    await eventually(async () => {
      const [route] = await ramjet.routes(host)
      expect(route?.endpoints).to.equal(2)
    })
    const from = new Set<string>()
    for (let turn = 0; turn < 40; turn += 1) from.add((await ramjet.get(`http://${host}/`)).from)
    expect([...from]).to.have.members(['m-1', 'm-2'])
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['EndpointsSkipped m'])
  })

  it('R10-34: a headless Service counts by its slices', async () => {
    const { ramjet, namespace } = stage
    const pod = await namespace.pod('h-1')
    const made = service(namespace.name, 'h')
    await namespace.apply({ ...made, spec: { ...(made['spec'] as object), clusterIP: 'None' } })
    await namespace.endpoints('h', [{ address: pod.address }])
    await namespace.ingress('web', { [namespace.host('h')]: { '/': 'h' } })
    await ramjet.serves(`http://${namespace.host('h')}/`, 'h')
  })

  it('R10-35: an endpoint that ends but serves is used only while no ready one is left', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('known')}/a`
    const [ready, ending] = [await namespace.pod('a-8'), await namespace.pod('a-9')]
    const terminating = { address: ending.address, ready: false, serving: true, terminating: true }
    await namespace.endpoints('a', [terminating])
    await ramjet.serves(url, 'a-9')
    await namespace.endpoints('a', [terminating, { address: ready.address }])
    const traffic = await ramjet.traffic(url, 'a-8')
    await traffic.flow()
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    await namespace.endpoints('a', [{ address: ready.address, ready: false, serving: false }])
    await ramjet.serves(url, '503')
  })

  it('R10-36: a route without endpoints answers 503 with Retry-After: 1', async () => {
    const { ramjet, namespace } = stage
    await namespace.endpoints('a', [])
    const answer = await ramjet.serves(`http://${namespace.host('known')}/a`, '503')
    expect(answer.headers['retry-after']).to.equal('1')
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['EndpointsMissing known'])
  })

  it('R10-38: a Service of type ExternalName is refused', async () => {
    const { ramjet, namespace } = stage
    const made = service(namespace.name, 'x')
    const spec = { ...(made['spec'] as object), type: 'ExternalName', externalName: 'outside.example' }
    await namespace.apply({ ...made, spec })
    await namespace.ingress('web', { [namespace.host('x')]: { '/': 'x', '/fine': 'a' } })
    await ramjet.serves(`http://${namespace.host('x')}/fine`, 'a')
    await ramjet.serves(`http://${namespace.host('x')}/`, '503')
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['ExternalNameDisabled web'])
  })

  it('R10-39: a Service of that name in another namespace is not reached', async () => {
    const { ramjet, namespace } = stage
    await namespace.ingress('web', { [namespace.host('x')]: { '/': 'kubernetes:https' } })
    await ramjet.serves(`http://${namespace.host('x')}/`, '503')
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['UnresolvableService web'])
  })

  it('R10-40: a backend that is a resource answers 503', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('x')
    const resource = { apiGroup: 'example.com', kind: 'Bucket', name: 'files' }
    const list = [{ path: '/files', pathType: 'Prefix', backend: { resource } }]
    const made = ingress(namespace.name, 'web', { rules: { [host]: { '/': 'a' } } })
    const plain = (made['spec'] as { rules: readonly unknown[] }).rules
    const spec = { ...(made['spec'] as object), rules: [...plain, { host, http: { paths: list } }] }
    await namespace.apply({ ...made, spec })
    await ramjet.serves(`http://${host}/`, 'a')
    await ramjet.serves(`http://${host}/files/1`, '503')
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['UnsupportedBackend web'])
  })

  it('R10-47: with no default backend 404 is plain text and names no version', async () => {
    const { ramjet, namespace } = stage
    const { status, headers, body } = await ramjet.get(`http://${namespace.host('nobody')}/`)
    expect(status).to.equal(404)
    expect(headers['content-type']).to.match(/^text\/plain/)
    // R20-54: the name alone.
    expect(headers['server']).to.equal('ramjet')
    expect(body).to.not.match(/ramjet|node|\d+\.\d+/i)
  })
})

describe('default backends by a flag, end to end', () => {
  const namespace = namespaceForEach()

  it('R10-43, R10-44: --default-backend answers the rest, and a declared one goes before it', async () => {
    await namespace().service('a')
    await namespace().service('b')
    const flags = ['--default-backend', `${namespace().name}/a:http`]
    const ramjet = await Ramjet.start(theCluster(), { workers: 1, flags })
    try {
      await ramjet.serves(`http://${namespace().host('nobody')}/`, 'a')
      await namespace().ingress('all', {}, { defaultBackend: 'b' })
      await ramjet.serves(`http://${namespace().host('nobody')}/`, 'b')
      await namespace().deleteIngress('all')
      await ramjet.serves(`http://${namespace().host('nobody')}/`, 'a')
    } finally {
      await ramjet.stop()
    }
  })

  it('R10-43: a malformed --default-backend refuses to start', async () => {
    const ramjet = await Ramjet.spawn(theCluster(), { flags: ['--default-backend', 'nonsense'] })
    expect(await ramjet.process.ended).to.equal(1)
    expect(ramjet.process.tail()).to.include('--default-backend')
  })
})
