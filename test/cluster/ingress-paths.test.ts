// The rows of the Ingress chapter about paths, end to end (R10-50): stored by the API server, asked over sockets. What it
// refuses to store is left to the compiler's own tables.
import { expect } from 'chai'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { itHolds, type Row, rowScene } from './support/rows.ts'
import { namespaceForEach } from './support/scene.ts'

const rows: readonly Row[] = [
  {
    title: 'R10-15: Exact takes the whole path, byte for byte',
    ingresses: { web: { 'a.%': { 'Exact /foo': 'a' } } },
    asks: [
      ['a.%/foo', 'a'],
      ['a.%/foo?x=1', 'a'],
      ['a.%/foo/', '404'],
      ['a.%/FOO', '404'],
      ['a.%/foo/a', '404'],
    ],
  },
  {
    title: 'R10-16: Prefix takes whole elements',
    ingresses: { web: { 'a.%': { '/foo': 'a' }, 'b.%': { '/foo/': 'b' }, 'c.%': { '/': 'c' } } },
    asks: [
      ['a.%/foo', 'a'],
      ['a.%/foo/', 'a'],
      ['a.%/foo/x', 'a'],
      ['a.%/foobar', '404'],
      ['a.%/Foo', '404'],
      ['b.%/foo', 'b'],
      ['b.%/foo/', 'b'],
      ['c.%/anything/at/all', 'c'],
    ],
  },
  {
    title: 'R10-19: an empty ImplementationSpecific path is /',
    ingresses: { web: { 'a.%': { ImplementationSpecific: 'a' } } },
    asks: [
      ['a.%/', 'a'],
      ['a.%/x', 'a'],
    ],
  },
  {
    title: 'R10-19: a path that could never match is lost, and the others serve',
    ingresses: { web: { 'a.%': { '/a%zz': 'a', '/b': 'b' } } },
    asks: [
      ['a.%/b', 'b'],
      ['a.%/a', '404'],
    ],
    warnings: ['InvalidPath web'],
  },
  {
    title: 'R10-19: /a/%2e%2e/b is /b',
    ingresses: { web: { 'a.%': { '/a/%2e%2e/b': 'a' } } },
    asks: [
      ['a.%/b', 'a'],
      ['a.%/a/b', '404'],
    ],
  },
  {
    title: 'R10-20: ImplementationSpecific without a special character is a literal Prefix',
    ingresses: { web: { 'a.%': { 'ImplementationSpecific /v1.0': 'a' } } },
    asks: [
      ['a.%/v1.0', 'a'],
      ['a.%/v1.0/x', 'a'],
      ['a.%/v1x0', '404'],
      ['a.%/v1.0x', '404'],
    ],
  },
  {
    title: 'R10-20: with one it is a regular expression from the start, whatever the case',
    ingresses: { web: { 'a.%': { 'ImplementationSpecific /v[0-9]+/users': 'a' } } },
    asks: [
      ['a.%/v1/users', 'a'],
      ['a.%/V12/Users/7', 'a'],
      ['a.%/v/users', '404'],
      ['a.%/x/v1/users', '404'],
    ],
  },
  {
    title: 'R10-22: what is no regular expression loses that path alone',
    ingresses: {
      web: {
        'a.%': {
          'ImplementationSpecific /a(': 'a',
          'ImplementationSpecific /b)|(c': 'a',
          'ImplementationSpecific /d(?=e)': 'a',
          'ImplementationSpecific /(f)\\1': 'a',
          '/good': 'b',
        },
      },
    },
    asks: [
      ['a.%/good', 'b'],
      ['a.%/a', '404'],
      ['a.%/c', '404'],
    ],
    warnings: ['InvalidRegex web'],
  },
  {
    title: 'R10-23: a pattern past its bounds loses that path alone',
    ingresses: {
      web: {
        'a.%': {
          [`ImplementationSpecific /${'a'.repeat(512)}*`]: 'a',
          'ImplementationSpecific /(x{100}){100}': 'a',
          'ImplementationSpecific /x{3}': 'b',
        },
      },
    },
    asks: [['a.%/xxx', 'b']],
    warnings: ['RegexTooLarge web'],
  },
  {
    title: 'R10-23: a path above 2,048 bytes never reaches the regexes, and is served where none is asked',
    ingresses: { web: { 'a.%': { 'ImplementationSpecific /x.*': 'a', '/plain': 'b' } } },
    asks: [
      [`a.%/x${'y'.repeat(2046)}`, 'a'],
      [`a.%/x${'y'.repeat(2048)}`, '414'],
      [`a.%/plain/${'y'.repeat(4000)}`, 'b'],
    ],
  },
  {
    title: 'R10-25: the anchor binds the whole pattern',
    ingresses: { web: { 'a.%': { 'ImplementationSpecific /a|/b': 'a' } } },
    asks: [
      ['a.%/a', 'a'],
      ['a.%/b', 'a'],
      ['a.%/z/b', '404'],
    ],
  },
  {
    title: 'R10-26: Exact, then the longest Prefix or literal, then the regexes',
    ingresses: {
      web: {
        'a.%': {
          'ImplementationSpecific /a.*': 'c',
          '/a': 'a',
          'ImplementationSpecific /a/b': 'b',
          'Exact /a/b/c': 'c',
        },
      },
    },
    asks: [
      ['a.%/a/x', 'a'],
      ['a.%/a/b/x', 'b'],
      ['a.%/a/b/c', 'c'],
      ['a.%/abc', 'c'],
    ],
  },
  {
    title: 'R10-26: within one Ingress regexes come as they are written',
    ingresses: { web: { 'a.%': { 'ImplementationSpecific /x.*': 'a', 'ImplementationSpecific /xy+': 'b' } } },
    asks: [['a.%/xyy', 'a']],
  },
  {
    title: 'R10-27: of the same age, the first by name is the older one',
    ingresses: {
      b: { 'a.%': { 'ImplementationSpecific /x+': 'b' } },
      a: { 'a.%': { 'ImplementationSpecific /xx*': 'a' } },
    },
    asks: [['a.%/xx', 'a']],
  },
  {
    title: 'R10-29: the canonical form is matched and forwarded',
    ingresses: { web: { 'a.%': { '/a': 'a', '/b': 'b', '/x': 'c' } } },
    asks: [
      ['a.%/%61', 'a', '/a'],
      ['a.%/%7Ea/../a', 'a', '/a'],
      ['a.%/a/../b/./c', 'b', '/b/c'],
      ['a.%/a/%2e%2e/b', 'b', '/b'],
      ['a.%/a%2Fb', '404'],
      ['a.%/x/a%2Fb', 'c', '/x/a%2Fb'],
      ['a.%/x//y', 'c', '/x//y'],
      ['a.%//x', '404'],
      ['a.%/x/;v=1', 'c', '/x/;v=1'],
      ['a.%/x?q=%zz&../', 'c', '/x?q=%zz&../'],
    ],
  },
  {
    title: 'R10-30: what two parties could read differently is refused',
    ingresses: { web: { 'a.%': { '/': 'a' } } },
    asks: [
      ['a.%/..', '400'],
      ['a.%/a/../../b', '400'],
      ['a.%/%2e%2e/b', '400'],
      ['a.%/%00', '400'],
      ['a.%/a\\b', '400'],
      ['a.%/a%5Cb', '400'],
      ['a.%/a%zz', '400'],
      ['a.%/a%', '400'],
      ['a.%/a#b', '400'],
      ['a.%/a\u00e9', '400'],
      ['a.%/still-fine', 'a'],
    ],
  },
]

