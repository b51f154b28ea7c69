import { expect } from 'chai'
import type { Decision } from '../../src/router/decision.ts'
import { buildAhead, buildRouter, type HostRoutes, type Router } from '../../src/router/router.ts'
import { requestView } from '../builders/request-view.ts'
import { exact, prefix, regex, routeTable, virtualHost } from '../builders/route-table.ts'

interface Case {
  readonly rule: string
  readonly host: string
  readonly path: string
  readonly want: string | undefined
}

const table = routeTable([
  virtualHost('a.example', [
    exact('/foo', { id: 'exact' }),
    exact('/', { id: 'exact root' }),
    prefix('/foo/bar', { id: 'long' }),
    prefix('/foo', { id: 'short' }),
    prefix('/x', { id: 'x' }),
    regex('/x/.*', { id: 'never: the prefix goes before' }),
    regex('/v[0-9]+', { id: 'first regex' }),
    regex('/v1', { id: 'second regex' }),
  ]),
  virtualHost('*.a.example', [prefix('', { id: 'wildcard' })]),
  virtualHost('b.example', [prefix('/only', { id: 'only' })], { fallback: prefix('', { id: 'fallback' }) }),
  virtualHost('*.example', [prefix('/w', { id: 'wide' })]),
  virtualHost('*', [prefix('/any', { id: 'any' })]),
])

const cases: readonly Case[] = [
  { rule: 'R10-15', host: 'a.example', path: '/foo', want: 'exact' },
  { rule: 'R10-15', host: 'a.example', path: '/foo/', want: 'short' },
  { rule: 'R10-15', host: 'a.example', path: '/FOO', want: undefined },
  { rule: 'R10-15', host: 'a.example', path: '/', want: 'exact root' },
  { rule: 'R10-16', host: 'a.example', path: '/foo/a', want: 'short' },
  { rule: 'R10-16', host: 'a.example', path: '/foobar', want: undefined },
  { rule: 'R10-16', host: 'a.example', path: '/foo/bar', want: 'long' },
  { rule: 'R10-16', host: 'a.example', path: '/foo/bar/', want: 'long' },
  { rule: 'R10-16', host: 'a.example', path: '/foo/barn', want: 'short' },
  { rule: 'R10-16', host: 'a.example', path: '/foo//bar', want: 'short' },
  { rule: 'R10-16', host: 'a.example', path: '//foo', want: undefined },
  { rule: 'R10-26', host: 'a.example', path: '/x/y', want: 'x' },
  { rule: 'R10-26', host: 'a.example', path: '/v1', want: 'first regex' },
  { rule: 'R10-20', host: 'a.example', path: '/V1/z', want: 'first regex' },
  { rule: 'R10-10', host: 'x.a.example', path: '/z', want: 'wildcard' },
  { rule: 'R10-10', host: 'x.y.a.example', path: '/z', want: undefined },
  { rule: 'R10-10', host: 'xa.example', path: '/w', want: 'wide' },
  { rule: 'R10-10', host: 'example', path: '/any', want: 'any' },
  { rule: 'R10-13', host: 'a.example', path: '/any', want: undefined },
  { rule: 'R10-13', host: 'c.example', path: '/any', want: undefined },
  { rule: 'R10-12', host: 'c.elsewhere', path: '/any', want: 'any' },
  { rule: 'R10-11', host: '', path: '/any/b', want: 'any' },
  { rule: 'R10-11', host: '192.0.2.1', path: '/any', want: 'any' },
  { rule: 'R10-11', host: '[2001:db8::1]', path: '/any', want: 'any' },
  { rule: 'R10-45', host: 'b.example', path: '/only/x', want: 'only' },
  { rule: 'R10-45', host: 'b.example', path: '/else', want: 'fallback' },
  { rule: 'R70-38', host: '__proto__', path: '/any', want: 'any' },
  { rule: 'R70-38', host: 'constructor', path: '/x', want: undefined },
  { rule: 'R70-38', host: 'xb.example', path: '/only', want: undefined },
]

function routeIn(router: Router, host: string, path: string): Decision {
  return router.route(requestView(host, path))
}

