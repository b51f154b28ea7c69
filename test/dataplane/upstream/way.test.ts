import { expect } from 'chai'
import { ByWay } from '../../../src/dataplane/upstream/by-way.ts'
import { NO_WAYS, type UpstreamWays, wayOf, waysOf } from '../../../src/dataplane/upstream/way.ts'
import type { Backend } from '../../../src/model/route-table.ts'
import { type UpstreamTls, withDigest } from '../../../src/model/upstream-tls.ts'
import { backend } from '../../builders/route-table.ts'

const TLS: UpstreamTls = { verify: false, sendsServerName: false, maxDepth: 1, digest: 'one' }

function waysFor(backends: readonly Backend[], before: UpstreamWays = NO_WAYS): UpstreamWays {
  return waysOf(new Map(backends.map((one) => [one.name, one])), before)
}

function verifiedAs(serverName: string): UpstreamTls {
  return withDigest({ ...TLS, verify: true, serverName })
}

describe('waysOf', () => {
  it('has nothing for backends that are spoken to in plain HTTP/1.1', () => {
    expect(waysFor([backend('shop/a:80'), backend('shop/b:80')])).to.equal(NO_WAYS)
  })

  it('gives one way to those who may share connections, and another one to every other', () => {
    const ways = waysFor([
      backend('shop/a:80', { protocol: 'https', tls: TLS }),
      backend('shop/b:80', { protocol: 'https', tls: { ...TLS } }),
      backend('shop/c:80', { protocol: 'h2', tls: TLS }),
      backend('shop/d:80', { protocol: 'https', tls: { ...TLS, digest: 'two' } }),
      backend('shop/e:80', { protocol: 'h2c' }),
    ])
    const [a, b, ...others] = ['a', 'b', 'c', 'd', 'e'].map((name) => ways.get(`shop/${name}:80`))
    expect(a).to.equal(b)
    expect(new Set([a, ...others]).size).to.equal(4)
  })

  it('R21-33: apart are those whose names are verified apart, though nothing else of their identity differs', () => {
    const ways = waysFor([
      backend('shop/a:80', { protocol: 'https', tls: verifiedAs('a.shop.svc') }),
      backend('shop/b:80', { protocol: 'https', tls: verifiedAs('b.shop.svc') }),
      backend('shop/c:80', { protocol: 'https', tls: verifiedAs('b.shop.svc') }),
    ])
    expect(ways.get('shop/a:80')).to.not.equal(ways.get('shop/b:80'))
    expect(ways.get('shop/b:80')).to.equal(ways.get('shop/c:80'))
  })

  it('R00-17: keeps the object over a publish, by which pools go', () => {
    const before = waysFor([backend('shop/a:80', { protocol: 'https', tls: TLS })])
    const after = waysFor([backend('shop/z:80', { protocol: 'https', tls: { ...TLS } })], before)
    expect(after.get('shop/z:80')).to.equal(before.get('shop/a:80'))
  })
})

describe('ByWay', () => {
  const [https, h2] = ['https', 'h2'].map((protocol) =>
    wayOf(backend('a', { protocol: protocol === 'https' ? 'https' : 'h2', tls: TLS })),
  )

  it('R21-33: keeps the ways to one address apart', () => {
    const some = new ByWay<string>()
    some.set('192.0.2.1:80', undefined, 'plain')
    some.set('192.0.2.1:80', https, 'https')
    some.set('192.0.2.1:80', h2, 'h2')
    expect([undefined, https, h2].map((way) => some.get('192.0.2.1:80', way))).to.deep.equal(['plain', 'https', 'h2'])
    expect(some.get('192.0.2.2:80', https)).to.equal(undefined)
  })

  it('R21-35: forgets the ways and the addresses that are gone', () => {
    const some = new ByWay<string>()
    const dropped: string[] = []
    for (const way of [undefined, https, h2]) {
      for (const address of ['192.0.2.1:80', '192.0.2.2:80']) some.set(address, way, `${way?.protocol} ${address}`)
    }
    const ways: UpstreamWays = new Map(https ? [['a', https]] : [])
    some.retain(new Set(['192.0.2.1:80']), ways, (one) => dropped.push(one))
    expect([...some.values()]).to.have.members(['undefined 192.0.2.1:80', 'https 192.0.2.1:80'])
    expect(dropped).to.have.length(4)
  })
})
