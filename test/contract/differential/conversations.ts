// Conversations, written and generated, that every engine must lead alike. What Node's parser cannot do is left out:
// that is the closed list (R20-182).
import * as fc from 'fast-check'
import type { Conversation } from './exchange.ts'

const HOST = 'Host: shop.example'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const REQUEST_FIELDS = [
  'Accept: */*',
  'Accept:*/*',
  'Accept:  */* ',
  'Empty:',
  'Cookie: a=b; c=d',
  'COOKIE: e=f',
  'User-Agent: test',
  'Connection: keep-alive',
  'Connection: close',
  'connection: Close, TE',
  'Connection: Keep-Alive,, x-hop',
  'Connection: X-Forwarded-For, Cookie, Accept',
  'Upgrade-Insecure-Requests: 1',
  'Keep-Alive: timeout=5',
  'X-Hop: 1',
  'Proxy: http://evil.example',
  'Proxy-Authorization: Basic eA==',
  'TE: trailers',
  'TE: gzip, Trailers',
  'TE: gzip',
  'Trailer: X-Sum',
  'X-Request-Id: abc-123',
  'X-Request-Id: a b',
  'X-Forwarded-For: 198.51.100.7',
  'X-Forwarded-For: 198.51.100.7, 192.0.2.9',
  'X-Forwarded-For:',
  'X-Forwarded-Host: other.example',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Prefix: /p',
  'X-Original-Forwarded-For: 192.0.2.1',
  'X-Original-URL: /x',
  'X-Real-IP: 192.0.2.2',
  'X-Scheme: https',
  'Forwarded: for=192.0.2.3',
  'X_Forwarded_For: 192.0.2.4',
  'X.Forwarded.For: 192.0.2.4',
  'X.Team: 1',
  'X_Team: 1',
  'ssl-client-verify: SUCCESS',
  'Via: 1.1 a',
  'Content-Type: application/grpc',
  'content-type: Application/GRPC-web+proto',
  'X-Tab: a\tb',
  'X-Obs: caf\xe9',
  'Connection: Upgrade',
  'Connection: close, Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMA',
  'Close: 1',
  'Host2: x',
  'Te: trailers;q=1',
  'Expect: nothing',
  'Proxy-Foo: 1',
  'SSL-Client-Cert: x',
  'X-Forwarded-: y',
  'X-Scheme:',
  'Forwarded:',
  'X-Request-Id:',
  'Range: bytes=0-1',
]

const TARGETS = ['/', '/a?b=c', '/%61', '/a%2Fb', '/a/../b?c', '/.well-known', '//a', '/a;b', 'http://shop.example/x?y']