describe('the router', () => {
  for (const { rule, host, path, want } of cases) {
    it(`gives ${want ?? 'no route'} for ${host}${path} (${rule})`, () => {
      const decision = routeIn(buildRouter(table), host, path)
      expect(decision.route?.id).to.equal(want)
      if (want === undefined) expect(decision).to.deep.equal({ kind: 'respond', reason: 'no-route', route: undefined })
    })
  }

  it('answers from the default route what nobody takes, as a miss (R10-43)', () => {
    const withDefault = buildRouter({ ...table, defaultRoute: prefix('', { id: 'default' }) })
    const miss = routeIn(withDefault, 'a.example', '/zzz')
    expect([miss.kind, miss.route?.id]).to.deep.equal(['forward', 'default'])
    expect(miss).to.have.property('matched', false)
    expect(routeIn(withDefault, 'a.example', '/foo')).to.have.property('matched', true)
    expect(routeIn(withDefault, 'b.example', '/else')).to.include({ matched: false })
    expect(routeIn(withDefault, 'b.example', '/else').route?.id).to.equal('fallback')
  })

  it('answers by the reason of a route that is refused', () => {
    const refused = prefix('/r', { action: { kind: 'refuse', reason: 'external-name' } })
    const fallback = prefix('', { action: { kind: 'refuse', reason: 'unresolved-service' } })
    const router = buildRouter(routeTable([virtualHost('a.example', [refused], { fallback })]))
    expect(routeIn(router, 'a.example', '/r')).to.deep.equal({
      kind: 'respond',
      reason: 'external-name',
      route: refused,
    })
    expect(routeIn(router, 'a.example', '/s')).to.include({ kind: 'respond', reason: 'unresolved-service' })
  })

  it('gives the very same decision for every request of a route', () => {
    const router = buildRouter(table)
    expect(routeIn(router, 'a.example', '/foo/1')).to.equal(routeIn(router, 'a.example', '/foo/2'))
    expect(routeIn(router, 'x.elsewhere', '/no')).to.equal(routeIn(router, 'a.example', '/no'))
  })

  it('answers 414 only where the regexes would have been asked (R10-23)', () => {
    const router = buildRouter(table)
    const path = `/foo/${'x'.repeat(3000)}`
    expect(routeIn(router, 'a.example', path).route?.id).to.equal('short')
    expect(routeIn(router, 'a.example', path.slice(2))).to.include({ kind: 'respond', reason: 'target-too-long' })
    expect(routeIn(router, 'a.example', `/v1${'x'.repeat(2045)}`).route?.id).to.equal('first regex')
    expect(routeIn(router, 'a.example', `/v1${'x'.repeat(2046)}`)).to.include({ reason: 'target-too-long' })
    expect(routeIn(router, 'x.a.example', path).route?.id).to.equal('wildcard')
  })

  it('answers 414 where the regexes cost too much', () => {
    const dear = Array.from({ length: 100 }, (_, index) => regex(`/.*a.{${50 + index}}c${index}`))
    const router = buildRouter(routeTable([virtualHost('a.example', dear)]))
    expect(routeIn(router, 'a.example', `/${'ab'.repeat(1000)}`)).to.include({ reason: 'target-too-long' })
  })

  it('builds a list of routes once for all hosts that share it, as other names of a host do (R11-44)', () => {
    const host = virtualHost('a.example', [exact('/foo', { id: 'exact' }), regex('/v[0-9]+', { id: 'regex' })])
    const alias = { ...host, host: 'b.example', digest: 'another' }
    const router = buildRouter(routeTable([host, alias]))
    for (const path of ['/foo', '/v1']) {
      expect(routeIn(router, 'b.example', path)).to.equal(routeIn(router, 'a.example', path))
    }
    expect(router.findHost(Buffer.from('b.example'), 0, 9).virtualHost).to.equal(alias)
  })

  it('takes over what was built ahead, a host a step, shared lists once', () => {
    const before = buildRouter(routeTable([virtualHost('a.example', [])]))
    const host = virtualHost('b.example', [exact('/foo', { id: 'exact' })])
    const alias = { ...host, host: 'c.example', digest: 'another' }
    expect([...buildAhead(before, [host, alias])]).to.have.length(2)
    const after = buildRouter(routeTable([host, alias]), before)
    const again = buildRouter(routeTable([alias, host]), before)
    expect(after.findHost(Buffer.from('b.example'), 0, 9)).to.equal(again.findHost(Buffer.from('b.example'), 0, 9))
    expect(routeIn(after, 'c.example', '/foo')).to.equal(routeIn(after, 'b.example', '/foo'))
    expect(routeIn(before, 'b.example', '/foo')).to.include({ reason: 'no-route' })
  })

  it('leaves out a value that no request can hold', () => {
    const router = buildRouter(routeTable([virtualHost('a.example', [exact('/\u0161'), prefix('/\u0161')])]))
    expect(routeIn(router, 'a.example', '/a')).to.include({ reason: 'no-route' })
  })

  it('gives the host of a connection for its later requests', () => {
    const router = buildRouter(table)
    const view = requestView('a.example', '/foo/1')
    const host = router.findHost(view.bytes, view.hostStart, view.hostEnd)
    expect(host.virtualHost?.host).to.equal('a.example')
    expect(router.findRoute(host, requestView('ignored', '/foo')).route?.id).to.equal('exact')
    expect(router.findHost(Buffer.from('nobody'), 0, 6).virtualHost?.host).to.equal('*')
  })
})

function find(router: Router, host: string): HostRoutes {
  return router.findHost(Buffer.from(host), 0, host.length)
}

describe('a router built after another one', () => {
  it('takes over what was built for the same virtual hosts, and builds the changed one', () => {
    const before = buildRouter(table)
    const changed = virtualHost('b.example', [prefix('', { id: 'new' })])
    const after = buildRouter({ ...table, hosts: new Map(table.hosts).set('b.example', changed) }, before)
    for (const host of ['a.example', 'x.a.example', 'c.example', 'elsewhere']) {
      expect(find(after, host)).to.equal(find(before, host))
    }
    expect(find(after, 'b.example')).to.not.equal(find(before, 'b.example'))
    expect(routeIn(after, 'b.example', '/only').route?.id).to.equal('new')
    expect(routeIn(before, 'b.example', '/only').route?.id).to.equal('only')
  })

  it('forgets a host that is gone', () => {
    const after = buildRouter(routeTable([virtualHost('a.example', [])]), buildRouter(table))
    expect(routeIn(after, 'b.example', '/only')).to.include({ reason: 'no-route' })
  })

  it('follows the default route of its own table', () => {
    const before = buildRouter({ ...table, defaultRoute: prefix('', { id: 'old' }) })
    const after = buildRouter({ ...table, defaultRoute: prefix('', { id: 'new' }) }, before)
    expect(routeIn(after, 'a.example', '/zzz').route?.id).to.equal('new')
  })
})
