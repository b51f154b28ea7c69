import { expect } from 'chai'
import { changedIngresses } from '../../src/compiler/changed-ingresses.ts'
import { ANY_HOST, type RouteTable } from '../../src/model/route-table.ts'
import { backend, exact, prefix, routeTable, virtualHost } from '../builders/route-table.ts'

const from = (name: string) => ({ origin: { kind: 'Ingress', namespace: 'shop', name, rule: '0/0' } })
const A = virtualHost('a.example', [prefix('/x', from('one')), prefix('/y', from('two'))])
const BASE = routeTable([A, virtualHost('b.example', [exact('/b', from('three'))])])

const changed = (after: RouteTable, before: RouteTable = BASE): readonly string[] =>
  [...changedIngresses(before, after)].toSorted()

function withDefault(name: string): RouteTable {
  return routeTable([...BASE.hosts.values()], { defaultRoute: prefix('', from(name)) })
}

function withBackend(digest: string): RouteTable {
  const backends = new Map([['shop/web:80', backend('shop/web:80', { digest })]])
  return routeTable([...BASE.hosts.values()], { backends })
}

describe('changedIngresses (R30-35)', () => {
  it('is nothing for the same table, and for an equal one', () => {
    expect(changed(BASE)).to.deep.equal([])
    expect(changed(routeTable([...BASE.hosts.values()].map((host) => ({ ...host }))))).to.deep.equal([])
  })

  it('is whose route came, went, or acts otherwise, and not its neighbours on the host', () => {
    const other = virtualHost('a.example', [prefix('/x', from('one')), exact('/z', from('four'))])
    expect(changed(routeTable([other, ...[...BASE.hosts.values()].slice(1)]))).to.deep.equal(['shop/four', 'shop/two'])
    const action = { kind: 'refuse', reason: 'access-rule' } as const
    const refusing = virtualHost('a.example', [prefix('/x', { ...from('one'), action }), ...A.routes.slice(1)])
    expect(changed(routeTable([refusing, ...[...BASE.hosts.values()].slice(1)]))).to.deep.equal(['shop/one'])
  })

  it('is everybody of a host that came or went, its fallback included', () => {
    const fallback = prefix('', from('five'))
    const after = routeTable([...BASE.hosts.values(), virtualHost('c.example', [], { fallback })])
    expect(changed(after)).to.deep.equal(['shop/five'])
    expect(changed(BASE, after)).to.deep.equal(['shop/five'])
    expect(changed(routeTable([A]))).to.deep.equal(['shop/three'])
  })

  it('is whose default route another one is now', () => {
    expect(changed(withDefault('six'), withDefault('five'))).to.deep.equal(['shop/five', 'shop/six'])
  })

  it('is everybody who sends requests to a backend that acts otherwise, and nobody for one that is new', () => {
    expect(changed(withBackend('2'), withBackend('1'))).to.deep.equal(['shop/one', 'shop/three', 'shop/two'])
    expect(changed(withBackend('1'))).to.deep.equal([])
  })

  it('leaves out what comes from a file', () => {
    const file = virtualHost(ANY_HOST, [prefix('/f', { ...from('file'), source: 'file' })])
    expect(changed(routeTable([...BASE.hosts.values(), file]))).to.deep.equal([])
  })
})
