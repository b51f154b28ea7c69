import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseRequestTarget } from '../../src/http/request-target.ts'

describe('parseRequestTarget', () => {
  const cases: readonly { readonly target: string; readonly want: unknown }[] = [
    { target: '/', want: { kind: 'path', path: '/', query: '', authority: undefined } },
    { target: '/a?b?c', want: { kind: 'path', path: '/a', query: '?b?c', authority: undefined } },
    { target: '/a?', want: { kind: 'path', path: '/a', query: '?', authority: undefined } },
    { target: '//a.example/b', want: { kind: 'path', path: '//a.example/b', query: '', authority: undefined } },
    { target: '*', want: { kind: 'asterisk' } },
    { target: 'http://a.example', want: { kind: 'path', path: '/', query: '', authority: 'a.example' } },
    { target: 'HTTP://A.example:80/b?c', want: { kind: 'path', path: '/b', query: '?c', authority: 'A.example:80' } },
    { target: 'http://a.example?c', want: { kind: 'path', path: '/', query: '?c', authority: 'a.example' } },
    { target: 'http://[::1]:80/', want: { kind: 'path', path: '/', query: '', authority: '[::1]:80' } },
    ...[
      '',
      'a',
      '@evil.test/x',
      'a.example:80',
      'http:/a',
      'http://',
      'http:///a',
      'http://u@a.example/',
      'https://a.example/',
      'ftp://a.example/',
      '/a b',
      '/a\tb',
      '/a\0',
      '/a\x7f',
      '/a?\xe9',
      '/a#b',
      '/a?b#c',
      '*a',
    ].map((target) => ({ target, want: { kind: 'invalid' } })),
  ]

  for (const { target, want } of cases) {
    it(`${JSON.stringify(target)} is ${JSON.stringify(want)}`, () => {
      expect(parseRequestTarget(target)).to.deep.equal(want)
    })
  }

  it('gives back every byte of an origin form', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', '?', 'a', '%', ';', ':', '@', '=', '.') }), (rest) => {
        const parsed = parseRequestTarget(`/${rest}`)
        expect(parsed.kind === 'path' ? parsed.path + parsed.query : '').to.equal(`/${rest}`)
      }),
    )
  })
})
