import { HOST } from '../wire-bench.ts'
import { brokenOff, get, message, post, refused, served, type WireRow } from '../wire-row.ts'

const CHUNKS = '3\r\nabc\r\n0\r\n\r\n'
const LENGTH = 'Content-Length: 3'
const CODING = 'Transfer-Encoding: chunked'
const POSTED = { line: 'POST / HTTP/1.1', body: 'abc' }

/** Section A: where a message ends. */
export const FRAMING: readonly WireRow[] = [
  refused([1, 'cl-te', post([LENGTH, CODING], CHUNKS)], 400),
  refused([2, 'te-cl-order', post([CODING, LENGTH], CHUNKS)], 400),
  refused([3, 'dup-cl-diff', post([LENGTH, 'Content-Length: 4'], 'abcd')], 400),
  refused([undefined, 'dup-cl-same', post([LENGTH, LENGTH], 'abc')], 400),
  refused([5, 'cl-list-same', post(['Content-Length: 3, 3'], 'abc')], 400),
  refused([6, 'cl-plus', post(['Content-Length: +3'], 'abc')], 400),
  refused([7, 'cl-neg', post(['Content-Length: -3'], 'abc')], 400),
  refused([undefined, 'cl-hex', post(['Content-Length: 0x3'], 'abc')], 400),
  refused([undefined, 'cl-fraction', post(['Content-Length: 3.0'], 'abc')], 400),
  refused([9, 'cl-empty', post(['Content-Length:'], 'abc')], 400),
  refused([10, 'cl-space-mid', post(['Content-Length: 3 3'], 'abc')], 400),
  refused([11, 'cl-overflow', post(['Content-Length: 18446744073709551619'], 'abc')], 400),
  refused([undefined, 'cl-above-2-to-53', post(['Content-Length: 9007199254740993'], 'abc')], 400),
  served([13, 'cl-on-get', message('GET / HTTP/1.1', [`Host: ${HOST}`, LENGTH], 'abc')], {
    line: 'GET / HTTP/1.1',
    fields: [LENGTH],
    body: 'abc',
  }),
  refused([14, 'te-identity', post(['Transfer-Encoding: identity', LENGTH], 'abc')], 400),
  refused([undefined, 'te-identity-alone', post(['Transfer-Encoding: identity'], 'abc')], 400),
  refused([15, 'te-chunked-identity', post(['Transfer-Encoding: chunked, identity'], CHUNKS)], 400),
  refused([undefined, 'te-chunked-twice', post(['Transfer-Encoding: chunked, chunked'], CHUNKS)], 400),
  refused([17, 'te-two-lines', post([CODING, CODING], CHUNKS)], 400),
  refused([18, 'te-gzip-chunked', post(['Transfer-Encoding: gzip, chunked'], CHUNKS)], 501),
  refused([19, 'te-gzip', post(['Transfer-Encoding: gzip'], 'abc')], 501),
  refused([undefined, 'te-x-gzip', post(['Transfer-Encoding: x-gzip'], 'abc')], 501),
  refused([undefined, 'te-deflate', post(['Transfer-Encoding: deflate, chunked'], CHUNKS)], 400),
  refused([21, 'te-quoted', post(['Transfer-Encoding: "chunked"'], CHUNKS)], 400),
  refused([22, 'te-vt', post(['Transfer-Encoding: \x0bchunked'], CHUNKS)], 400),
  refused([23, 'te-trailcomma', post(['Transfer-Encoding: chunked,'], CHUNKS)], 400),
  refused([undefined, 'te-empty', post(['Transfer-Encoding:'], CHUNKS)], 400),
  refused([undefined, 'te-parameter', post(['Transfer-Encoding: chunked;a=b'], CHUNKS)], 400),
  served([25, 'te-tab', post(['Transfer-Encoding:\tchunked'], CHUNKS)], POSTED),
  served([undefined, 'te-tab-behind', post(['Transfer-Encoding: chunked\t'], CHUNKS)], POSTED),
  served([undefined, 'te-upper', post(['TRANSFER-ENCODING: CHUNKED'], CHUNKS)], POSTED),
  refused([26, 'te-http10', message('POST / HTTP/1.0', [`Host: ${HOST}`, CODING], CHUNKS)], 400),
  served([27, 'te-underscore', post(['Transfer_Encoding: chunked', LENGTH], 'abc')], {
    ...POSTED,
    fields: [LENGTH],
    without: ['transfer_encoding', 'transfer-encoding'],
  }),
  {
    number: 29,
    id: 'pipelined-bad2',
    bytes: get('/first') + get('/', ['bad line']),
    answers: [200, 400],
    ending: 'close',
    upstream: [{ line: 'GET /first HTTP/1.1' }],
  },
  served(
    [30, 'get-after-close', get('/', ['Connection: close']) + get('/ignored')],
    { line: 'GET / HTTP/1.1', without: ['connection'] },
    { ending: 'close' },
  ),
  brokenOff([undefined, 'chunks-without-end', post([CODING], '3\r\nabc\r\n0\r\nX\r\n\r\n')], 400),
]
