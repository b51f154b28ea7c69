import { expect } from 'chai'
import { NGINX_PREFIX } from '../../src/annotations/registry.ts'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import { recompileEndpoints } from '../../src/compiler/recompile-endpoints.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { ClusterSnapshot } from '../../src/compiler/snapshot.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { service } from '../builders/service.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { ask } from './ask.ts'
import { clusterOf } from './cluster.ts'

const WEB = ingress('shop/web').host('a.example').path('/', 'web:80')
const OTHER = ingress('shop/other').host('b.example').path('/', 'web:80')
const BASE = clusterOf({ ingresses: [WEB, OTHER] })
const FIRST = compile(BASE, SETTINGS, emptyMemo())

/** The base cluster with one Ingress put in the place of another. */
function withIngress(key: string, builder: IngressBuilder, before = BASE): ClusterSnapshot {
  return { ...before, ingresses: new Map(before.ingresses).set(key, builder.build()) }
}

function compileAfter(last: CompileResult, cluster: ClusterSnapshot): CompileResult {
  return compile(cluster, SETTINGS, last.memo)
}

function addressesOf({ tables }: CompileResult, backend = 'shop/web:80'): readonly string[] | undefined {
  return tables.endpoints.byBackend.get(backend)?.endpoints.map(({ address }) => address)
}

const fileOf = (port: number) => ({
  name: 'routes.yaml',
  backends: [{ name: 'own', policy: 'roundRobin' as const, endpoints: [{ host: '127.0.0.1', port, weight: 1 }] }],
  routes: [{ host: 'c.example', path: '/', pathType: 'Prefix' as const, backend: 'own' }],
  defaultBackend: undefined,
})

describe('a compile after another', () => {
  it('R00-1: an edited Ingress makes its own host anew and leaves every other the object it was', () => {
    const edited = ingress('shop/web').host('a.example').path('/x', 'web:80')
    const { hosts, backends } = compileAfter(FIRST, withIngress('shop/web', edited)).tables.routes
    expect(hosts.get('a.example')).to.not.equal(FIRST.tables.routes.hosts.get('a.example'))
    expect(hosts.get('b.example')).to.equal(FIRST.tables.routes.hosts.get('b.example'))
    expect(backends).to.equal(FIRST.tables.routes.backends)
  })

  it('R30-7: a new object that says the same gives the very tables of before', () => {
    const resynced = {
      ...withIngress('shop/web', WEB),
      services: new Map([...BASE.services, ['shop/web', service('shop/web', 'http=80')] as const]),
    }
    const { tables, warnings } = compileAfter(FIRST, resynced)
    expect(tables.routes).to.equal(FIRST.tables.routes)
    expect(tables.endpoints).to.equal(FIRST.tables.endpoints)
    expect(warnings).to.equal(FIRST.warnings)
  })

  it('R00-8: where a route comes from is no part of the digest', () => {
    const moved = new Map([...BASE.ingresses].filter(([key]) => key !== 'shop/web'))
    const heir = ingress('shop/heir').host('a.example').path('/', 'web:80').build()
    const { routes } = compileAfter(FIRST, { ...BASE, ingresses: moved.set('shop/heir', heir) }).tables
    expect(routes.digest).to.equal(FIRST.tables.routes.digest)
    expect(routes.hosts.get('a.example')?.routes[0]?.origin.name).to.equal('heir')
  })

  it('R10-6: a class that goes takes its routes with it, and brings them back', () => {
    const without = compileAfter(FIRST, { ...BASE, ingressClasses: new Map() })
    expect(without.tables.routes.hosts.size).to.equal(0)
    expect([...without.claimed]).to.deep.equal([])
    expect(compileAfter(without, BASE).tables.routes.digest).to.equal(FIRST.tables.routes.digest)
  })

  it('R10-37: a Service that appears late heals its routes', () => {
    const late = ingress('shop/late').host('c.example').path('/', 'late:80')
    const missing = withIngress('shop/late', late)
    const before = compileAfter(FIRST, missing)
    expect(ask(before.tables.routes, 'c.example/')).to.equal('503 unresolved-service')
    const services = new Map(missing.services).set('shop/late', service('shop/late', '80'))
    const after = compileAfter(before, { ...missing, services })
    expect(ask(after.tables.routes, 'c.example/')).to.equal('shop/late:80')
    expect(after.warnings.map(({ reason }) => reason)).to.deep.equal(['EndpointsMissing'])
  })

  it('R11-163: a guard over a Service port closes and opens the routes of others', () => {
    const guard = ingress('shop/web')
      .host('a.example')
      .path('/', 'web:80')
      .annotate(`${NGINX_PREFIX}proxy-ssl-secret`, 'ca')
    const closed = compileAfter(FIRST, withIngress('shop/web', guard))
    expect(ask(closed.tables.routes, 'b.example/')).to.equal('503 access-rule')
    expect(closed.tables.routes.backends.size).to.equal(0)
    const opened = compileAfter(closed, BASE)
    expect(ask(opened.tables.routes, 'b.example/')).to.equal('shop/web:80')
  })

  it('R00-20: a file that changes its backend changes that backend alone', () => {
    const before = compileAfter(FIRST, { ...BASE, file: fileOf(9001) })
    const after = compileAfter(before, { ...BASE, file: fileOf(9002) })
    expect(addressesOf(after, 'own')).to.deep.equal(['127.0.0.1:9002'])
    expect(after.tables.routes.hosts).to.equal(before.tables.routes.hosts)
    expect(after.tables.routes.digest).to.not.equal(before.tables.routes.digest)
    const withOther = withIngress('shop/web', ingress('shop/web').host('a.example').path('/x', 'web:80'))
    const edited = compileAfter(after, { ...withOther, file: fileOf(9002) })
    expect(edited.tables.routes.hosts.get('c.example')).to.equal(after.tables.routes.hosts.get('c.example'))
    const gone = compileAfter(after, BASE)
    expect(gone.tables.routes.digest).to.equal(FIRST.tables.routes.digest)
    expect(gone.tables.endpoints.digest).to.equal(FIRST.tables.endpoints.digest)
  })
})

