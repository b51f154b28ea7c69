import { expect } from 'chai'
import { digestOfPolicy } from '../../../src/model/certificate-table.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, linesOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** What the upstream receives: R20-29 to R20-52. */
export function requestCases(start: StartBench): void {
  /** Sends a request and gives what reached the upstream of it. */
  async function forwarded(bytes: string, options: Parameters<StartBench>[0] = {}): Promise<string> {
    const bench = await start(options)
    bench.upstream.answer(OK)
    const client = await bench.send(bytes)
    await client.until('ok')
    return bench.upstream.text
  }

  const trusted = { settings: { trustedProxies: ['127.0.0.0/8'] } }

  it('R20-44 keep order, case and duplicates of the client', async () => {
    const text = await forwarded(request('GET', '/', ['X-b: 1', 'ACCEPT: a', 'x-B: 2', 'Via: 1.1 old', 'Accept: b']))
    expect(linesOf(text).slice(0, 6)).to.deep.equal([
      `Host: ${HOST}`,
      'X-b: 1',
      'ACCEPT: a',
      'x-B: 2',
      'Via: 1.1 old',
      'Accept: b',
    ])
  })

  it('R20-30 to R20-33 end with our own fields', async () => {
    const text = await forwarded(request('GET', '/'))
    expect(linesOf(text)).to.deep.equal([
      `Host: ${HOST}`,
      'X-Request-Id: 40000000400000004000000040000000',
      'X-Real-IP: 127.0.0.1',
      'X-Forwarded-For: 127.0.0.1',
      `X-Forwarded-Host: ${HOST}`,
      'X-Forwarded-Port: 8080',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Scheme: http',
      'X-Scheme: http',
    ])
  })

  it('R22-6, R20-33 say https of a connection that came by TLS, and the port that was dialled by it', async () => {
    const secure = { serverName: HOST, policyDigest: digestOfPolicy({}) }
    const settings = { publicHttpPort: 80, publicHttpsPort: 443 }
    for (const lines of [[], ['X-Forwarded-Proto: http'], ['Upgrade: x', 'Connection: upgrade']]) {
      const text = await forwarded(request('GET', '/', lines), { settings, origin: { localPort: 8443, secure } })
      expect(linesOf(text)).to.include.members([
        'X-Forwarded-Port: 443',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Scheme: https',
        'X-Scheme: https',
      ])
    }
    const own = await forwarded(request('GET', '/'), { origin: { localPort: 8443, secure } })
    expect(fieldOf(own, 'X-Forwarded-Port')).to.equal('8443')
  })

  it('R20-163: the port that a PROXY header names goes before any other', async () => {
    const proxied = { address: '192.0.2.9', port: 4443 }
    const origin = { secure: { serverName: undefined, policyDigest: digestOfPolicy({}) }, proxied }
    const text = await forwarded(request('GET', '/'), { settings: { publicHttpsPort: 443 }, origin })
    expect(fieldOf(text, 'X-Forwarded-Port')).to.equal('4443')
    expect(fieldOf(text, 'X-Forwarded-Proto')).to.equal('https')
  })

  it('R20-16 name the public port where one is set', async () => {
    expect(
      fieldOf(await forwarded(request('GET', '/'), { settings: { publicHttpPort: 80 } }), 'X-Forwarded-Port'),
    ).to.equal('80')
  })

  it('R20-29 carry the Host byte for byte', async () => {
    expect(linesOf(await forwarded('GET / HTTP/1.1\r\nhOsT: SHOP.example:80\r\n\r\n'))[0]).to.equal(
      'hOsT: SHOP.example:80',
    )
  })

  it('R20-48 carry the target byte for byte where its path is canonical', async () => {
    expect(lineOf(await forwarded(request('GET', '//a%2Fb;c=%E9/?q=%7e&r=[1]')))).to.equal(
      'GET //a%2Fb;c=%E9/?q=%7e&r=[1] HTTP/1.1',
    )
  })

  it('R20-48 carry the canonical path else, and the query untouched', async () => {
    expect(lineOf(await forwarded(request('GET', '/pub/%2e%2e/a%64min?x=/../y')))).to.equal(
      'GET /admin?x=/../y HTTP/1.1',
    )
  })

  it('R20-48 turn the absolute form into the origin form', async () => {
    expect(lineOf(await forwarded(request('GET', `http://${HOST}/a?b`)))).to.equal('GET /a?b HTTP/1.1')
    expect(lineOf(await forwarded(request('GET', `HTTP://${HOST.toUpperCase()}?b`)))).to.equal('GET /?b HTTP/1.1')
  })

  it('71 #61 carry bytes above 0x7e as they came, also when the head goes out alone', async () => {
    const text = await forwarded(request('POST', '/', ['X-V: caf\xe9', 'Expect: 100-continue', 'Content-Length: 0']))
    expect(fieldOf(text, 'X-V')).to.equal('caf\xe9')
  })

  it('carry a Content-Disposition in other bytes than ASCII as it came', async () => {
    const text = await forwarded(
      request('POST', '/', ['Content-Length: 1', 'Content-Disposition: form-data; name="\xc3\xa9\xff"'], 'x'),
    )
    expect(fieldOf(text, 'Content-Disposition')).to.equal('form-data; name="\xc3\xa9\xff"')
    expect(fieldOf(text, 'Content-Length')).to.equal('1')
  })

  it('71 #70 carry names that objects have', async () => {
    const text = await forwarded(request('GET', '/', ['__proto: a', 'constructor: b', 'toString: c']), {
      settings: { underscoreHeaders: 'keep' },
    })
    expect(linesOf(text).slice(1, 4)).to.deep.equal(['__proto: a', 'constructor: b', 'toString: c'])
  })

  describe('R20-30 X-Request-Id', () => {
    for (const [sent, want] of [
      ['a.B_c~+/=-9', 'a.B_c~+/=-9'],
      ['x'.repeat(128), 'x'.repeat(128)],
      ['x'.repeat(129), '40000000400000004000000040000000'],
      ['a b', '40000000400000004000000040000000'],
      ['', '40000000400000004000000040000000'],
    ] as const) {
      it(`"${sent.slice(0, 20)}" of ${sent.length} characters becomes "${want.slice(0, 20)}"`, async () => {
        const text = await forwarded(request('GET', '/', [`x-request-id: ${sent}`]))
        expect(linesOf(text).filter((line) => /^x-request-id:/i.test(line))).to.deep.equal([`X-Request-Id: ${want}`])
      })
    }

    it('two of them are none', async () => {
      const text = await forwarded(request('GET', '/', ['X-Request-Id: a', 'X-Request-Id: b']))
      expect(fieldOf(text, 'X-Request-Id')).to.equal('40000000400000004000000040000000')
    })
  })

  describe('R20-51, 71 #246: the forwarded set of a stranger', () => {
    const claim = [
      'X-Forwarded-For: 192.0.2.1',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Port: 443',
      'X-Forwarded-Scheme: https',
      'X-Forwarded-Prefix: /evil',
      'X-Forwarded-Client-Cert: evil',
      'X-Original-Url: /evil',
      'X-Scheme: https',
      'X-Real-IP: 192.0.2.1',
      'Forwarded: for=192.0.2.1',
    ]

    it('is replaced as one', async () => {
      const text = await forwarded(request('GET', '/', claim))
      expect(linesOf(text).slice(2)).to.deep.equal([
        'X-Real-IP: 127.0.0.1',
        'X-Forwarded-For: 127.0.0.1',
        `X-Forwarded-Host: ${HOST}`,
        'X-Forwarded-Port: 8080',
        'X-Forwarded-Proto: http',
        'X-Forwarded-Scheme: http',
        'X-Scheme: http',
        'X-Original-Forwarded-For: 192.0.2.1',
        'X-Original-Forwarded-Host: evil.example',
      ])
    })

    it('is counted', async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      await (await bench.get('/', claim)).until('ok')
      expect(bench.counters.process('droppedManaged')).to.equal(claim.length)
    })
  })

  describe('R20-50 the forwarded set of a trusted peer', () => {
    it('is kept, and X-Forwarded-For and Forwarded are extended', async () => {
      const text = await forwarded(
        request('GET', '/', [
          'X-Forwarded-Proto: https',
          'X-Forwarded-For: 192.0.2.7, 192.0.2.8',
          'X-Forwarded-Prefix: /shop',
          'Forwarded: for=192.0.2.7',
          'X-Original-Url: /a',
        ]),
        trusted,
      )
      expect(linesOf(text)).to.deep.equal([
        `Host: ${HOST}`,
        'X-Forwarded-Proto: https',
        'X-Forwarded-Prefix: /shop',
        'X-Original-Url: /a',
        'X-Request-Id: 40000000400000004000000040000000',
        'X-Real-IP: 192.0.2.8',
        'X-Forwarded-For: 192.0.2.7, 192.0.2.8, 127.0.0.1',
        `X-Forwarded-Host: ${HOST}`,
        'X-Forwarded-Port: 8080',
        'X-Forwarded-Scheme: http',
        'X-Scheme: http',
        'X-Original-Forwarded-For: 192.0.2.7, 192.0.2.8',
        `Forwarded: for=192.0.2.7, for=127.0.0.1;host="${HOST}";proto=http`,
      ])
    })
  })

  it('R20-37 lose Proxy', async () => {
    expect(fieldOf(await forwarded(request('GET', '/', ['Proxy: http://192.0.2.1'])), 'Proxy')).to.equal(undefined)
  })

  it('R20-40 lose results of certificate checks that only we may state', async () => {
    const text = await forwarded(
      request('GET', '/', ['SSL-Client-Verify: SUCCESS', 'ssl-client-subject-dn: CN=a']),
      trusted,
    )
    expect(text).to.not.match(/ssl-client/i)
  })

  describe('names with other letters', () => {
    it('R20-38 are dropped with `_` and counted', async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      await (await bench.get('/', ['X_Forwarded_For: 192.0.2.1', 'a_b: 1'])).until('ok')
      expect(bench.upstream.text).to.not.match(/_/)
      expect(bench.counters.process('droppedUnderscore')).to.equal(2)
    })

    it('R32-24 are named in the log by the first one, and once at warn', async () => {
      const bench = await start()
      const long = `a_${'b'.repeat(100)}`
      for (const lines of [
        ['Plain: 1', 'X_User: 1'],
        [`${long}: 1`],
        ['X.Real.IP: 192.0.2.1'],
        ['X.Real.IP: 192.0.2.2'],
      ]) {
        bench.upstream.answer(OK)
        await (await bench.get('/', lines)).until('ok')
      }
      const told = bench.log.records.map(({ level, fields }) => [level, fields['field']])
      expect(told).to.deep.equal([
        ['warn', 'x_user'],
        ['debug', long.slice(0, 64)],
        ['warn', 'x.real.ip'],
        ['debug', 'x.real.ip'],
      ])
    })

    it('R20-38 pass with `_` under keep', async () => {
      expect(
        fieldOf(await forwarded(request('GET', '/', ['a_b: 1']), { settings: { underscoreHeaders: 'keep' } }), 'a_b'),
      ).to.equal('1')
    })

    it('R20-38 are refused with `_` under reject', async () => {
      const bench = await start({ settings: { underscoreHeaders: 'reject' } })
      const client = await bench.get('/', ['a_b: 1'])
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 400 Bad Request')
      expect(bench.upstream.connections).to.have.length(0)
    })

    it('R20-39 are dropped with `.` where they alias a managed name, and kept else', async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      await (await bench.get('/', ['X.Forwarded.For: 192.0.2.1', 'x.team: shop'])).until('ok')
      expect(bench.upstream.text).to.not.include('X.Forwarded.For')
      expect(fieldOf(bench.upstream.text, 'x.team')).to.equal('shop')
      expect(bench.counters.process('droppedDot')).to.equal(1)
    })

    it('71 #27 lose a Transfer_Encoding, and the length rules', async () => {
      const text = await forwarded(request('POST', '/', ['Transfer_Encoding: chunked', 'Content-Length: 3'], 'abc'))
      expect(text).to.not.include('Transfer')
      expect(bodyOf(text)).to.equal('abc')
    })
  })

  describe('R20-41 hop-by-hop fields', () => {
    it('71 #134 stay on the hop', async () => {
      const text = await forwarded(
        request('GET', '/', [
          'TE: gzip',
          'Keep-Alive: timeout=5',
          'Proxy-Connection: keep-alive',
          'Proxy-Authorization: Basic eA==',
          'Proxy-Foo: a',
          'Upgrade: h2c',
          'X-Kept: a',
        ]),
      )
      expect(linesOf(text).slice(0, 3)).to.deep.equal([
        `Host: ${HOST}`,
        'X-Kept: a',
        'X-Request-Id: 40000000400000004000000040000000',
      ])
    })

    it('R22-1 are an Upgrade to h2c and its settings: it would be a tunnel past every rule', async () => {
      const text = await forwarded(
        request('GET', '/', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']),
      )
      expect(text).to.not.match(/^(?:connection|upgrade|http2-settings):/im)
    })

    it('leave `TE: trailers`', async () => {
      expect(fieldOf(await forwarded(request('GET', '/', ['TE: gzip, trailers;q=1, trailers'])), 'TE')).to.equal(
        'trailers',
      )
    })

    it('R20-45, 71 #131 are those that Connection names, but never what others rely on', async () => {
      const text = await forwarded(
        request('GET', '/', [
          'Connection: close, X-Forwarded-For, Authorization, Cookie, Host, x-secret',
          'Authorization: Basic eA==',
          'Cookie: a=b',
          'X-Secret: 1',
        ]),
      )
      expect(fieldOf(text, 'Authorization')).to.equal('Basic eA==')
      expect(fieldOf(text, 'Cookie')).to.equal('a=b')
      expect(fieldOf(text, 'Host')).to.equal(HOST)
      expect(fieldOf(text, 'X-Forwarded-For')).to.equal('127.0.0.1')
      expect(text).to.not.match(/secret|^connection/im)
    })

    it('71 #133 cannot be the framing', async () => {
      const text = await forwarded(request('POST', '/', ['Connection: Content-Length', 'Content-Length: 3'], 'abc'))
      expect(fieldOf(text, 'Content-Length')).to.equal('3')
      expect(bodyOf(text)).to.equal('abc')
    })
  })

  describe('R20-42 bodies', () => {
    it('71 #13 go with GET by their length', async () => {
      const text = await forwarded(request('GET', '/', ['Content-Length: 3'], 'abc'))
      expect(fieldOf(text, 'Content-Length')).to.equal('3')
      expect(bodyOf(text)).to.equal('abc')
    })

    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PROPFIND']) {
      it(`go chunked with ${method}`, async () => {
        const text = await forwarded(
          request(method, '/', ['Transfer-Encoding: \tChunked'], '3;ext=a\r\nabc\r\n0\r\n\r\n'),
        )
        expect(linesOf(text).filter((line) => /^(?:transfer|content)-/i.test(line))).to.deep.equal([
          'Transfer-Encoding: chunked',
        ])
        expect(bodyOf(text)).to.match(/^3\r\nabc\r\n/)
      })
    }

    it('are none for a POST that says nothing of one', async () => {
      const text = await forwarded(request('POST', '/'))
      expect(text).to.not.match(/content-length|transfer-encoding/i)
      expect(bodyOf(text)).to.equal('')
    })
  })

  describe('R20-46 trailers', () => {
    it('71 #45, #46, #247 pass but for those that are forbidden', async () => {
      const bench = await start()
      const client = await bench.send(
        request(
          'POST',
          '/',
          ['Transfer-Encoding: chunked', 'Trailer: X-Sum'],
          '3\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: evil.example\r\nX-Forwarded-For: 192.0.2.1\r\nCookie: a=b\r\nX_Real_IP: 192.0.2.1\r\nX.Forwarded.Host: evil\r\nx-more: 2\r\n\r\n',
        ),
      )
      const upstream = await bench.upstream.connection()
      await upstream.until('x-more: 2\r\n\r\n')
      upstream.write(OK)
      await client.until('ok')
      expect(fieldOf(upstream.text, 'Trailer')).to.equal('X-Sum')
      expect(bodyOf(upstream.text)).to.equal('3\r\nabc\r\n0\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n')
      expect(bench.counters.process('droppedTrailer')).to.equal(5)
    })
  })

  describe('HTTP/1.0 clients', () => {
    it('R20-29 may leave Host out: the upstream gets an empty one', async () => {
      const bench = await start({ refusing: { '*': 'access-rule' } })
      const client = await bench.send('GET / HTTP/1.0\r\n\r\n')
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 503 Service Unavailable')
    })

    it('reach the upstream as HTTP/1.1', async () => {
      const text = await forwarded(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`)
      expect(lineOf(text)).to.equal('GET / HTTP/1.1')
    })
  })
}
