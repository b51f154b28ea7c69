// Request heads, ordinary and odd, for properties: made of parts that mean something, so that most are nearly right.
import * as fc from 'fast-check'

const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'Put', 'FOOBAR', 'M-SEARCH', 'G T', '']
const TARGETS = [
  '/',
  '/a/b?c=d',
  '/a%20b',
  '/a%2Fb',
  '/%61',
  '/%7e',
  '/a/../b',
  '/a/.',
  '/.well-known/x',
  '/...',
  '/a%',
  '/a%0',
  '/a%00',
  '/a\\b',
  '/caf\xe9',
  '/a?caf\xe9',
  '/a#b',
  '/a?b#c',
  '//a',
  '/a;b/../c',
  '*',
  'http://shop.example/x?y',
  'http://other.example/',
  'HTTP://shop.example',
  'https://shop.example/',
  'x',
  '',
]
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/1.10',
  'http/1.1',
  'HTTP/0.9',
  '',
]
const HOSTS = [
  'shop.example',
  'SHOP.example',
  'shop.example:8080',
  'shop.example.',
  'a..b',
  '[::1]:80',
  '',
  'a b',
  'a:99999',
  'a_b',
  '127.0.0.1',
]
const FIELDS = [
  'Accept: */*',
  'Accept:*/*',
  'Accept:  */*',
  'Accept: */* ',
  'Empty:',
  'Empty: ',
  'Cookie: a=b; c=d',
  'Connection: keep-alive',
  'Connection: close',
  'Connection: Close, TE',
  'connection: Keep-Alive,, x-hop',
  'Connection: X-Forwarded-For, Cookie',
  'Connection: Upgrade',
  'Connection: ,',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Upgrade-Insecure-Requests: 1',
  'Keep-Alive: timeout=5',
  'Close: 1',
  'X-Hop: 1',
  'Proxy: http://evil.example',
  'Proxy-Connection: keep-alive',
  'Proxy-Authorization: Basic eA==',
  'TE: trailers',
  'TE: Trailers',
  'TE: gzip, trailers',
  'TE: gzip',
  'Trailer: X-Sum',
  'Content-Length: 0',
  'Content-Length: 3',
  'Content-Length: 03',
  'Content-Length: +3',
  'Content-Length: 3, 3',
  'Content-Length: 9007199254740993',
  'Content-Length:',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer_Encoding: chunked',
  'Expect: 100-continue',
  'X-Request-Id: abc-123',
  'X-Request-Id: a b',
  `X-Request-Id: ${'a'.repeat(129)}`,
  'X-Forwarded-For: 198.51.100.7',
  'X-Forwarded-For: 198.51.100.7, 192.0.2.9',
  'X-Forwarded-For:',
  'X-Forwarded-Host: other.example',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Prefix: /p',
  'X-Forwarded-: 1',
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
  'SSL-Client: 1',
  'Date: now',
  'Server: x',
  'Via: 1.1 a',
  'X-Obs: caf\xe9',
  'X-Ctl: a\x01b',
  'X-Del: a\x7fb',
  'X-Tab: a\tb',
  'X-Cr: a\rb',
  'X-Lf: a\nb',
  'Bad Name: x',
  ' folded',
  ': x',
  'no colon',
]

/** A head with its empty line; `fc.sample` of it is mostly almost right. */
export const requestHeads: fc.Arbitrary<string> = fc
  .record({
    empty: fc.constantFrom('', '', '', '\r\n', '\r\n\r\n'),
    method: fc.oneof({ weight: 4, arbitrary: fc.constant('GET') }, fc.constantFrom(...METHODS)),
    target: fc.oneof({ weight: 2, arbitrary: fc.constant('/a/b?c') }, fc.constantFrom(...TARGETS)),
    version: fc.oneof({ weight: 6, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...VERSIONS)),
    host: fc.oneof({ weight: 3, arbitrary: fc.constant('shop.example') }, fc.constantFrom(...HOSTS)),
    hasHost: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
    fields: fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FIELDS.slice(0, 60)) }, fc.constantFrom(...FIELDS)),
      {
        maxLength: 8,
      },
    ),
    place: fc.nat(8),
  })
  .map(({ empty, method, target, version, host, hasHost, fields, place }) => {
    const lines = [...fields]
    if (hasHost) lines.splice(place, 0, `Host: ${host}`)
    return `${empty}${[`${method} ${target} ${version}`, ...lines].join('\r\n')}\r\n\r\n`
  })

/** Heads with some bytes changed, taken away or put in. */
export function mangled(heads: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const put = fc.constantFrom('', '\r', '\n', ' ', '\t', ':', '\0', '/', 'a', '\xff', '\r\n', '_')
  const edit = fc.record({ at: fc.nat(1000), cut: fc.nat(2), put })
  return fc.tuple(heads, fc.array(edit, { maxLength: 3 })).map(([head, edits]) => {
    let text = head
    for (const { at, cut, put: inserted } of edits) {
      const place = at % (text.length + 1)
      text = text.slice(0, place) + inserted + text.slice(place + cut)
    }
    return text
  })
}

const STATUS_LINES = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200',
  'HTTP/1.1 200 ',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 404 caf\xe9',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 099 x',
  'HTTP/1.1 999 x',
  'HTTP/1.1 99 x',
  'HTTP/1.1 2000 x',
  'HTTP/1.1  200 x',
  'HTTP/1.2 200 x',
  'HTTP/2.0 200 x',
  'HTTP/2 200',
  'http/1.1 200 x',
  'ICY 200 OK',
  '<html>',
  '',
]
const RESPONSE_FIELDS = [
  'Content-Type: text/html',
  'Content-Length: 3',
  'Content-Length: 0',
  'Content-Length: x',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: gzip',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade, Keep-Alive',
  'Connection: x-hop',
  'Upgrade: h2,h2c',
  'Keep-Alive: timeout=5',
  'Proxy-Authenticate: Basic',
  'Proxy: x',
  'Trailer: X-Sum',
  'TE: trailers',
  'TE: x',
  'Server: nginx',
  'Date: Thu, 01 Jan 2026 00:00:00 GMT',
  'X-Hop: 1',
  'X_A: 1',
  'X.A: 1',
  'X-Request-Id: 1',
  'X-Forwarded-For: 1',
  'Forwarded: 1',
  'SSL-Client-Verify: 1',
  'Close: 1',
  'Set-Cookie: a=b',
  'Set-Cookie: c=d',
  'X-A:b',
  'X-A:  b',
  'X-Obs: caf\xe9',
  'X-Ctl: \x01',
  'X : y',
  ' fold',
]

/** Heads of responses, likewise. */
export const responseHeads: fc.Arbitrary<string> = fc
  .record({
    line: fc.oneof({ weight: 2, arbitrary: fc.constant('HTTP/1.1 200 OK') }, fc.constantFrom(...STATUS_LINES)),
    fields: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...RESPONSE_FIELDS.slice(0, 32)) },
        fc.constantFrom(...RESPONSE_FIELDS),
      ),
      { maxLength: 8 },
    ),
  })
  .map(({ line, fields }) => `${[line, ...fields].join('\r\n')}\r\n\r\n`)
