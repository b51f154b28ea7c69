import { HOST } from '../wire-bench.ts'
import { get, message, post, refused, served, type WireRow } from '../wire-row.ts'

const GOT = { line: 'GET / HTTP/1.1' }
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
const RANGES = `Range: bytes=${Array.from({ length: 500 }, () => '0-').join()}`

function line(requestLine: string): string {
  return message(requestLine, [`Host: ${HOST}`])
}

/** Section F: methods, versions, upgrades and fields of the hop. */
export const METHODS: readonly WireRow[] = [
  refused([115, 'connect', 'CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n'], 405),
  refused([117, 'trace', line('TRACE / HTTP/1.1')], 405, 'open'),
  refused([118, 'method-lower', line('get / HTTP/1.1')], 400),
  served([119, 'method-unknown', line('FOOBAR / HTTP/1.1')], { line: 'FOOBAR / HTTP/1.1' }),
  served([undefined, 'method-extension', line('PROPFIND / HTTP/1.1')], { line: 'PROPFIND / HTTP/1.1' }),
  refused([121, 'ver-20', line('GET / HTTP/2.0')], 505),
  refused([122, 'ver-12', line('GET / HTTP/1.2')], 505),
  refused([123, 'ver-bad', line('GET / HTTP/1.10')], 400),
  refused([undefined, 'ver-bad-later', line('GET / HTTP/1.20')], 400),
  refused([undefined, 'ver-09', line('GET / HTTP/0.9')], 505),
  refused([undefined, 'ver-letters', line('GET / HTTP/x.y')], 400),
  refused([undefined, 'ver-name-lower', line('GET / http/1.1')], 400),
  refused([undefined, 'ver-name-rtsp', line('GET / RTSP/1.0')], 400),
  refused([undefined, 'ver-name-ice', line('SOURCE / ICE/1.0')], 400),
  refused([undefined, 'line-spaces', line('GET  / HTTP/1.1')], 400),
  refused([undefined, 'line-spaces-later', line('GET /  HTTP/1.1')], 400),
  refused([undefined, 'line-space-end', line('GET / HTTP/1.1 ')], 400),
  refused([125, 'ver-none', 'GET /\r\n\r\n'], 400),
  served(
    [126, 'http10-nohost', 'GET /any HTTP/1.0\r\n\r\n'],
    { line: 'GET /any HTTP/1.1', fields: ['Host: '] },
    { ending: 'close' },
  ),
  refused([127, 'h2preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], 505),
  served([129, 'upgrade-body', post([...UPGRADE, 'Content-Length: 3'], 'abc')], {
    line: 'POST / HTTP/1.1',
    fields: ['Content-Length: 3'],
    without: ['upgrade', 'connection'],
    body: 'abc',
  }),
  served(
    [130, 'upgrade-ws-badver', get('/', [...UPGRADE, 'Sec-WebSocket-Version: 7'])],
    { ...GOT, fields: ['Sec-WebSocket-Version: 7', 'Upgrade: websocket', 'Connection: Upgrade'] },
    {
      answers: [426],
      origin: { answer: 'HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13\r\nContent-Length: 4\r\n\r\n426 ' },
    },
  ),
  served(
    [
      131,
      'conn-xff',
      get('/', ['Connection: close, X-Forwarded-For, Authorization, X-Hop', 'Authorization: Basic eA==', 'X-Hop: 1']),
    ],
    { ...GOT, fields: ['Authorization: Basic eA==', 'X-Forwarded-For: 127.0.0.1'], without: ['connection', 'x-hop'] },
    { ending: 'close' },
  ),
  served([133, 'conn-cl', post(['Connection: Content-Length', 'Content-Length: 3'], 'abc')], {
    line: 'POST / HTTP/1.1',
    fields: ['Content-Length: 3'],
    without: ['connection'],
    body: 'abc',
  }),
  served(
    [134, 'hop-te', get('/', ['TE: gzip, trailers', 'Keep-Alive: 1', 'Proxy-Connection: a', 'Proxy-Authorization: b'])],
    {
      ...GOT,
      fields: ['TE: trailers'],
      without: ['keep-alive', 'proxy-connection', 'proxy-authorization'],
    },
  ),
  served([undefined, 'hop-proxy-close', get('/', ['Proxy-Connection: close'])], {
    ...GOT,
    without: ['proxy-connection'],
  }),
  served(
    [undefined, 'http10-proxy-keep', message('GET / HTTP/1.0', [`Host: ${HOST}`, 'Proxy-Connection: keep-alive'])],
    { ...GOT, without: ['proxy-connection'] },
    { ending: 'close' },
  ),
  served(
    [135, 'expect-100', post(['Expect: 100-continue', 'Content-Length: 3'], 'abc')],
    { line: 'POST / HTTP/1.1', fields: ['Expect: 100-continue'], body: 'abc' },
    { answers: [100, 200], origin: { atHead: CONTINUE, answer: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' } },
  ),
  served([137, 'range-many', get('/', [RANGES])], { ...GOT, fields: [RANGES] }),
]
