import { expect } from 'chai'
import type { FileRoute, RouteFile } from '../../src/compiler/snapshot.ts'
import { ok } from '../../src/lib/result.ts'
import { withDigest } from '../../src/model/upstream-tls.ts'
import { certificateFor } from '../builders/certificates.ts'
import { ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const BACKEND = { name: 'own', policy: 'leastConn', endpoints: [{ host: '127.0.0.1', port: 9001, weight: 2 }] } as const

function fileOf(routes: readonly Partial<FileRoute>[], rest: Partial<RouteFile> = {}): RouteFile {
  const base = { host: 'a.example', path: '/', pathType: 'Prefix', backend: 'own' } as const
  const whole = routes.map((route): FileRoute => ({ ...base, ...route }))
  return { name: 'routes.yaml', backends: [BACKEND], routes: whole, defaultBackend: undefined, ...rest }
}

describe('routes of a file', () => {
  it('R00-18: a route of a file carries its source and its addresses', () => {
    const { tables } = compileCluster({ file: fileOf([{}]) })
    expect(tables.routes.hosts.get('a.example')?.routes.map(({ source, origin }) => [source, origin])).to.deep.equal([
      ['file', { kind: 'File', namespace: '', name: 'routes.yaml', rule: '0' }],
    ])
    const address = { address: '127.0.0.1:9001', host: '127.0.0.1', port: 9001, weight: 2, readiness: 'ready' }
    expect(tables.routes.backends.get('own')).to.deep.include({ policy: 'leastConn', fixedEndpoints: [address] })
  })

  it('R20-186: loopback in a file is dialled', () => {
    const { tables, warnings } = compileCluster({ file: fileOf([{}]) })
    expect(tables.endpoints.byBackend.get('own')?.endpoints.map(({ address }) => address)).to.deep.equal([
      '127.0.0.1:9001',
    ])
    expect(warnings).to.deep.equal([])
  })

  it('R00-20: on one host, path and type the file wins, and the Ingress is told which file', () => {
    const web = ingress('shop/web').host('a.example').path('/x', 'web:80').path('/y', 'api:80')
    const { tables, warnings } = compileCluster({ file: fileOf([{ path: '/x/' }]), ingresses: [web] })
    expect(ask(tables.routes, 'a.example/x')).to.equal('own')
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/api:80')
    expect(told(warnings)).to.deep.equal(['RouteConflict Ingress shop/web spec.rules[0].http.paths[0].path'])
    expect(warnings[0]?.message).to.contain('File routes.yaml')
  })

  it('a route without host takes every name that nobody claimed', () => {
    const { tables } = compileCluster({ file: fileOf([{ host: undefined, path: '/status' }]) })
    expect(ask(tables.routes, 'whatever.example/status')).to.equal('own')
    expect(ask(tables.routes, 'whatever.example/')).to.equal('404 no-route')
  })

  it('its default backend takes what no route takes, before that of an Ingress, which is told', () => {
    const { tables, warnings } = compileCluster({
      file: fileOf([{}], { defaultBackend: 'own' }),
      ingresses: [ingress('shop/all').defaultBackend('web:80')],
    })
    expect(ask(tables.routes, 'b.example/')).to.equal('own')
    expect(told(warnings)).to.deep.equal(['DefaultBackendConflict Ingress shop/all spec.defaultBackend'])
  })

  it('each fault of a file is told by itself, with its place', () => {
    const { warnings } = compileCluster({
      file: fileOf([
        { host: 'a..example' },
        { path: 'x' },
        { path: '/a(', pathType: 'ImplementationSpecific' },
        { backend: 'none' },
        { path: '/' },
      ]),
    })
    expect(told(warnings)).to.deep.equal([
      'InvalidHost File routes.yaml routes[0].host',
      'InvalidPath File routes.yaml routes[1].path',
      'InvalidRegex File routes.yaml routes[2].path',
      'RouteConflict File routes.yaml routes[4].path',
      'UnresolvableService File routes.yaml routes[3].backend',
    ])
  })

  it('a backend of a file cannot take the name of a Service port', () => {
    const file = fileOf([{ backend: 'shop/web:80' }], { backends: [{ ...BACKEND, name: 'shop/web:80' }] })
    const web = ingress('shop/web').host('b.example').path('/', 'web:80')
    const { tables } = compileCluster({ file, ingresses: [web] })
    const addressesOf = (url: string) =>
      tables.endpoints.byBackend.get(ask(tables.routes, url))?.endpoints.map(({ address }) => address)
    expect(addressesOf('a.example/')).to.deep.equal(['127.0.0.1:9001'])
    expect(addressesOf('b.example/')).to.deep.equal(['192.0.2.1:8080'])
  })
})

describe('TLS of a file (R21-36)', () => {
  const [own, rest] = [certificateFor('a.example'), certificateFor('rest.example')]

  it('is for the host that it names, and for all others where it names none', () => {
    const tls = [
      { host: 'a.example', certificate: own },
      { host: undefined, certificate: rest },
    ]
    const { certificates } = compileCluster({ file: fileOf([{}], { tls }) }).tables.routes
    expect(
      [...(certificates?.serverNames.values() ?? [])].map(({ host, certificates: held }) => [host, held]),
    ).to.have.deep.members([
      ['a.example', [own.handle]],
      ['', [rest.handle]],
    ])
    expect(certificates?.certificates.size).to.equal(2)
  })

  it('goes before the flag, and before an Ingress, which is told', () => {
    const web = ingress('shop/web').host('a.example').path('/x', 'web:80').tls('tls', 'a.example')
    const tlsSecrets = { 'shop/tls': { current: ok(rest), isOpaque: false, lastGood: undefined } }
    const file = fileOf([{}], { tls: [{ host: 'a.example', certificate: own }] })
    const { tables, warnings } = compileCluster({ file, ingresses: [web], tlsSecrets })
    expect(tables.routes.certificates?.serverNames.get('a.example')?.certificates).to.deep.equal([own.handle])
    expect(told(warnings)).to.deep.equal(['TLSHostConflict Ingress shop/web spec.tls[0].hosts'])
  })

  it('R20-176: a pair that is another is another configuration', () => {
    const digests = [own, rest].map((certificate) => {
      const file = fileOf([{}], { tls: [{ host: 'a.example', certificate }] })
      return compileCluster({ file }).tables.routes.digest
    })
    expect(digests[0]).not.to.equal(digests[1])
  })

  it('of a backend is part of it', () => {
    const secured = withDigest({ verify: false, sendsServerName: false, maxDepth: 1 })
    const file = fileOf([{}], { backends: [{ ...BACKEND, protocol: 'https', tls: secured }] })
    const { routes } = compileCluster({ file }).tables
    expect(routes.backends.get('own')).to.deep.include({ protocol: 'https', tls: secured })
    expect(routes.digest).not.to.equal(compileCluster({ file: fileOf([{}]) }).tables.routes.digest)
  })
})
