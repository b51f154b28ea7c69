import { expect } from 'chai'
import type { RoutePolicy } from '../../../src/model/policy.ts'
import { exact, prefix } from '../../builders/route-table.ts'
import { DeafListener } from '../../fakes/deaf-listener.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, fieldOf, lineOf, linesOf, request } from './bench.ts'
import { fill } from './pressure.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const CHUNKED = 'Transfer-Encoding: chunked'
const KIB = 1024

/** What a route sets for itself: R20-94, R20-119, R11-60 to R11-72. */
export function policyCases(start: StartBench): void {
  it('R11-60: its connect timeout holds, and not that of the process', async () => {
    const deaf = await DeafListener.start()
    const settings = { connectTimeoutMs: 60_000 }
    const bench = await start({ settings, policy: { connectTimeoutMs: 150 }, endpoints: [deaf.address] })
    expect(lineOf(await (await bench.get('/')).until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    expect(bench.counters.process('timeoutConnect')).to.equal(1)
    deaf.stop()
  })

  it('R11-61: its response timeout holds until the head', async () => {
    const bench = await start({ policy: { responseTimeoutMs: 2000 } })
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    bench.clock.advance(2000)
    expect(lineOf(await client.until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    expect(bench.counters.process('timeoutHead')).to.equal(1)
  })

  it('R11-61: it may be longer than that of the process', async () => {
    const routes = [exact('/long', { id: 'long', policy: { responseTimeoutMs: 600_000 } }), prefix('', { id: 'shop' })]
    const bench = await start({ routes })
    const client = await askAndWait(bench, '/long')
    const other = await askAndWait(bench, '/other')
    bench.clock.advance(599_999)
    await other.until('\n504')
    bench.upstream.connections[0]?.write(OK)
    await client.until('ok')
  })

  it('R11-61: it holds between two bytes of the body', async () => {
    const bench = await start({ policy: { responseTimeoutMs: 2000 } })
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun')
    await client.until('begun')
    bench.clock.advance(2000)
    expect(bodyOf(await client.untilEnd())).to.equal('begun')
    expect(bench.counters.process('timeoutBody')).to.equal(1)
  })

  it('R11-61: its send timeout holds while the upstream takes nothing of a request', async () => {
    const bench = await start({ policy: { upstreamSendTimeoutMs: 2000, responseTimeoutMs: 60_000 } })
    const client = await bench.send(request('POST', '/', ['Content-Length: 999999999']))
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.socket.pause()
    await fill(client.socket, 999_999_999)
    bench.clock.advance(2000)
    expect(lineOf(await client.until('\r\n\r\n'))).to.equal('HTTP/1.1 504 Gateway Timeout')
  })

  it('R20-94: its idle time holds for a tunnel', async () => {
    const bench = await start({ policy: { tunnelIdleTimeoutMs: 3000 } })
    const client = await bench.get('/', ['Connection: Upgrade', 'Upgrade: echo'])
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    await client.until('\r\n\r\n')
    await bench.when(() => bench.engine.load().tunnels === 1)
    bench.clock.advance(3000)
    await client.untilEnd()
  })

  describe('R11-62: its body limit', () => {
    const routes = [
      exact('/small', { id: 'small', policy: { maxBodyBytes: 3 } }),
      exact('/any', { id: 'any', policy: { maxBodyBytes: 0 } }),
      prefix('', { id: 'shop' }),
    ]
    const limits = { maxBodyBytes: 5 }
    const cases = [
      { path: '/small', bytes: 3, status: 200 },
      { path: '/small', bytes: 4, status: 413 },
      { path: '/any', bytes: 9, status: 200 },
      { path: '/other', bytes: 5, status: 200 },
      { path: '/other', bytes: 6, status: 413 },
    ] as const
    for (const { path, bytes, status } of cases) {
      it(`${bytes} bytes for ${path} are ${status}, with a length and in chunks`, async () => {
        const bench = await start({ routes, limits })
        bench.upstream.answer(OK)
        const body = 'x'.repeat(bytes)
        const whole = await bench.send(request('POST', path, [`Content-Length: ${bytes}`], body))
        expect(lineOf(await whole.until('\r\n\r\n'))).to.match(new RegExp(`^HTTP/1.1 ${status} `))
        expect(bench.upstream.connections).to.have.length(status === 200 ? 1 : 0)
        const chunks = await bench.send(request('POST', path, [CHUNKED], `${bytes}\r\n${body}\r\n0\r\n\r\n`))
        expect(lineOf(await chunks.until('\r\n\r\n'))).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      })
    }

    it('is not judged before the route: what nobody serves is 404', async () => {
      const bench = await start({ limits, routes: [exact('/small')] })
      const client = await bench.send(request('POST', '/none', ['Content-Length: 6'], '123456'))
      expect(lineOf(await client.until('\r\n\r\n'))).to.equal('HTTP/1.1 404 Not Found')
    })
  })

  describe('R11-66, R11-72: its limit of a response head', () => {
    it('may be above that of the process', async () => {
      const bench = await start({ policy: { maxResponseHeaderBytes: 64 * KIB } })
      bench.upstream.answer(largeHead(40 * KIB))
      await (await bench.get('/')).until('\r\n\r\nok')
      bench.upstream.answer(largeHead(65 * KIB))
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    })

    it('changes nothing below it', async () => {
      const bench = await start({ policy: { maxResponseHeaderBytes: KIB } })
      bench.upstream.answer(largeHead(2 * KIB))
      await (await bench.get('/')).until('\r\n\r\nok')
    })
  })

  describe('R11-64, R11-71: a body that is read before an endpoint is asked', () => {
    const policy: RoutePolicy = { requestBufferBytes: 10 }

    it('reaches the upstream whole, and no connection is made before', async () => {
      const bench = await start({ policy })
      bench.upstream.answer(OK)
      const begun = request('POST', '/', ['Content-Length: 6'], 'abc')
      const client = await bench.send(begun)
      await bench.heard(client, begun.length)
      // Another request is through meanwhile, on the only connection that there is.
      await (await bench.get('/other')).until('ok')
      expect(bench.upstream.connections).to.have.length(1)
      client.write('def')
      await client.until('ok')
      expect(bench.upstream.text).to.match(/\r\n\r\nabcdef$/)
    })

    it('travels with a length where it came in chunks', async () => {
      const bench = await start({ policy })
      bench.upstream.answer(OK)
      const client = await bench.send(request('POST', '/', [CHUNKED], '3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n'))
      await client.until('ok')
      const { text } = bench.upstream
      expect(fieldOf(text, 'content-length')).to.equal('6')
      expect(fieldOf(text, 'transfer-encoding')).to.equal(undefined)
      expect(bodyOf(text)).to.equal('abcdef')
    })

    it('of no bytes at all travels with the length 0', async () => {
      const bench = await start({ policy })
      bench.upstream.answer(OK)
      await (await bench.send(request('POST', '/', [CHUNKED], '0\r\n\r\n'))).until('ok')
      expect(fieldOf(bench.upstream.text, 'content-length')).to.equal('0')
    })

    it('keeps its chunks where trailers come behind them', async () => {
      const bench = await start({ policy })
      bench.upstream.answerWith((_head, connection) => {
        void connection.until('a: b\r\n\r\n').then(() => connection.write(OK))
      })
      const client = await bench.send(request('POST', '/', [CHUNKED], '3\r\nabc\r\n0\r\na: b\r\n\r\n'))
      await client.until('ok')
      expect(bodyOf(bench.upstream.text)).to.equal('3\r\nabc\r\n0\r\na: b\r\n\r\n')
    })

    it('streams from there where it is larger', async () => {
      const bench = await start({ policy })
      const client = await bench.send(request('POST', '/', ['Content-Length: 22'], 'x'.repeat(11)))
      const upstream = await bench.upstream.connection()
      await upstream.until('x'.repeat(11))
      client.write('y'.repeat(11))
      await upstream.until('y'.repeat(11))
      upstream.write(OK)
      await client.until('ok')
      expect(bodyOf(upstream.text)).to.equal('x'.repeat(11) + 'y'.repeat(11))
    })

    it('is answered 408 where it stops coming', async () => {
      const bench = await start({ policy })
      const begun = request('POST', '/', ['Content-Length: 6'], 'abc')
      const client = await bench.send(begun)
      await bench.heard(client, begun.length)
      bench.clock.advance(60_000)
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 408 Request Timeout')
      expect(bench.upstream.connections).to.have.length(0)
    })

    it('is answered 413 where it passes the limit in chunks', async () => {
      const bench = await start({ policy: { requestBufferBytes: 100, maxBodyBytes: 5 } })
      const client = await bench.send(request('POST', '/', [CHUNKED], '6\r\nabcdef\r\n'))
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 413 Content Too Large')
      expect(bench.upstream.connections).to.have.length(0)
    })

    it('R20-126: reaches the upstream whole although it spends the budget while it is read', async () => {
      const bench = await start({ policy: { requestBufferBytes: 64 * KIB }, settings: { bufferBudgetBytes: 8 * KIB } })
      const begun = request('POST', '/', [`Content-Length: ${10 * KIB}`], 'x'.repeat(9 * KIB))
      const client = await bench.send(begun)
      await bench.heard(client, begun.length)
      await bench.when(() => bench.counters.process('bufferedBytes') > 8 * KIB)
      // Deadlines are looked at, and with them what is kept, before anybody else is through with a connection.
      const other = await bench.get('/other')
      await other.until('\r\n\r\n')
      client.write('y'.repeat(KIB))
      const upstream = await bench.upstream.connection()
      await upstream.until('y'.repeat(KIB))
      expect(bodyOf(upstream.text)).to.equal('x'.repeat(9 * KIB) + 'y'.repeat(KIB))
    })

    it('is dropped with a client that goes away', async () => {
      const bench = await start({ policy })
      const begun = request('POST', '/', ['Content-Length: 6'], 'abc')
      const client = await bench.send(begun)
      await bench.heard(client, begun.length)
      client.reset()
      await bench.quiet()
      expect(bench.upstream.connections).to.have.length(0)
      expect(bench.holds.open).to.equal(0)
    })

    it('R20-43: is not waited for where the client waits for a 100', async () => {
      const bench = await start({ policy })
      const client = await bench.send(request('POST', '/', ['Content-Length: 3', 'Expect: 100-continue']))
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      upstream.write('HTTP/1.1 100 Continue\r\n\r\n')
      await client.until('100 Continue\r\n\r\n')
      client.write('abc')
      await upstream.until('\r\n\r\nabc')
      upstream.write(OK)
      await client.until('ok')
    })

    it('leaves the next request on the connection alone', async () => {
      const bench = await start({ policy })
      bench.upstream.answer(OK)
      const post = request('POST', '/', ['Content-Length: 3'], 'abc')
      const client = await bench.send(post + request('GET', '/second'))
      await client.when(() => client.text.split('ok').length === 3, 'both answers')
      expect(lineOf(bench.upstream.text)).to.equal('POST / HTTP/1.1')
      expect(bench.upstream.text).to.include('abcGET /second HTTP/1.1')
    })
  })

  it('R11-15: each route of a connection has its own', async () => {
    const bench = await start({
      routes: [exact('/quick', { id: 'quick', policy: { responseTimeoutMs: 1000 } }), prefix('', { id: 'shop' })],
    })
    const slow = await askAndWait(bench, '/slow')
    const quick = await askAndWait(bench, '/quick')
    bench.clock.advance(1000)
    expect(lineOf(await quick.until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    expect(slow.text).to.equal('')
    expect(linesOf(quick.text)).to.include('Content-Type: text/plain; charset=utf-8')
  })
}

async function askAndWait(bench: EngineBench, path: string): ReturnType<EngineBench['get']> {
  const client = await bench.get(path)
  await bench.when(() => bench.upstream.text.includes(`GET ${path} `))
  return client
}

function largeHead(bytes: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ${'a'.repeat(bytes)}\r\n\r\nok`
}
