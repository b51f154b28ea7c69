import { expect } from 'chai'
import * as fc from 'fast-check'
import { canonicalPath } from '../../src/lib/request-path.ts'

const untouched: readonly string[] = [
  '/',
  '/a',
  '/a/b/',
  '//admin',
  '/a//b',
  '/a;x=1/b',
  '/..a/b..',
  '/...',
  '/.well-known/acme-challenge/x',
  '/a/.b',
  '/%2F',
  '/%2f',
  '/a%20b',
  '/%C3%A9',
  '/%25',
  '/%252e%252e/a',
  "/!$&'()*+,:=@",
  '/"<>^`{|}',
  '/a%3Bb',
  '/..%2Fa',
  '/..;/a',
]

const changed: readonly { readonly path: string; readonly want: string }[] = [
  { path: '/%41%5a%61%7A%30%39', want: '/AZaz09' },
  { path: '/%2D%2e%5F%7e', want: '/-._~' },
  { path: '/a%2eb', want: '/a.b' },
  { path: '/.', want: '/' },
  { path: '/a/.', want: '/a/' },
  { path: '/a/./b', want: '/a/b' },
  { path: '/./a', want: '/a' },
  { path: '/a/..', want: '/' },
  { path: '/a/b/..', want: '/a/' },
  { path: '/a/../b', want: '/b' },
  { path: '/pub/../admin', want: '/admin' },
  { path: '/pub/%2e%2e/admin', want: '/admin' },
  { path: '/pub/.%2E/admin', want: '/admin' },
  { path: '/a/%2e/b', want: '/a/b' },
  { path: '/pub;/../admin', want: '/admin' },
  { path: '/a//../b', want: '/a/b' },
  { path: '//..', want: '/' },
  { path: '//../a', want: '/a' },
  { path: '/a/b/../../c', want: '/c' },
  { path: '/a%2F../b/../c', want: '/a%2F../c' },
]

const refused: readonly { readonly path: string; readonly says: string }[] = [
  { path: '', says: 'begin' },
  { path: 'a', says: 'begin' },
  { path: '*', says: 'begin' },
  { path: '@evil.example/x', says: 'begin' },
  { path: '/..', says: 'climbs' },
  { path: '/../a', says: 'climbs' },
  { path: '/a/../..', says: 'climbs' },
  { path: '/a/../../b', says: 'climbs' },
  { path: '/%2e%2e', says: 'climbs' },
  { path: '/./..', says: 'climbs' },
  { path: '/a\0', says: 'control' },
  { path: '/%00', says: 'encoded control' },
  { path: '/a%0d%0aX:b', says: 'encoded control' },
  { path: '/%09', says: 'encoded control' },
  { path: '/%1F', says: 'encoded control' },
  { path: '/%7f', says: 'encoded control' },
  { path: '/a\r', says: 'control' },
  { path: '/a\n', says: 'control' },
  { path: '/\x01', says: 'control' },
  { path: '/\t', says: 'control' },
  { path: '/\x7f', says: 'control' },
  { path: '/\x80', says: 'above' },
  { path: '/\u00ff', says: 'above' },
  { path: '/\u20ac', says: 'above' },
  { path: '/a b', says: 'space' },
  { path: '/a\\b', says: 'backslash' },
  { path: '/%5C', says: 'backslash' },
  { path: '/%5c..', says: 'backslash' },
  { path: '/a#b', says: '#' },
  { path: '/a?b', says: '?' },
  { path: '/%', says: 'malformed' },
  { path: '/%4', says: 'malformed' },
  { path: '/%zz', says: 'malformed' },
  { path: '/%4z', says: 'malformed' },
  { path: '/%%41', says: 'malformed' },
  { path: '/%u0041', says: 'malformed' },
]

describe('canonicalPath', () => {
  for (const path of untouched) {
    it(`leaves ${path} as it is`, () => {
      expect(canonicalPath(path)).to.deep.equal({ ok: true, value: path })
    })
  }

  for (const { path, want } of changed) {
    it(`makes ${path} ${want} (R10-29)`, () => {
      expect(canonicalPath(path)).to.deep.equal({ ok: true, value: want })
    })
  }

  for (const { path, says } of refused) {
    it(`refuses ${JSON.stringify(path)}: ${says} (R10-30)`, () => {
      const result = canonicalPath(path)
      expect(result.ok).to.equal(false)
      if (!result.ok) expect(result.error).to.include(says)
    })
  }

  for (const path of ['/a%2Fb', '/a%2fb', '/%2F%2e%2e/a']) {
    it(`refuses ${path} where encoded slashes are not kept (R10-32)`, () => {
      expect(canonicalPath(path, { encodedSlash: 'reject' })).to.deep.equal({
        ok: false,
        error: 'holds an encoded slash',
      })
      expect(canonicalPath(path, { encodedSlash: 'keep' }).ok).to.equal(true)
    })
  }

  it('keeps %252F where encoded slashes are refused', () => {
    expect(canonicalPath('/%252F', { encodedSlash: 'reject' }).ok).to.equal(true)
  })

  it('is canonical for what it gives, for random paths (R10-31)', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '.',
      '..',
      '%2e',
      '%2E',
      '/',
      '//',
      '%2F',
      '%41',
      '%7e',
      '%25',
      ';',
      '~',
      '%20',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = canonicalPath(`/${pieces.join('')}`)
        if (!result.ok) return
        expect(canonicalPath(result.value)).to.deep.equal(result)
        expect(result.value.split('/')).to.not.include.members(['.', '..'])
        expect(result.value).to.match(/^\//)
      }),
      { numRuns: 2000 },
    )
  })

  it('agrees with the URL standard on paths without a climb', () => {
    const segment = fc.constantFrom('a', 'b.c', '.', '..', '%2e', '%2E%2e', 'd;e', '')
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const path = `/x/${segments.join('/')}`
        const result = canonicalPath(path)
        if (result.ok) expect(result.value).to.equal(new URL(`http://a.example${path}`).pathname)
        else expect(result.error).to.equal('climbs above "/"')
      }),
      { numRuns: 2000 },
    )
  })

  it('has an answer for a path cut at every byte', () => {
    const whole = '/a/%2e%2E/./b//..%2F%41;c/../d/%e2%82%ac.'
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const result = canonicalPath(whole.slice(0, cut))
      if (result.ok) expect(canonicalPath(result.value)).to.deep.equal(result)
      else expect(result.error).to.match(/malformed|begin/)
    }
  })
})