describe('paths, end to end', () => {
  const stage = rowScene()
  itHolds(stage, rows)

  it('R10-27, R10-28: the older Ingress keeps the path whatever its name, and the other one is told', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    const older = await namespace.ingress('z-older', { [host]: { '/': 'a', '/x': 'a' } })
    // Ages are whole seconds.
    const second = new Date(String(older.metadata['creationTimestamp'])).getTime()
    await eventually(() => expect(Date.now()).to.be.above(second + 1000))
    await namespace.ingress('a-newer', { [host]: { '/': 'b', '/y': 'b' } })
    await namespace.compiled(ramjet)
    await ramjet.serves(`http://${host}/y`, 'b')
    expect((await ramjet.get(`http://${host}/`)).from).to.equal('a-1')
    const told = await ramjet.warnings(namespace.name)
    const conflict = told.filter(({ reason }) => reason === 'RouteConflict')
    expect(conflict.map(({ object }) => object.name)).to.deep.equal(['a-newer'])
    expect(conflict[0]?.message).to.include('z-older')
    await namespace.deleteIngress('z-older')
    await ramjet.serves(`http://${host}/`, 'b')
  })
})

describe('paths under a flag, end to end', () => {
  const namespace = namespaceForEach()

  it('R10-32: --encoded-slash reject answers 400 to %2F', async () => {
    await namespace().service('a')
    await namespace().ingress('web', { [namespace().host('a')]: { '/': 'a' } })
    const ramjet = await Ramjet.start(theCluster(), { workers: 1, flags: ['--encoded-slash', 'reject'] })
    try {
      await ramjet.serves(`http://${namespace().host('a')}/x/y`, 'a')
      expect((await ramjet.get(`http://${namespace().host('a')}/x%2Fy`)).from).to.equal('400')
    } finally {
      await ramjet.stop()
    }
  })
})
