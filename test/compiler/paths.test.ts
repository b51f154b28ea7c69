import { expect } from 'chai'
import type { WarningReason } from '../../src/model/warning.ts'
import { ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

type PathType = 'Exact' | 'Prefix' | 'ImplementationSpecific' | 'Fuzzy' | undefined

/** One path of its own host, the requests that it takes and those that it does not. */
interface Case {
  readonly title: string
  readonly type: PathType
  readonly path: string | undefined
  readonly takes?: readonly string[]
  readonly leaves?: readonly string[]
  readonly told?: WarningReason
}

const cases: readonly Case[] = [
  {
    title: 'R10-15: Exact takes the whole path, byte for byte',
    type: 'Exact',
    path: '/foo',
    takes: ['/foo'],
    leaves: ['/foo/', '/FOO', '/foo/a', '/'],
  },
  { title: 'R10-15: Exact keeps a slash at the end', type: 'Exact', path: '/foo/', takes: ['/foo/'], leaves: ['/foo'] },
  {
    title: 'R10-16: Prefix takes whole elements',
    type: 'Prefix',
    path: '/foo',
    takes: ['/foo', '/foo/', '/foo/a'],
    leaves: ['/foobar', '/Foo', '/'],
  },
  {
    title: 'R10-16: a slash at the end of a Prefix changes nothing',
    type: 'Prefix',
    path: '/foo/',
    takes: ['/foo', '/foo/', '/foo/a'],
    leaves: ['/foobar'],
  },
  { title: 'R10-16: Prefix / takes all', type: 'Prefix', path: '/', takes: ['/', '/a', '/a/b//c'] },
  {
    title: 'R10-17: no type at all is ImplementationSpecific',
    type: undefined,
    path: '/a|/b',
    takes: ['/a', '/b'],
    leaves: ['/c'],
  },
  {
    title: 'R10-18: an unknown type is read as ImplementationSpecific',
    type: 'Fuzzy',
    path: '/a.*',
    takes: ['/abc'],
    leaves: ['/b'],
    told: 'UnknownPathType',
  },
  { title: 'R10-19: an empty path is /', type: 'ImplementationSpecific', path: '', takes: ['/', '/a'] },
  { title: 'R10-19: no path at all is /', type: 'Prefix', path: undefined, takes: ['/', '/a'] },
  { title: 'R10-19: an empty Exact path is /', type: 'Exact', path: '', takes: ['/'], leaves: ['/a'] },
  {
    title: 'R10-19: dot segments go before anything is compared',
    type: 'Prefix',
    path: '/a/%2e%2e/b',
    takes: ['/b'],
    leaves: ['/a'],
  },
  {
    title: 'R10-29: encoded unreserved characters are decoded',
    type: 'Exact',
    path: '/%61b',
    takes: ['/ab', '/%61%62'],
  },
  { title: 'R10-29: %2F stays data', type: 'Exact', path: '/a%2Fb', takes: ['/a%2Fb'], leaves: ['/a/b'] },
  {
    title: 'R10-19: a path that does not begin with a slash is lost',
    type: 'Exact',
    path: 'foo',
    leaves: ['/foo'],
    told: 'InvalidPath',
  },
  {
    title: 'R10-19: a malformed escape is lost',
    type: 'Prefix',
    path: '/a%zz',
    leaves: ['/a', '/'],
    told: 'InvalidPath',
  },
  {
    title: 'R10-19: a climb above the root is lost',
    type: 'Prefix',
    path: '/../a',
    leaves: ['/a'],
    told: 'InvalidPath',
  },
  { title: 'R10-19: a backslash is lost', type: 'Prefix', path: '/a\\b', leaves: ['/a'], told: 'InvalidPath' },
  { title: 'R10-19: a NUL is lost', type: 'Exact', path: '/a%00', leaves: ['/a'], told: 'InvalidPath' },
  {
    title: 'R10-19: a character above 0x7e is lost',
    type: 'Prefix',
    path: '/caf\u00e9',
    leaves: ['/'],
    told: 'InvalidPath',
  },
  { title: 'R10-19: a query can never match', type: 'Exact', path: '/a?b=c', leaves: ['/a'], told: 'InvalidPath' },
  {
    title: 'R10-20: ImplementationSpecific without a pattern is a literal',
    type: 'ImplementationSpecific',
    path: '/.well-known/acme-challenge/x.y',
    takes: ['/.well-known/acme-challenge/x.y', '/.well-known/acme-challenge/x.y/z'],
    leaves: ['/.well-known/acme-challenge/xay', '/.WELL-KNOWN/acme-challenge/x.y'],
  },
  {
    title: 'R10-20: a pattern is matched from the start, without regard to case',
    type: 'ImplementationSpecific',
    path: '/v\\d+/',
    takes: ['/v1/', '/V22/a'],
    leaves: ['/x/v1/', '/v1'],
  },
  {
    title: 'R10-22: a pattern that does not compile is lost',
    type: 'ImplementationSpecific',
    path: '/a(',
    leaves: ['/a', '/a('],
    told: 'InvalidRegex',
  },
  {
    title: 'R10-22: a pattern cannot close the group of its anchor',
    type: 'ImplementationSpecific',
    path: '/a)|(/b',
    leaves: ['/a', '/b'],
    told: 'InvalidRegex',
  },
  {
    title: 'R10-22: lookahead does not exist',
    type: 'ImplementationSpecific',
    path: '/a(?=b)',
    leaves: ['/ab'],
    told: 'InvalidRegex',
  },
  {
    title: 'R10-22: a backreference does not exist',
    type: 'ImplementationSpecific',
    path: '/(a)\\1',
    leaves: ['/aa'],
    told: 'InvalidRegex',
  },
  {
    title: 'R10-23: a pattern of 513 characters is lost',
    type: 'ImplementationSpecific',
    path: `/(${'a'.repeat(510)})`,
    leaves: ['/a'],
    told: 'RegexTooLarge',
  },
  {
    title: 'R10-23: repetitions count as written out',
    type: 'ImplementationSpecific',
    path: '/(abcde{50}){9}',
    leaves: ['/a'],
    told: 'RegexTooLarge',
  },
  {
    title: 'R10-24: a leading ^ is dropped',
    type: 'ImplementationSpecific',
    path: '^/a(b|c)',
    takes: ['/ab'],
    leaves: ['/xab'],
  },
  {
    title: 'R10-25: the anchor binds every branch',
    type: 'ImplementationSpecific',
    path: '/a|/b',
    takes: ['/a', '/b'],
    leaves: ['/x/b'],
  },
]

const many = (name: string, count: number, letter: string) => {
  const builder = ingress(name).host('a.example')
  for (let index = 0; index < count; index += 1) builder.free(`/${letter}${index}[x]`, 'web:80')
  return builder
}

describe('paths of an Ingress', () => {
  for (const { title, type, path, takes = [], leaves = [], told: reason } of cases) {
    it(title, () => {
      const { tables, warnings } = compileCluster({
        ingresses: [ingress('shop/web').host('a.example').typed(path, type, 'web:80')],
      })
      for (const url of takes) expect(ask(tables.routes, `a.example${url}`), url).to.equal('shop/web:80')
      for (const url of leaves) expect(ask(tables.routes, `a.example${url}`), url).to.equal('404 no-route')
      const field = `spec.rules[0].http.paths[0].${reason === 'UnknownPathType' ? 'pathType' : 'path'}`
      expect(told(warnings)).to.deep.equal(reason === undefined ? [] : [`${reason} Ingress shop/web ${field}`])
    })
  }

  it('R10-49: a broken path loses that path alone', () => {
    const broken = ingress('shop/web').host('a.example').free('/a(', 'web:80').path('/b', 'web:80')
    const { tables } = compileCluster({ ingresses: [broken] })
    expect(ask(tables.routes, 'a.example/b')).to.equal('shop/web:80')
  })

  it('R10-23: the patterns of a host beyond 300 are lost, those of the younger Ingress', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [many('shop/young', 200, 'y').age(2), many('shop/old', 200, 'o').age(1)],
    })
    expect(ask(tables.routes, 'a.example/o199x')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'a.example/y99x')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'a.example/y100x')).to.equal('404 no-route')
    expect(told(warnings)).to.deep.equal(['RegexTooMany Ingress shop/young spec.rules[0].http.paths[100].path'])
    expect(warnings[0]?.message).to.contain('and 97 more')
  })

  it('R10-23: the patterns of a host share 10,000 instructions', () => {
    const builder = ingress('shop/web').host('a.example')
    for (let index = 0; index < 60; index += 1) builder.free(`/${index}(${'abcde'.repeat(60)}|x)`, 'web:80')
    const { tables, warnings } = compileCluster({ ingresses: [builder] })
    expect(ask(tables.routes, 'a.example/0x')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'a.example/59x')).to.equal('404 no-route')
    expect(warnings.map(({ reason }) => reason)).to.deep.equal(['RegexTooMany'])
  })
})
