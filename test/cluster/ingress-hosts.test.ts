// The rows of the Ingress chapter about hosts, end to end (R10-50): stored by the API server, asked over sockets. What it
// refuses to store is left to the compiler's own tables.
import { expect } from 'chai'
import { HTTP_PORT } from './support/ramjet.ts'
import { sendRaw } from './support/raw.ts'
import { itHolds, type Row, rowScene } from './support/rows.ts'

const LABEL_64 = 'x'.repeat(64)

const rows: readonly Row[] = [
  {
    title: 'R10-9: a rule has an exact host, a wildcard, or none',
    ingresses: { web: { 'a.%': { '/': 'a' }, '*.w.%': { '/': 'b' }, '*': { '/only-here': 'c' } } },
    asks: [
      ['a.%/', 'a'],
      ['x.w.%/', 'b'],
      ['nobody.%/only-here', 'c'],
      ['nobody.%/', '404'],
    ],
  },
  {
    title: 'R10-9: a label of 64 characters loses that rule alone',
    ingresses: { web: { [`${LABEL_64}.example`]: { '/': 'a' }, 'a.%': { '/': 'a' } } },
    asks: [
      ['a.%/', 'a'],
      [`${LABEL_64}.example/`, '400'],
    ],
    warnings: ['InvalidHost web'],
  },
  {
    title: 'R10-10: a wildcard stands for exactly one label',
    ingresses: { web: { '*.w.%': { '/': 'a' } } },
    asks: [
      ['one.w.%/', 'a'],
      ['one.two.w.%/', '404'],
      ['w.%/', '404'],
    ],
  },
  {
    title: 'R10-11: an authority loses its port and one trailing dot and is lowered',
    ingresses: { web: { 'a.%': { '/': 'a' } } },
    asks: [
      ['a.%:8080/', 'a'],
      ['a.%./', 'a'],
      ['A.%/', 'a'],
      ['a.%../', '400'],
      ['a..%/', '400'],
      ['a.%:port/', '400'],
    ],
  },
  {
    title: 'R10-11: an IP address meets the catch-all',
    ingresses: { web: { '*': { '/by-address': 'a' } } },
    asks: [
      ['192.0.2.7/by-address', 'a'],
      ['[2001:db8::1]:8080/by-address', 'a'],
      ['192.0.2.7/', '404'],
    ],
  },
  {
    title: 'R10-12: the host is chosen before any path: exact, wildcard, catch-all',
    ingresses: { web: { 'a.w.%': { '/x': 'a' }, '*.w.%': { '/x': 'b', '/y': 'b' }, '*': { '/z': 'c' } } },
    asks: [
      ['a.w.%/x', 'a'],
      ['b.w.%/x', 'b'],
      ['other.%/z', 'c'],
    ],
  },
  {
    title: 'R10-13: a path that its host does not take is not tried on the wildcard or the catch-all',
    ingresses: { web: { 'a.w.%': { '/x': 'a' }, '*.w.%': { '/y': 'b' }, '*': { '/z': 'c' } } },
    asks: [
      ['a.w.%/y', '404'],
      ['a.w.%/z', '404'],
      ['b.w.%/z', '404'],
    ],
  },
]

describe('hosts, end to end', () => {
  const stage = rowScene()
  itHolds(stage, rows)

  it('R10-11: HTTP/1.0 without Host meets the catch-all', async () => {
    const { ramjet, namespace } = stage
    await namespace.ingress('web', { '*': { '/old': 'a' } })
    await ramjet.serves('http://192.0.2.1/old', 'a')
    const answer = await sendRaw({ address: ramjet.address, port: HTTP_PORT }, 'GET /old HTTP/1.0\r\n\r\n')
    expect(answer)
      .to.match(/^HTTP\/1\.[01] 200 /)
      .and.to.include('"pod":"a-1"')
  })
})
