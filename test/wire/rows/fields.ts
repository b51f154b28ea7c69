import { HOST } from '../wire-bench.ts'
import { get, message, refused, served, type WireRow } from '../wire-row.ts'

const GOT = { line: 'GET / HTTP/1.1' }

function raw(lines: string): string {
  return `GET / HTTP/1.1\r\nHost: ${HOST}\r\n${lines}\r\n\r\n`
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, () => 'a: b')
}

/** Section C: header fields. */
export const FIELDS: readonly WireRow[] = [
  refused([49, 'tab-colon', raw('A\t: b')], 400),
  refused([undefined, 'space-colon', raw('A : b')], 400),
  refused([undefined, 'space-colon-framing', raw('Content-Length : 0')], 400),
  refused([50, 'lead-sp-first', `GET / HTTP/1.1\r\n Host: ${HOST}\r\n\r\n`], 400),
  refused([51, 'obs-fold', raw('A: b\r\n c')], 400),
  refused([undefined, 'obs-fold-tab', raw('A: b\r\n\tc')], 400),
  refused([53, 'no-colon', raw('A')], 400),
  refused([54, 'empty-name', raw(': x')], 400),
  refused([55, 'name-paren', raw('X(A): b')], 400),
  refused([undefined, 'name-nul', raw('A\0: b')], 400),
  refused([undefined, 'name-obs-text', raw('\xe9: b')], 400),
  refused([57, 'val-nul', raw('A: \0')], 400),
  refused([58, 'val-barecr', raw('A: b\rc')], 400),
  refused([59, 'val-ctl', raw('A: \x01')], 400),
  refused([undefined, 'val-del', raw('A: \x7f')], 400),
  served([61, 'val-obstext', get('/', ['X-V: caf\xe9'])], { ...GOT, fields: ['X-V: caf\xe9'] }),
  refused([62, 'bare-lf-headers', `GET / HTTP/1.1\nHost: ${HOST}\n\n`], 400),
  refused([63, 'bare-lf-one', raw('A: b\nC: d')], 400),
  refused([undefined, 'bare-lf-end', `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\n`], 400),
  served([65, 'lead-crlf', `\r\n\r\n${get()}`], GOT),
  refused([undefined, 'lead-lf', `\n${get()}`], 400),
  refused([undefined, 'lead-cr', `\r${get()}`], 400),
  refused([66, 'lead-many-crlf', '\r\n'.repeat(5000) + get()], 400),
  refused([67, 'hdr-big-one', get('/', [`A: ${'a'.repeat(70_000)}`])], 431),
  refused([undefined, 'hdr-huge-one', get('/', [`A: ${'a'.repeat(150_000)}`])], 431),
  refused([undefined, 'hdr-many', get('/', many(200))], 431),
  served([undefined, 'hdr-most', get('/', many(199))], GOT),
  refused([69, 'uri-big', get(`/${'a'.repeat(70_000)}`)], 414),
  refused([undefined, 'uri-huge', get(`/${'a'.repeat(150_000)}`)], 414),
  served([70, 'hdr-proto', get('/', ['__proto__: a', 'constructor: b'])], {
    ...GOT,
    fields: ['constructor: b'],
    without: ['__proto__'],
  }),
  served(
    [undefined, 'hdr-proto-kept', get('/', ['__proto__: a', 'constructor: b'])],
    { ...GOT, fields: ['__proto__: a', 'constructor: b'] },
    { settings: { underscoreHeaders: 'keep' } },
  ),
  served([71, 'underscore-xff', get('/', ['X_Forwarded_For: 192.0.2.1'])], { ...GOT, without: ['x_forwarded_for'] }),
  served(
    [undefined, 'underscore-keep', get('/', ['X_Team: 1'])],
    { ...GOT, fields: ['X_Team: 1'] },
    { settings: { underscoreHeaders: 'keep' } },
  ),
  {
    ...refused([undefined, 'underscore-reject', get('/', ['X_Team: 1'])], 400),
    settings: { underscoreHeaders: 'reject' },
  },
  served(
    [
      undefined,
      'claims',
      message('GET / HTTP/1.1', [`Host: ${HOST}`, 'Forwarded: for=192.0.2.1', 'Proxy: http://evil']),
    ],
    {
      ...GOT,
      without: ['forwarded', 'proxy'],
    },
  ),
]
