import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, linesOf, ROUTE_SLOT, request } from './bench.ts'

const DATE = 'Date: Thu, 01 Jan 2026 00:16:40 GMT'

/** What the client receives: R20-53 to R20-60. */
export function responseCases(start: StartBench): void {
  /** Lets the upstream write these bytes and end, and gives all that the client gets until its connection ends. */
  async function relayed(bytes: string, asked = request('GET', '/', ['Connection: close'])): Promise<string> {
    const bench = await start()
    bench.upstream.answerWith((_head, connection) => {
      connection.write(bytes)
      connection.end()
    })
    return (await bench.send(asked)).untilEnd()
  }

  it('R20-53 keep order, case and duplicates, and lose what is of the hop', async () => {
    const text = await relayed(
      'HTTP/1.1 201 Made by Hand\r\nset-cookie: a=1\r\nX-b: 1\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-HOP: 1\r\nProxy-Authenticate: Basic\r\nSet-Cookie: b=2\r\nUpgrade: h2c\r\nContent-Length: 2\r\nDate: now\r\nServer: origin\r\n\r\nok',
    )
    expect(lineOf(text)).to.equal('HTTP/1.1 201 Made by Hand')
    expect(linesOf(text)).to.deep.equal([
      'set-cookie: a=1',
      'X-b: 1',
      'Set-Cookie: b=2',
      'Content-Length: 2',
      'Date: now',
      'Server: origin',
      'Connection: close',
    ])
    expect(bodyOf(text)).to.equal('ok')
  })

  it('R20-53, R20-54 get Date and Server where the upstream sent none', async () => {
    const text = await relayed('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    expect(linesOf(text)).to.deep.equal(['Content-Length: 0', 'Server: ramjet', 'Connection: close', DATE])
  })

  it('say nothing of the connection where it stays open', async () => {
    const bench = await start()
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: s\r\nDate: d\r\n\r\nok')
    const client = await bench.get('/')
    expect(linesOf(await client.until('ok'))).to.deep.equal(['Content-Length: 2', 'Server: s', 'Date: d'])
  })

  for (const { title, method, answer } of [
    { title: 'an empty body', method: 'GET', answer: '200 OK\r\nX-V: caf\xe9\r\nContent-Length: 0\r\n\r\n' },
    {
      title: 'no chunk',
      method: 'GET',
      answer: '200 OK\r\nX-V: caf\xe9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    },
    { title: 'status 204', method: 'GET', answer: '204 Caf\xe9\r\nX-V: caf\xe9\r\n\r\n' },
    { title: 'status 304', method: 'GET', answer: '304 Caf\xe9\r\nX-V: caf\xe9\r\n\r\n' },
    { title: 'only a head', method: 'HEAD', answer: '200 OK\r\nX-V: caf\xe9\r\nContent-Length: 5\r\n\r\n' },
  ]) {
    it(`71 #61 carry bytes above 0x7e as they came with ${title}`, async () => {
      const bench = await start()
      bench.upstream.answer(`HTTP/1.1 ${answer}`)
      const text = await (await bench.send(request(method, '/'))).until('\r\n\r\n')
      expect(fieldOf(text, 'X-V')).to.equal('caf\xe9')
    })
  }

  it('carry bytes above 0x7e as they came, before the body begins too', async () => {
    const bench = await start()
    bench.upstream.answer(
      'HTTP/1.1 200 Caf\xe9\r\nX-V: \xe9\r\nContent-Length: 1\r\nContent-Disposition: a; f="\xe9"\r\n\r\n',
    )
    const client = await bench.get('/')
    const text = await client.until('\r\n\r\n')
    expect(lineOf(text)).to.equal('HTTP/1.1 200 Caf\xe9')
    expect(fieldOf(text, 'X-V')).to.equal('\xe9')
    expect(fieldOf(text, 'Content-Disposition')).to.equal('a; f="\xe9"')
  })

  it('pass a head on before the body begins', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    await client.until('\r\n\r\n')
    upstream.write('2\r\nok\r\n')
    await client.until('2\r\nok\r\n')
    expect(client.text).to.not.include('\r\n0\r\n')
  })

  it('are chunked where the upstream ends its body by closing', async () => {
    const text = await relayed('HTTP/1.0 200 OK\r\n\r\nabc')
    expect(fieldOf(text, 'Transfer-Encoding')).to.equal('chunked')
    expect(bodyOf(text)).to.equal('3\r\nabc\r\n0\r\n\r\n')
  })

  it('R20-46 carry trailers', async () => {
    const text = await relayed(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: evil.example\r\nx-more: 2\r\n\r\n',
    )
    expect(fieldOf(text, 'Trailer')).to.equal('X-Sum')
    expect(bodyOf(text)).to.equal('3\r\nabc\r\n0\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n')
  })

  it('lose a Trailer that announces what cannot come', async () => {
    expect(
      fieldOf(await relayed('HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 0\r\n\r\n'), 'Trailer'),
    ).to.equal(undefined)
  })

  describe('R20-55 without a body', () => {
    for (const [method, head] of [
      ['HEAD', '200 OK\r\nContent-Length: 5'],
      ['HEAD', '200 OK\r\nTransfer-Encoding: chunked'],
      ['GET', '304 Not Modified\r\nContent-Length: 5'],
      ['GET', '204 No Content'],
    ] as const) {
      it(`${method} gets the head of ${head.replaceAll('\r\n', ', ')} and the connection goes on`, async () => {
        const bench = await start()
        bench.upstream.answer(`HTTP/1.1 ${head}\r\nX-End: 1\r\n\r\n`)
        const client = await bench.send(request(method, '/'))
        await client.until('X-End: 1')
        client.write(request(method, '/again'))
        await client.when(() => client.text.split('HTTP/1.1').length === 3, 'the second response')
        expect(linesOf(client.text).slice(0, -3)).to.deep.equal(head.split('\r\n').slice(1))
        expect(bodyOf(client.text)).to.match(/^HTTP\/1\.1/)
      })
    }

    it('71 #221 take none from an upstream that sends one, and do not keep its socket', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc')
      const client = await bench.get('/')
      const text = await client.until('\r\n\r\n')
      expect(text).to.not.match(/content-length/i)
      await (await bench.upstream.connection()).untilEnd()
      client.write(request('GET', '/again'))
      await client.when(() => client.text.split('HTTP/1.1 204').length === 3, 'the second response')
      expect(client.text).to.not.include('abc')
    })
  })

  describe('R20-55 interim responses', () => {
    it('pass with their fields', async () => {
      const bench = await start()
      bench.upstream.answer(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nLink: </b>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      )
      const text = await (await bench.get('/')).until('ok')
      expect(text).to.match(
        /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>\r\nLink: <\/b>\r\n\r\nHTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
      )
      expect(bench.counters.process('responses1xx')).to.equal(2)
      expect(bench.counters.process('responses2xx')).to.equal(1)
    })

    it('R20-53: lose what is of the hop, and what would frame a body that they cannot have', async () => {
      const bench = await start()
      bench.upstream.answer(
        [
          'HTTP/1.1 103 Early Hints',
          'Link: </a>',
          'Connection: X-Hop',
          'X-Hop: 1',
          'Keep-Alive: timeout=5',
          'Proxy-Authenticate: Basic',
          'Transfer-Encoding: chunked',
          'Trailer: X-Sum',
          'X-End: 2',
          '',
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
        ].join('\r\n'),
      )
      const text = await (await bench.get('/')).until('ok')
      expect(linesOf(text)).to.deep.equal(['Link: </a>', 'X-End: 2'])
    })

    it('are not shown to HTTP/1.0', async () => {
      const text = await relayed(
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
        `GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`,
      )
      expect(lineOf(text)).to.equal('HTTP/1.1 200 OK')
    })

    it('R20-43, 71 #135: exactly one 100 follows Expect, the upstream’s, and the body only then', async () => {
      const bench = await start()
      const client = await bench.send(request('POST', '/', ['Expect: 100-continue', 'Content-Length: 3']))
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      expect(fieldOf(upstream.text, 'Expect')).to.equal('100-continue')
      expect(client.text).to.equal('')
      upstream.write('HTTP/1.1 100 Continue\r\n\r\n')
      await client.until('HTTP/1.1 100 Continue\r\n\r\n')
      client.write('abc')
      await upstream.until('abc')
      upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      await client.until('ok')
      expect(client.text.split('100 Continue')).to.have.length(2)
      client.write(request('GET', '/'))
      await upstream.until('GET / ')
    })

    it('R20-43: a refusal in place of the 100 ends the connection, since the body may or may not come', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno')
      const client = await bench.send(request('POST', '/', ['Expect: 100-continue', 'Content-Length: 3']))
      const text = await client.untilEnd()
      expect(lineOf(text)).to.equal('HTTP/1.1 413 Content Too Large')
      expect(fieldOf(text, 'Connection')).to.equal('close')
    })

    it('an expectation that nobody knows is relayed too', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n')
      const client = await bench.get('/', ['Expect: a-miracle'])
      expect(lineOf(await client.until('\r\n\r\n'))).to.equal('HTTP/1.1 417 Expectation Failed')
      expect(fieldOf(bench.upstream.text, 'Expect')).to.equal('a-miracle')
    })
  })

  describe('R20-56 to HTTP/1.0', () => {
    const chunked =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n'

    it('a chunked body comes unchunked and ends with the connection', async () => {
      const text = await relayed(
        chunked,
        `GET / HTTP/1.0\r\nHost: ${HOST}\r\nConnection: keep-alive\r\nTE: chunked\r\n\r\n`,
      )
      expect(linesOf(text)).to.deep.equal(['Server: ramjet', 'Connection: close', DATE])
      expect(bodyOf(text)).to.equal('abc')
    })

    it('the connection stays open where that was asked for and the length is known', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      const asked = `GET / HTTP/1.0\r\nHost: ${HOST}\r\nConnection: keep-alive\r\n\r\n`
      const client = await bench.send(asked)
      expect(fieldOf(await client.until('ok'), 'Connection')).to.equal('keep-alive')
      client.write(asked)
      await client.when(() => client.text.split('ok').length === 3, 'the second response')
    })

    it('the connection closes where close stands beside keep-alive', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      const client = await bench.send(`GET / HTTP/1.0\r\nHost: ${HOST}\r\nConnection: keep-alive, close\r\n\r\n`)
      expect(fieldOf(await client.untilEnd(), 'Connection')).to.equal('close')
    })

    it('the connection closes where nothing was said', async () => {
      const text = await relayed(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
        `GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`,
      )
      expect(fieldOf(text, 'Connection')).to.equal('close')
      expect(bodyOf(text)).to.equal('ok')
    })
  })

  describe('R20-69 faults of the upstream are answered 502, and its socket is closed', () => {
    for (const [title, bytes] of [
      [
        '71 #213: length and chunks',
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['71 #214: two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'],
      [
        '71 #215: two codings',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['a coding that is not chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
      [
        '71 #219: a 101 that nobody asked for',
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      ],
      ['71 #242: a 101 without Upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
      ['71 #222: status 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
      ['71 #222: status 99', 'HTTP/1.1 99 Odd\r\nContent-Length: 0\r\n\r\n'],
      ['71 #223: an answer like HTTP/0.9', '<html>hello</html>\r\n\r\n'],
      ['71 #225: 1,001 fields', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(1001)}\r\n`],
      ['71 #226: a head of 40 kB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
      ['a bare line feed in the head', 'HTTP/1.1 200 OK\r\nX: a\nContent-Length: 0\r\n\r\n'],
    ] as const) {
      it(title, async () => {
        const bench = await start()
        bench.upstream.answer(bytes)
        const client = await bench.get('/')
        const text = await client.until('\n502')
        expect(text).to.include('HTTP/1.1 502 Bad Gateway')
        expect(bodyOf(text)).to.equal('502 Bad Gateway: the upstream gave no valid response.\n')
        await (await bench.upstream.connection()).untilEnd()
        expect(bench.counters.slot(ROUTE_SLOT, 'errors5xx')).to.equal(1)
      })
    }

    it('an end before any byte', async () => {
      const bench = await start()
      bench.upstream.answerWith((_head, connection) => connection.end())
      expect(
        lineOf(await (await bench.send(request('POST', '/', ['Content-Length: 1'], 'x'))).until('\n502')),
      ).to.equal('HTTP/1.1 502 Bad Gateway')
    })

    it('a reset within the head', async () => {
      const bench = await start()
      const client = await bench.get('/')
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      upstream.socket.write('HTTP/1.1 200 OK\r\nX:', () => upstream.reset())
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    })
  })

  it('71 #225: 1,000 fields pass, every one', async () => {
    const text = await relayed(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(999)}Content-Length: 0\r\n\r\n`)
    expect(linesOf(text).filter((line) => line === 'a: b')).to.have.length(999)
  })

  describe('R20-59, 71 #218: a body that ends early is made visible', () => {
    for (const [title, head, sent] of [
      ['with a length', 'Content-Length: 10', 'abc'],
      ['in chunks', 'Transfer-Encoding: chunked', '3\r\nabc\r\n'],
    ] as const) {
      for (const how of ['end', 'reset'] as const) {
        it(`${title}, by ${how}`, async () => {
          const bench = await start()
          const client = await bench.get('/')
          const upstream = await bench.upstream.connection()
          await upstream.until('\r\n\r\n')
          upstream.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${sent}`)
          await client.until('abc')
          upstream[how]()
          await client.untilEnd()
          expect(bodyOf(client.text)).to.equal(sent)
          await bench.quiet()
          expect(bench.counters.process('requestsInFlight')).to.equal(0)
        })
      }
    }

    it('that lasts as long as its connection, by reset', async () => {
      const bench = await start()
      const client = await bench.get('/')
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      upstream.write('HTTP/1.1 200 OK\r\n\r\nabc')
      await client.until('abc')
      upstream.reset()
      await client.untilEnd()
      expect(bodyOf(client.text)).to.equal('3\r\nabc\r\n')
    })

    it('in a chunk that is none', async () => {
      const bench = await start()
      bench.upstream.answer('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n')
      const client = await bench.get('/')
      await client.untilEnd()
      expect(client.text).to.not.include('0\r\n\r\n')
    })
  })

  it('R20-58 pass on an answer that comes before the request body has ended, and the body goes on meanwhile', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '1\r\na\r\n'))
    const upstream = await bench.upstream.connection()
    await upstream.until('1\r\na\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n')
    await client.until('1\r\nA\r\n')
    client.write('1\r\nb\r\n')
    await upstream.until('1\r\nb\r\n')
    client.write('0\r\n\r\n')
    await upstream.until('0\r\n\r\n')
    upstream.write('1\r\nB\r\n0\r\n\r\n')
    await client.until('1\r\nB\r\n0\r\n\r\n')
    client.write(request('GET', '/next'))
    await upstream.until('GET /next')
  })

  it('R20-60, 71 #217: bytes behind a response cost the socket, and nobody gets them', async () => {
    const bench = await start()
    bench.upstream.answer(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 Poison\r\nContent-Length: 6\r\n\r\npoison',
    )
    const client = await bench.get('/')
    await client.until('ok')
    await (await bench.upstream.connection()).untilEnd()
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine')
    client.write(request('GET', '/'))
    await client.until('fine')
    expect(client.text).to.not.match(/poison/i)
  })

  it('R20-60: bytes on an idle socket cost it', async () => {
    const bench = await start()
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const client = await bench.get('/')
    await client.until('ok')
    const upstream = await bench.upstream.connection()
    upstream.write('HTTP/1.1 200 Poison\r\nContent-Length: 6\r\n\r\npoison')
    await upstream.untilEnd()
    client.write(request('GET', '/'))
    await client.when(() => client.text.split('ok').length === 3, 'the second response')
    expect(client.text).to.not.match(/poison/i)
  })

  it('let go of a socket that the upstream announced to close soon', async () => {
    const bench = await start()
    bench.upstream.answer('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok')
    await (await bench.get('/')).until('ok')
    await (await bench.upstream.connection()).untilEnd()
  })

  it('leave one socket to the upstream for requests one after the other', async () => {
    const bench = await start()
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    for (let turn = 0; turn < 3; turn += 1) await (await bench.get('/')).until('ok')
    expect(bench.upstream.connections).to.have.length(1)
  })
}
