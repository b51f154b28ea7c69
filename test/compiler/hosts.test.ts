import { expect } from 'chai'
import { ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const LABEL_64 = 'x'.repeat(64)

const invalid: readonly (readonly [what: string, host: string])[] = [
  ['a label of 64 octets', `${LABEL_64}.example`],
  ['a port', 'a.example:80'],
  ['a path', 'a.example/b'],
  ['a star inside', 'a.*.example'],
  ['a star alone', '*'],
  ['a star with part of a label', '*a.example'],
  ['an empty label', 'a..example'],
  ['a dot at the end', 'a.example.'],
  ['an IPv4 address', '192.0.2.1'],
  ['an IPv6 address', '[2001:db8::1]'],
  ['more than 253 octets', `${'abcdefg.'.repeat(32)}example`],
  ['a blank', 'a example'],
]

describe('hosts of an Ingress', () => {
  for (const [what, host] of invalid) {
    it(`R10-9: ${what} loses that rule and no other`, () => {
      const { tables, warnings } = compileCluster({
        ingresses: [ingress('shop/web').host(host).path('/', 'web:80').host('b.example').path('/', 'web:80')],
      })
      expect([...tables.routes.hosts.keys()]).to.deep.equal(['b.example'])
      expect(told(warnings)).to.deep.equal(['InvalidHost Ingress shop/web spec.rules[0].host'])
    })
  }

  it('R10-9: upper case in a rule compares as lower case', () => {
    const { tables } = compileCluster({ ingresses: [ingress('shop/web').host('A.Example').path('/', 'web:80')] })
    expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
  })

  const several = compileCluster({
    ingresses: [
      ingress('shop/exact').host('a.example').path('/only', 'web:80'),
      ingress('shop/star').host('*.example').path('/', 'api:80'),
      ingress('shop/any').host().path('/', 'cart:80'),
      ingress('shop/default').defaultBackend('old:80'),
    ],
  }).tables.routes

  const requests: readonly (readonly [title: string, url: string, want: string])[] = [
    ['R10-12: the exact name goes first', 'a.example/only', 'shop/web:80'],
    ['R10-13: a path that the exact name lacks is not asked of the wildcard', 'a.example/other', 'shop/old:80'],
    ['R10-10: a wildcard takes one label', 'b.example/x', 'shop/api:80'],
    ['R10-10: a wildcard does not take two labels', 'a.b.example/x', 'shop/cart:80'],
    ['R10-10: a wildcard does not take the bare name', 'example/x', 'shop/cart:80'],
    ['R10-11: the port of an authority and its last dot do not count', 'B.Example.:8080/x', 'shop/api:80'],
    ['R10-11: an IP address meets the catch-all', '192.0.2.9/x', 'shop/cart:80'],
    ['R10-11: a request without a host meets the catch-all', '/x', 'shop/cart:80'],
  ]
  for (const [title, url, want] of requests) {
    it(title, () => {
      expect(ask(several, url)).to.equal(want)
    })
  }

  it('a host whose every path is lost stays claimed', () => {
    const { tables } = compileCluster({
      ingresses: [
        ingress('shop/broken').host('a.example').free('/a(', 'web:80'),
        ingress('shop/star').host('*.example').path('/', 'api:80'),
      ],
    })
    expect(ask(tables.routes, 'a.example/a')).to.equal('404 no-route')
  })

  it('R10-28: two rules of one Ingress for one host are one host', () => {
    const { tables } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').path('/a', 'web:80').host('A.example').path('/b', 'api:80')],
    })
    expect(ask(tables.routes, 'a.example/a')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'a.example/b')).to.equal('shop/api:80')
  })
})
