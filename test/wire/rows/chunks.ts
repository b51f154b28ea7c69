import { brokenOff, chunked, served, type WireRow } from '../wire-row.ts'

const LAST = '0\r\n\r\n'
const POSTED = { line: 'POST / HTTP/1.1', fields: ['Transfer-Encoding: chunked'], body: 'abc' }

/** Section B: a body in chunks. */
export const CHUNKS: readonly WireRow[] = [
  brokenOff([31, 'chunk-lf', chunked(`3\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-lf-after-data', chunked(`3\r\nabc\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-lf-at-end', chunked('3\r\nabc\r\n0\n\n')], 400),
  brokenOff([undefined, 'chunk-cr', chunked(`3\rabc\r\n${LAST}`)], 400),
  brokenOff([33, 'chunk-0x', chunked(`0x3\r\nabc\r\n${LAST}`)], 400),
  brokenOff([34, 'chunk-plus', chunked(`+3\r\nabc\r\n${LAST}`)], 400),
  brokenOff([35, 'chunk-neg', chunked(`-1\r\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-overflow', chunked(`10000000000000003\r\nabc\r\n${LAST}`)], 400),
  brokenOff([37, 'chunk-empty-size', chunked(`\r\nabc\r\n${LAST}`)], 400),
  served([38, 'chunk-ext', chunked(`3;a=b\r\nabc\r\n${LAST}`)], POSTED),
  served([undefined, 'chunk-ext-quoted', chunked(`3;a="b c"\r\nabc\r\n0;x\r\n\r\n`)], POSTED),
  brokenOff([undefined, 'chunk-ext-no-name', chunked(`3;=b\r\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-ext-no-value', chunked(`3;a=\r\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-ext-empty', chunked(`3;a;;b\r\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-ext-unquoted', chunked(`3;a="b\r\nabc\r\n${LAST}`)], 400),
  brokenOff([39, 'chunk-ext-lf', chunked(`3;a\nb\r\nabc\r\n${LAST}`)], 400),
  brokenOff([41, 'chunk-ext-big', chunked(`3;${'a'.repeat(70_000)}\r\nabc\r\n${LAST}`)], 400),
  brokenOff([undefined, 'chunk-ext-many', chunked(`${`1;${'a'.repeat(600)}\r\na\r\n`.repeat(30)}${LAST}`)], 400),
  brokenOff([42, 'chunk-sp-after', chunked(`3 \r\nabc\r\n${LAST}`)], 400),
  brokenOff([43, 'chunk-long-data', chunked(`3\r\nabcdef\r\n${LAST}`)], 400),
  served([45, 'trailer-ok', chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n', ['Trailer: X-Sum'])], {
    ...POSTED,
    fields: ['Transfer-Encoding: chunked', 'Trailer: X-Sum'],
    trailers: ['X-Sum: 1'],
  }),
  served(
    [
      46,
      'trailer-cl',
      chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\nHost: evil\r\nX-Forwarded-For: 1\r\n\r\n'),
    ],
    { ...POSTED, without: ['content-length'], trailers: ['X-Sum: 1'] },
  ),
  served([undefined, 'trailer-te', chunked('3\r\nabc\r\n0\r\nTransfer-Encoding: gzip\r\n\r\n')], POSTED),
  served([undefined, 'trailer-connection', chunked('3\r\nabc\r\n0\r\nConnection: close\r\nX-Sum: 1\r\n\r\n')], {
    ...POSTED,
    trailers: ['X-Sum: 1'],
  }),
  served(
    [
      undefined,
      'trailer-forbidden',
      chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: evil\r\nCookie: a=b\r\nX_A: 1\r\nX-Forwarded-For: 1\r\n\r\n'),
    ],
    { ...POSTED, trailers: ['X-Sum: 1'] },
  ),
  brokenOff([47, 'trailer-big', chunked(`3\r\nabc\r\n0\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`)], 431),
  brokenOff([undefined, 'trailer-many', chunked(`3\r\nabc\r\n0\r\n${'a: b\r\n'.repeat(201)}\r\n`)], 431),
  served([undefined, 'trailer-most', chunked(`3\r\nabc\r\n0\r\n${'a: b\r\n'.repeat(200)}\r\n`)], {
    ...POSTED,
    trailers: Array.from({ length: 200 }, () => 'a: b'),
  }),
]
