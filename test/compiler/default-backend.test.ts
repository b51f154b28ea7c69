import { expect } from 'chai'
import { ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const FLAG = { defaultBackend: { namespace: 'shop', name: 'cart', port: 'http' } }
const WEB = ingress('shop/web').host('a.example').path('/x', 'web:80').age(0)

const both = (name: string, backend: string, second: number) =>
  ingress(name)
    .host('a.example')
    .path(`/${backend}`, 'web:80')
    .host('b.example')
    .defaultBackend(`${backend}:80`)
    .age(second)

describe('the default backend', () => {
  it('R10-47: without any there is 404', () => {
    const { tables } = compileCluster({ ingresses: [WEB] })
    expect(ask(tables.routes, 'a.example/y')).to.equal('404 no-route')
    expect(tables.routes.defaultRoute).to.equal(undefined)
  })

  it('R10-43: --default-backend answers whatever nothing else claimed', () => {
    const { tables } = compileCluster({ ingresses: [WEB] }, FLAG)
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/cart:80')
    expect(ask(tables.routes, 'b.example/x')).to.equal('shop/cart:80')
    expect(ask(tables.routes, 'a.example/x')).to.equal('shop/web:80')
  })

  it('R10-43: --default-backend of a Service that does not exist answers 503', () => {
    const missing = { defaultBackend: { namespace: 'shop', name: 'none', port: '80' } }
    const { tables, warnings } = compileCluster({}, missing)
    expect(ask(tables.routes, 'b.example/')).to.equal('503 unresolved-service')
    expect(told(warnings)).to.deep.equal(['UnresolvableService Flag --default-backend --default-backend'])
  })

  it('R10-44: that of an Ingress without rules goes before the flag', () => {
    const { tables } = compileCluster({ ingresses: [WEB, ingress('shop/all').defaultBackend('api:http')] }, FLAG)
    expect(ask(tables.routes, 'b.example/')).to.equal('shop/api:80')
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/api:80')
  })

  it('R10-44: of two the older wins, and the other is told', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [ingress('shop/a').defaultBackend('new:80').age(2), ingress('shop/b').defaultBackend('old:80').age(1)],
    })
    expect(ask(tables.routes, 'b.example/')).to.equal('shop/old:80')
    expect(told(warnings)).to.deep.equal(['DefaultBackendConflict Ingress shop/a spec.defaultBackend'])
    expect(warnings[0]?.message).to.contain('Ingress shop/b')
  })

  it('R10-45: that of an Ingress with rules answers the unmatched paths of its own hosts', () => {
    const { tables } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').path('/x', 'web:80').defaultBackend('api:80')],
    })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/api:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('404 no-route')
  })

  it('R10-45: of two on one host the older is used, and the other is told once for all its hosts', () => {
    const { tables, warnings } = compileCluster({ ingresses: [both('shop/a', 'new', 2), both('shop/b', 'old', 1)] })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/old:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/old:80')
    expect(told(warnings)).to.deep.equal(['DefaultBackendConflict Ingress shop/a spec.defaultBackend'])
  })

  it('R10-45: it does not become the default of other hosts when its own rules are lost', () => {
    const { tables } = compileCluster({
      ingresses: [ingress('shop/web').host('a..example').path('/', 'web:80').defaultBackend('api:80')],
    })
    expect(ask(tables.routes, 'b.example/')).to.equal('404 no-route')
  })

  it('R10-46: a hostless rule for / hides the default backend of R10-44', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [
        ingress('shop/any').host().path('/', 'web:80').age(0),
        ingress('shop/all').defaultBackend('api:80').age(1),
      ],
    })
    expect(ask(tables.routes, 'b.example/')).to.equal('shop/web:80')
    expect(told(warnings)).to.deep.equal(['DefaultBackendShadowed Ingress shop/all spec.defaultBackend'])
    expect(warnings[0]?.message).to.contain('rule 0/0 of Ingress shop/any')
  })

  it('R10-46: a hostless rule for another path hides nothing', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [ingress('shop/any').host().path('/x', 'web:80'), ingress('shop/all').defaultBackend('api:80')],
    })
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/api:80')
    expect(warnings).to.deep.equal([])
  })
})
