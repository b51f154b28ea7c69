import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, linesOf, request } from './bench.ts'

const DATE = 'Date: Thu, 01 Jan 2026 00:16:40 GMT'

interface Row {
  readonly title: string
  readonly bytes: string
  readonly status: number
  readonly closes: boolean
}

const MALFORMED: readonly (readonly [title: string, bytes: string])[] = [
  ['71 #1: length and chunks', request('POST', '/', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  ['71 #2: chunks and length', request('POST', '/', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n')],
  ['71 #3: two lengths', request('POST', '/', ['Content-Length: 1', 'Content-Length: 2'], 'x')],
  ['71 #5: a list of lengths', request('POST', '/', ['Content-Length: 3, 3'], 'abc')],
  ['71 #6: +3', request('POST', '/', ['Content-Length: +3'], 'abc')],
  ['71 #7: -3', request('POST', '/', ['Content-Length: -3'], 'abc')],
  ['71 #9: no length', request('POST', '/', ['Content-Length: '], 'abc')],
  ['71 #10: 3 3', request('POST', '/', ['Content-Length: 3 3'], 'abc')],
  ['71 #11: 2^64+3', request('POST', '/', ['Content-Length: 18446744073709551619'], 'abc')],
  ['a length above 2^53', request('POST', '/', ['Content-Length: 9007199254740993'], 'abc')],
  ['71 #14: identity', request('POST', '/', ['Transfer-Encoding: identity', 'Content-Length: 3'], 'abc')],
  ['71 #15: chunked, identity', request('POST', '/', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n')],
  [
    '71 #17: chunked twice',
    request('POST', '/', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  ],
  ['71 #21: "chunked"', request('POST', '/', ['Transfer-Encoding: "chunked"'], '0\r\n\r\n')],
  ['71 #22: a vertical tab', request('POST', '/', ['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n')],
  ['71 #23: chunked,', request('POST', '/', ['Transfer-Encoding: chunked,'], '0\r\n\r\n')],
  ['71 #26: HTTP/1.0 with chunks', `POST / HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['71 #49: a tab before the colon', request('GET', '/', ['A\t: b'])],
  ['71 #50: white space before the first field', `GET / HTTP/1.1\r\n Host: ${HOST}\r\n\r\n`],
  ['71 #51: a folded value', request('GET', '/', ['A: b', ' c'])],
  ['71 #53: a line without a colon', request('GET', '/', ['A'])],
  ['71 #54: an empty name', request('GET', '/', [': x'])],
  ['71 #55: X(A)', request('GET', '/', ['X(A): b'])],
  ['71 #57: NUL in a value', request('GET', '/', ['A: \0'])],
  ['71 #58: a bare CR in a value', request('GET', '/', ['A: b\rc'])],
  ['71 #59: 0x01 in a value', request('GET', '/', ['A: \x01'])],
  ['71 #62: bare line feeds', `GET / HTTP/1.1\nHost: ${HOST}\n\n`],
  ['71 #63: one bare line feed', request('GET', '/', ['A: b\nC: d'])],
  ['71 #73: no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['71 #74: two hosts', request('GET', '/', ['Host: b.example'])],
  ['71 #75: one host twice', request('GET', '/', [`Host: ${HOST}`])],
  ['71 #77: a space in the host', 'GET / HTTP/1.1\r\nHost: a test\r\n\r\n'],
  ['71 #78: a comma in the host', 'GET / HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n'],
  ['71 #79: user information', 'GET / HTTP/1.1\r\nHost: u@a.test\r\n\r\n'],
  ['71 #81: a port in letters', 'GET / HTTP/1.1\r\nHost: a.test:abc\r\n\r\n'],
  ['71 #82: a port above 65535', 'GET / HTTP/1.1\r\nHost: a.test:99999\r\n\r\n'],
  ['71 #87: half an IPv6 address', 'GET / HTTP/1.1\r\nHost: [::1\r\n\r\n'],
  ['71 #91: another host in the target', request('GET', 'http://b.example/x')],
  ['71 #93: ftp', request('GET', `ftp://${HOST}/x`)],
  ['71 #95: https on plaintext', request('GET', `https://${HOST}/x`)],
  ['71 #97: @evil', request('GET', '@evil.test/x')],
  ['user information in the target', request('GET', `http://u@${HOST}/x`)],
  ['71 #98: GET *', request('GET', '*')],
  ['71 #101: a space in the target', request('GET', '/a b')],
  ['71 #102: NUL in the target', request('GET', '/\0')],
  ['71 #103: 0x01 in the target', request('GET', '/\x01')],
  ['71 #105: tabs between the parts', `GET\t/\tHTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['a fragment', request('GET', '/a#b')],
  ['a fragment in the query', request('GET', '/a?b#c')],
  ['71 #111: a backslash', request('GET', '/pub\\..\\admin')],
  ['71 #113: %00', request('GET', '/a%00')],
  ['a climb above the root', request('GET', '/../a')],
  ['half a percent encoding', request('GET', '/a%2')],
  ['a byte above 0x7e in the path', request('GET', '/caf\xe9')],
  ['71 #118: get', request('get', '/')],
  ['71 #123: HTTP/1.10', `GET / HTTP/1.10\r\nHost: ${HOST}\r\n\r\n`],
  ['71 #125: HTTP/0.9', 'GET /\r\n\r\n'],
]

const ROWS: readonly Row[] = [
  ...MALFORMED.map(([title, bytes]) => ({ title, bytes, status: 400, closes: true })),
  {
    title: '71 #18: gzip, chunked',
    bytes: request('POST', '/', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
    status: 501,
    closes: true,
  },
  {
    title: '71 #19: gzip',
    bytes: request('POST', '/', ['Transfer-Encoding: x-gzip'], '0\r\n\r\n'),
    status: 501,
    closes: true,
  },
  {
    title: '71 #67: a field of 70 kB',
    bytes: request('GET', '/', [`A: ${'a'.repeat(70_000)}`]),
    status: 431,
    closes: true,
  },
  {
    title: '201 fields',
    bytes: request(
      'GET',
      '/',
      Array.from({ length: 200 }, () => 'a: b'),
    ),
    status: 431,
    closes: true,
  },
  { title: '71 #69: a target of 70 kB', bytes: request('GET', `/${'a'.repeat(70_000)}`), status: 414, closes: true },
  { title: 'a target of 17 kB', bytes: request('GET', `/${'a'.repeat(17_000)}`), status: 414, closes: true },
  { title: '71 #99: OPTIONS *', bytes: request('OPTIONS', '*'), status: 405, closes: false },
  {
    title: '71 #115: CONNECT',
    bytes: 'CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n',
    status: 405,
    closes: true,
  },
  { title: '71 #117: TRACE', bytes: request('TRACE', '/'), status: 405, closes: false },
  { title: '71 #121: HTTP/2.0', bytes: `GET / HTTP/2.0\r\nHost: ${HOST}\r\n\r\n`, status: 505, closes: true },
  { title: '71 #122: HTTP/1.2', bytes: `GET / HTTP/1.2\r\nHost: ${HOST}\r\n\r\n`, status: 505, closes: true },
  { title: '71 #127: the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 505, closes: true },
  {
    title: '71 #89: a host that nobody claimed',
    bytes: 'GET / HTTP/1.1\r\nHost: __proto__\r\n\r\n',
    status: 404,
    closes: false,
  },
]

/** Answers of our own: R20-61 to R20-72, and the probes that they answer. */
export function answerCases(start: StartBench): void {
  for (const { title, bytes, status, closes } of ROWS) {
    it(`${title} is ${status}${closes ? ' and the end of the connection' : ''}`, async () => {
      const bench = await start()
      const client = await bench.send(bytes)
      const text = await client.until(`\n${status} `)
      expect(lineOf(text)).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      if (closes) {
        await client.untilEnd()
        expect(fieldOf(text, 'Connection')).to.equal('close')
      } else {
        client.write('GET / HTTP/1.1\r\nHost: next.example\r\n\r\n')
        await client.when(() => client.text.split('\n404 ').length > (status === 404 ? 2 : 1), 'the next answer')
        expect(fieldOf(text, 'Connection')).to.equal(undefined)
      }
      expect(client.text.match(/HTTP\/1\.1 \d{3} /g)).to.have.length(closes ? 1 : 2)
      expect(bench.upstream.connections).to.have.length(0)
    })
  }

  describe('R71-5 are the same where the request comes in two parts', () => {
    for (const { title, bytes, status, closes } of ROWS) {
      it(title, async () => {
        const bench = await start()
        await Promise.all(
          cutsOf(bytes).map(async (cut) => {
            const client = await bench.sendCut(bytes, cut)
            const text = await client.until(`\n${status} `)
            expect(lineOf(text), `cut at ${cut}`).to.match(new RegExp(`^HTTP/1.1 ${status} `))
            if (closes) await client.untilEnd()
          }),
        )
        expect(bench.upstream.connections).to.have.length(0)
      })
    }
  })

  it('R20-64 leave the body of the request behind, and the next request is served', async () => {
    const bench = await start()
    const client = await bench.send(request('TRACE', '/', ['Content-Length: 5'], 'GET /'))
    await client.until('\n405')
    client.write('GET / HTTP/1.1\r\nHost: next.example\r\n\r\n')
    await client.until('\n404 ')
    expect(client.text.match(/HTTP\/1\.1 \d{3} /g)).to.have.length(2)
  })

  it('R20-61 are one line of plain text, with every field that they need and no other', async () => {
    const bench = await start()
    const client = await bench.send('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    const text = await client.until('path.\n')
    expect(text).to.equal(
      [
        'HTTP/1.1 404 Not Found',
        'Server: ramjet',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Length: 50',
        DATE,
        '',
        '404 Not Found: no route takes this host and path.\n',
      ].join('\r\n'),
    )
  })

  it('R20-61 have no body for HEAD', async () => {
    const bench = await start()
    const client = await bench.send('HEAD / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    await client.until('\r\n\r\n')
    client.write('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    await client.until('\n404 ')
    expect(fieldOf(client.text, 'Content-Length')).to.equal('50')
    expect(bodyOf(client.text)).to.match(/^HTTP\/1\.1 404/)
  })

  it('R20-64 name the methods that are served', async () => {
    const bench = await start()
    expect(fieldOf(await (await bench.send(request('TRACE', '/'))).until('\n405'), 'Allow')).to.equal(
      'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS',
    )
  })

  it('R20-70 are 503 with Retry-After without an endpoint', async () => {
    const bench = await start({ endpoints: [] })
    const text = await (await bench.get('/')).until('\n503')
    expect(linesOf(text).slice(3)).to.deep.equal(['Retry-After: 1', DATE])
    expect(bodyOf(text)).to.equal('503 Service Unavailable: the service has no endpoint at the moment.\n')
  })

  for (const reason of ['unresolved-service', 'unsupported-backend', 'external-name', 'access-rule'] as const) {
    it(`R20-70 are 503 for ${reason}`, async () => {
      const bench = await start({ refusing: { 'guarded.example': reason } })
      const text = await (await bench.send('GET / HTTP/1.1\r\nHost: guarded.example\r\n\r\n')).until('\n503')
      expect(lineOf(text)).to.equal('HTTP/1.1 503 Service Unavailable')
      expect(bench.upstream.connections).to.have.length(0)
    })
  }

  it('keep an HTTP/1.0 connection that asked for it', async () => {
    const bench = await start()
    const client = await bench.send('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect(fieldOf(await client.until('\n404'), 'Connection')).to.equal('keep-alive')
  })

  it('count as what they are', async () => {
    const bench = await start()
    await (await bench.send('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')).until('\n404')
    await (await bench.send('GET / HTTP/1.1\r\nHost: a b\r\n\r\n')).untilEnd()
    await (await bench.send('GET / HTTP/9.9\r\n\r\n')).untilEnd()
    await (await bench.send(request('GET', '/', [`A: ${'a'.repeat(70_000)}`]))).untilEnd()
    const { counters } = bench
    expect(counters.process('requests')).to.equal(4)
    expect(counters.process('responses4xx')).to.equal(3)
    expect(counters.process('responses5xx')).to.equal(1)
    expect(counters.process('routeMisses')).to.equal(1)
    expect(counters.process('refusedMalformed')).to.equal(1)
    expect(counters.process('refusedVersion')).to.equal(1)
    expect(counters.process('refusedHeadSize')).to.equal(1)
  })

  describe('71 #29 come behind that to a good request', () => {
    const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

    for (const { title, bytes, status } of ROWS) {
      it(title, async () => {
        const bench = await start()
        bench.upstream.answer(OK)
        const client = await bench.send(request('GET', '/good') + bytes)
        const text = await client.until(`\n${status} `)
        expect(lineOf(text)).to.equal('HTTP/1.1 200 OK')
        expect(bodyOf(text)).to.match(new RegExp(`^okHTTP/1.1 ${status} `))
        expect(text.match(/HTTP\/1\.1 \d{3} /g)).to.have.length(2)
        expect(bench.upstream.text.match(/HTTP\/1\.1/g)).to.have.length(1)
      })
    }
  })
}

/** Up to eight places, spread over the request and all of its last bytes. */
function cutsOf(bytes: string): readonly number[] {
  const spread = Array.from({ length: 5 }, (_, index) => Math.floor(((index + 1) * bytes.length) / 6))
  return [...new Set([1, ...spread, bytes.length - 2, bytes.length - 1])].filter((cut) => cut > 0)
}
