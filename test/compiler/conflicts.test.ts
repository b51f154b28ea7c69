import { expect } from 'chai'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const PATH_FIELD = 'spec.rules[0].http.paths[0].path'

const onHost = (name: string, second: number) => ingress(name).host('a.example').age(second)

interface Precedence {
  readonly title: string
  readonly ingresses: readonly IngressBuilder[]
  readonly url: string
  readonly want: string
}

const precedence: readonly Precedence[] = [
  {
    title: 'R10-26: Exact goes before a Prefix of the same path',
    ingresses: [onHost('shop/a', 1).path('/x', 'web:80').exact('/x', 'api:80')],
    url: '/x',
    want: 'shop/api:80',
  },
  {
    title: 'R10-26: the longer Prefix goes first, whatever is older',
    ingresses: [onHost('shop/a', 1).path('/x', 'web:80'), onHost('shop/b', 2).path('/x/y', 'api:80')],
    url: '/x/y/z',
    want: 'shop/api:80',
  },
  {
    title: 'R10-26: a literal is ordered with the Prefixes',
    ingresses: [
      onHost('shop/a', 1).path('/', 'web:80'),
      onHost('shop/b', 2).free('/.well-known/acme-challenge', 'api:80'),
    ],
    url: '/.well-known/acme-challenge/token',
    want: 'shop/api:80',
  },
  {
    title: 'R10-26: a Prefix goes before a pattern',
    ingresses: [onHost('shop/a', 1).free('/x.*', 'web:80'), onHost('shop/b', 2).path('/x', 'api:80')],
    url: '/x/long',
    want: 'shop/api:80',
  },
  {
    title: 'R10-26: of two patterns that match, the older Ingress has the first',
    ingresses: [onHost('shop/a', 2).free('/x.*', 'web:80'), onHost('shop/b', 1).free('/x[a-z]', 'api:80')],
    url: '/xy',
    want: 'shop/api:80',
  },
  {
    title: 'R10-26: within one Ingress patterns go as written',
    ingresses: [onHost('shop/a', 1).free('/x[a-z]', 'web:80').free('/x.*', 'api:80')],
    url: '/xy',
    want: 'shop/web:80',
  },
  {
    title: 'R10-27: of one age, the first namespace/name goes first',
    ingresses: [onHost('shop/b', 1).free('/x.*', 'web:80'), onHost('shop/a', 1).free('/x[a-z]', 'api:80')],
    url: '/xy',
    want: 'shop/api:80',
  },
]

interface Conflict {
  readonly title: string
  readonly older: (base: IngressBuilder) => IngressBuilder
  readonly younger: (base: IngressBuilder) => IngressBuilder
  readonly url: string
}

const conflicts: readonly Conflict[] = [
  { title: 'the same Prefix', older: (b) => b.path('/x', 'old:80'), younger: (b) => b.path('/x', 'new:80'), url: '/x' },
  {
    title: '/foo and /foo/',
    older: (b) => b.path('/foo/', 'old:80'),
    younger: (b) => b.path('/foo', 'new:80'),
    url: '/foo',
  },
  {
    title: 'a literal and a Prefix',
    older: (b) => b.free('/x', 'old:80'),
    younger: (b) => b.path('/x', 'new:80'),
    url: '/x',
  },
  {
    title: 'the same Exact path',
    older: (b) => b.exact('/x', 'old:80'),
    younger: (b) => b.exact('/%78', 'new:80'),
    url: '/x',
  },
  {
    title: 'one pattern with and without ^',
    older: (b) => b.free('/x.*', 'old:80'),
    younger: (b) => b.free('^/x.*', 'new:80'),
    url: '/xy',
  },
]

describe('two rules for one path', () => {
  for (const { title, ingresses, url, want } of precedence) {
    it(title, () => {
      const { tables, warnings } = compileCluster({ ingresses })
      expect(ask(tables.routes, `a.example${url}`)).to.equal(want)
      expect(warnings).to.deep.equal([])
    })
  }

  for (const { title, older, younger, url } of conflicts) {
    it(`R10-28: ${title} belong to the older Ingress, and the younger is told who holds it`, () => {
      const lost = younger(onHost('shop/a', 2)).exact('/rest', 'new:80')
      const { tables, warnings } = compileCluster({ ingresses: [lost, older(onHost('shop/z', 1))] })
      expect(ask(tables.routes, `a.example${url}`)).to.equal('shop/old:80')
      expect(ask(tables.routes, 'a.example/rest')).to.equal('shop/new:80')
      expect(told(warnings)).to.deep.equal([`RouteConflict Ingress shop/a ${PATH_FIELD}`])
      expect(warnings[0]?.message).to.contain('Ingress shop/z')
    })
  }

  it('R10-24: ^/x and /x are one rule', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [onHost('shop/a', 1).free('/x', 'old:80'), onHost('shop/b', 2).free('^/x', 'new:80')],
    })
    expect(ask(tables.routes, 'a.example/x/y')).to.equal('shop/old:80')
    expect(told(warnings)).to.deep.equal([`RouteConflict Ingress shop/b ${PATH_FIELD}`])
  })

  it('R10-28: a path that one Ingress writes twice is its first', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [onHost('shop/a', 1).path('/x', 'old:80').path('/x', 'new:80')],
    })
    expect(ask(tables.routes, 'a.example/x')).to.equal('shop/old:80')
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      '"/x" of a.example is held by an earlier rule of the same object; the holder serves it',
    ])
  })

  it('R10-28: the loser gets the path when the holder goes', () => {
    const { tables, warnings } = compileCluster({ ingresses: [onHost('shop/b', 2).path('/x', 'new:80')] })
    expect(ask(tables.routes, 'a.example/x')).to.equal('shop/new:80')
    expect(warnings).to.deep.equal([])
  })
})