/** Requests with one fault each, which no origin sees. */
const FAULTY: readonly string[] = [
  ...['/a%00', '/a%2', '/a\\b', '/a#b', '/../a', 'x', '*', 'http://other.example/', 'ftp://shop.example/'].map(
    (target) => `GET ${target} HTTP/1.1\r\n${HOST}\r\n\r\n`,
  ),
  ...['', 'a..b', 'a b', 'a:99999', '[::1', 'u@a'].map((host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/1.10', 'http/1.1'].map((version) => `GET / ${version}\r\n${HOST}\r\n\r\n`),
  ...['TRACE', 'CONNECT', 'get'].map((method) => `${method} / HTTP/1.1\r\n${HOST}\r\n\r\n`),
  ...['X : y', ' folded', ': x', 'no colon', 'X: \x01', HOST].map(
    (line) => `GET / HTTP/1.1\r\n${HOST}\r\n${line}\r\n\r\n`,
  ),
  ...['+3', '3, 3', '', '9007199254740993'].map(
    (length) => `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: ${length}\r\n\r\nabc`,
  ),
  ...['gzip', 'gzip, chunked', 'identity', 'chunked, chunked'].map(
    (coding) => `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
  ),
  'OPTIONS * HTTP/1.1\r\nHost: shop.example\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n',
  'HEAD / HTTP/1.1\r\nHost: nobody.example\r\n\r\n',
  ...['TRACE', 'CONNECT', 'HEAD', 'POST'].map(
    (method) => `${method} / HTTP/1.1\r\nHost: nobody.example\r\nContent-Type: application/grpc\r\n\r\n`,
  ),
  `POST / HTTP/1.1\r\n${HOST}\r\nContent-Type: application/grpc\r\nContent-Length: 3\r\n\r\nabc`,
  `POST / HTTP/1.1\r\n${HOST}\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n`,
  'GET / HTTP/1.0\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
]

const RESPONSE_FIELDS = [
  'Content-Type: text/html',
  'content-type: TEXT/html',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade, Keep-Alive',
  'Connection: x-hop',
  'Upgrade: h2c',
  'Keep-Alive: timeout=5',
  'Proxy-Authenticate: Basic',
  'Server: nginx',
  'X-Hop: 1',
  'X_A: 1',
  'X-Request-Id: 1',
  'X-Forwarded-For: 1',
  'Set-Cookie: a=b',
  'Set-Cookie: c=d',
  'X-A:b',
  'X-A:  b ',
  'X-Obs: caf\xe9',
  'Location: /x',
  'Close: 1',
  'TE: trailers',
  'Trailer: X-Sum',
  'Keep-Alive: timeout=0',
  'Proxy-Foo: 1',
  'Via: 1.0 x',
  'Date:',
  'Server:',
  'X-Accel-Redirect: /x',
]

/** Responses that are answered 502. */
const BROKEN = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n',
  'HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nX Y: z\r\n\r\n',
  '<html>',
  '',
]

/** Cases that are had in every run. */
export const WRITTEN: readonly Conversation[] = [
  ...FAULTY.map((request) => ({ request, response: OK, ends: false })),
  ...BROKEN.map((response) => ({ request: `POST / HTTP/1.1\r\n${HOST}\r\n\r\n`, response, ends: true })),
  {
    request: `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: x\r\n\r\n`,
    response: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nX-Real-IP: 2\r\n\r\n',
    ends: false,
  },
  { request: `GET / HTTP/1.0\r\n${HOST}\r\nConnection: keep-alive\r\n\r\n`, response: OK, ends: false },
  ...[OK, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'].map((response) => ({
    request: `GET / HTTP/1.0\r\n${HOST}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    response,
    ends: false,
  })),
  {
    request: `GET / HTTP/1.1\r\n${HOST}\r\n\r\n`,
    response: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`,
    ends: false,
  },
  { request: `POST / HTTP/1.1\r\n${HOST}\r\n\r\n`, response: 'HTTP/1.1 101 No\r\nUpgrade: x\r\n\r\n', ends: true },
]

/** A line that frames a body, and the body. */
const BODIES: readonly (readonly [lines: readonly string[], body: string])[] = [
  [[], ''],
  [[], ''],
  [['Content-Length: 3'], 'abc'],
  [['content-length: 0'], ''],
  [['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'],
  [['Transfer-Encoding:\tChunked'], '1;x=y\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n'],
]

const requests: fc.Arbitrary<string> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'DELETE'),
    target: fc.constantFrom(...TARGETS),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'),
    host: fc.constantFrom('shop.example', 'shop.example', 'SHOP.example', 'shop.example:8080', 'shop.example.'),
    fields: fc.array(fc.constantFrom(...REQUEST_FIELDS), { maxLength: 8 }),
    body: fc.constantFrom(...BODIES),
    place: fc.nat(8),
  })
  // HTTP/1.0 knows no chunks: refused, and written above.
  .filter(({ version, body: [lines] }) => version === 'HTTP/1.1' || !/^transfer/i.test(lines[0] ?? ''))
  .map(({ method, target, version, host, fields, body: [framing, body], place }) => {
    const lines = [...fields, ...framing]
    lines.splice(place, 0, `Host: ${host}`)
    return `${[`${method} ${target} ${version}`, ...lines].join('\r\n')}\r\n\r\n${body}`
  })

const RESPONSE_BODIES: readonly (readonly [lines: readonly string[], body: string, ends: boolean])[] = [
  [['Content-Length: 2'], 'ok', false],
  [['Content-Length: 2'], 'ok', false],
  [['Transfer-Encoding: chunked'], '2;x=y\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n', false],
  [['transfer-encoding: Chunked'], '2\r\nok\r\n0\r\n\r\n', false],
  [[], 'ok', true],
]

const responses: fc.Arbitrary<Pick<Conversation, 'response' | 'ends'>> = fc
  .record({
    line: fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 404 Nothing here',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 500 ',
      'HTTP/1.1 206 Partial',
      'HTTP/1.1 299 ',
      'HTTP/1.1 599 x',
      'HTTP/1.1 205 R',
    ),
    interim: fc.constantFrom(
      '',
      '',
      '',
      'HTTP/1.1 103 Early Hints\r\nLink: a\r\nX-Hop: 1\r\nConnection: x-hop\r\n\r\n',
      'HTTP/1.1 102 Processing\r\n\r\n',
    ),
    fields: fc.array(fc.constantFrom(...RESPONSE_FIELDS), { maxLength: 6 }),
    body: fc.constantFrom(...RESPONSE_BODIES),
    // The origin sends its own, so that no clock is in what is compared.
    date: fc.constant('Date: Thu, 01 Jan 2026 00:00:00 GMT'),
  })
  .map(({ line, interim, fields, body: [framing, body, ends], date }) => ({
    response: `${interim}${[line, ...fields, ...framing, date].join('\r\n')}\r\n\r\n${body}`,
    ends,
  }))

/** Generated ones: any request with any answer. A HEAD is answered by the head alone. */
export const conversations: fc.Arbitrary<Conversation> = fc.tuple(requests, responses).map(([request, answer]) => {
  if (!request.startsWith('HEAD ')) return { request, ...answer }
  const { response } = answer
  const cut = response.startsWith('HTTP/1.1 10') ? response.indexOf('\r\n\r\n') + 4 : 0
  return { request, response: response.slice(0, response.indexOf('\r\n\r\n', cut) + 4), ends: answer.ends }
})