describe('settings that change between two compiles', () => {
  it('R20-184: addresses that may no longer be dialled go, with the backends that nobody names any more', () => {
    const served = { ...BASE, servedBackends: FIRST.tables.routes.backends, ingresses: new Map() }
    const before = compileAfter(FIRST, served)
    const settings = { ...SETTINGS, neverDialled: new Set(['192.0.2.1:8080']) }
    expect(addressesOf(compile(served, settings, before.memo))).to.deep.equal([])
    const gone = compile({ ...served, servedBackends: new Map() }, settings, before.memo)
    expect([...gone.tables.endpoints.byBackend.keys()]).to.deep.equal([])
    expect([...gone.wanted.backends]).to.deep.equal([])
  })

  it('R10-1: another class name is judged anew', () => {
    const { claimed } = compile(BASE, { ...SETTINGS, controllerName: 'example.com/other' }, FIRST.memo)
    expect([...claimed]).to.deep.equal([])
  })

  it('R10-43: another default backend takes over', () => {
    const settings = { ...SETTINGS, defaultBackend: { namespace: 'shop', name: 'api', port: 'http' } }
    expect(ask(compile(BASE, settings, FIRST.memo).tables.routes, 'z.example/')).to.equal('shop/api:80')
  })
})

describe('the short way for endpoints', () => {
  const slices = new Map(BASE.endpointSlices).set('shop/web', [
    endpointSlice('shop/web').port(8080, 'http').ready('192.0.2.77').build(),
  ])
  const flipped = { ...BASE, endpointSlices: slices }

  it('R80-15: replaces the endpoints of its Services and keeps the routes', () => {
    const result = recompileEndpoints(flipped, FIRST, new Set(['shop/web']))
    expect(addressesOf(result)).to.deep.equal(['192.0.2.77:8080'])
    expect(result.tables.routes).to.equal(FIRST.tables.routes)
    expect(result.tables.endpoints.digest).to.not.equal(FIRST.tables.endpoints.digest)
  })

  it('R80-15: leaves the backends of every other Service alone', () => {
    const result = recompileEndpoints(flipped, FIRST, new Set(['shop/api']))
    expect(result.tables.endpoints).to.equal(FIRST.tables.endpoints)
  })

  it('gives the very table of before where the endpoints came out the same', () => {
    const same = {
      ...BASE,
      endpointSlices: new Map(BASE.endpointSlices).set('shop/web', [...(BASE.endpointSlices.get('shop/web') ?? [])]),
    }
    expect(recompileEndpoints(same, FIRST, new Set(['shop/web'])).tables.endpoints).to.equal(FIRST.tables.endpoints)
  })

  it('is followed by a whole compile that sees slices which went back to what they were', () => {
    const short = recompileEndpoints(flipped, FIRST, new Set(['shop/web']))
    expect(addressesOf(compileAfter(short, BASE))).to.deep.equal(['192.0.2.1:8080'])
  })

  it('R10-36: tells of a backend that lost its last endpoint, and takes it back', () => {
    const empty = recompileEndpoints({ ...BASE, endpointSlices: new Map() }, FIRST, new Set(['shop/web']))
    expect(empty.warnings.map(({ reason, object }) => `${reason} ${object.name}`)).to.deep.equal([
      'EndpointsMissing other',
      'EndpointsMissing web',
    ])
    expect(recompileEndpoints(BASE, empty, new Set(['shop/web'])).warnings).to.deep.equal([])
  })
})
