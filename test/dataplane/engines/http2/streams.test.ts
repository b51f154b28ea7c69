// Streams of HTTP/2 as the messages that the engine serves (ADR 13): bodies, trailers, tunnels, cuts and pressure.
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { expect } from 'chai'
import { type BenchOptions, EngineBench, HOST } from '../../../contract/engine/bench.ts'
import { RawHttp2Client } from '../../../fakes/h2-client.ts'
import { type Fields, FRAME, headers, rstStream, settings, windowUpdate } from '../../../fakes/h2-frames.ts'
import type { RecordedSocket } from '../../../fakes/recorded-socket.ts'
import { ENGINE_FACTORIES } from './engines.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const GET: Fields = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', HOST],
  [':path', '/big'],
]

const CHAT: Fields = [
  [':method', 'CONNECT'],
  [':protocol', 'websocket'],
  [':scheme', 'http'],
  [':authority', HOST],
  [':path', '/chat'],
]
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'

interface Answer {
  readonly status: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
  readonly trailers: Readonly<Record<string, unknown>> | undefined
}

for (const [engine, makeEngine] of ENGINE_FACTORIES) {
  describe(`streams on ${engine}`, () => {
    let bench: EngineBench
    let session: ClientHttp2Session
    const start = async (options: BenchOptions = {}): Promise<void> => {
      bench = await EngineBench.start(makeEngine, { http2: {}, ...options })
      session = connect(`http://127.0.0.1:${bench.port}`)
      session.on('error', () => undefined)
      await once(session, 'connect')
    }
    const ask = (fields: OutgoingHttpHeaders = {}): ClientHttp2Stream => {
      const stream = session.request({ ':path': '/', ':authority': HOST, ...fields })
      stream.on('error', () => undefined)
      return stream
    }
    const idle = (): Promise<void> =>
      bench.when(() => {
        const { requests, tunnels } = bench.engine.load()
        return requests + tunnels + (bench.lane?.load().streams ?? 0) === 0
      })
    afterEach(() => {
      session.destroy()
      bench.stop()
    })

    it('are answered in their own time, and counted as one connection', async () => {
      await start()
      const answers: (() => void)[] = []
      bench.upstream.answerWith((head, connection) => {
        const name = /\/(\w)/.exec(head)?.[1] ?? ''
        answers.push(() => connection.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${name}`))
      })
      const asked = ['a', 'b', 'c'].map((name) => answerTo(ask({ ':path': `/${name}` })))
      await bench.when(() => answers.length === 3)
      expect(bench.lane?.load()).to.deep.equal({ connections: 1, streams: 3 })
      expect(bench.engine.load()).to.deep.equal({ connections: 0, requests: 0, tunnels: 0 })
      for (const answer of answers.toReversed()) answer()
      expect((await Promise.all(asked)).map(({ body }) => body)).to.deep.equal(['a', 'b', 'c'])
      await idle()
      const { counters } = bench
      expect(counters.process('dispatchH2')).to.equal(1)
      expect(counters.process('dispatchH1')).to.equal(0)
      expect(counters.process('requests')).to.equal(3)
      session.close()
      await bench.when(() => bench.lane?.load().connections === 0)
    })

    it('R20-53: answers have no field of the connection', async () => {
      await start()
      bench.upstream.answer(
        'HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n',
      )
      const { fields } = await answerTo(ask())
      expect(fields).to.include({ 'x-a': '1, 2', server: 'ramjet', 'content-length': '0' })
      expect(Object.keys(fields)).to.not.include.members(['connection', 'keep-alive', 'x-hop'])
    })

    it('carry bodies of a length, and of none, both ways', async () => {
      await start()
      bench.upstream.answerWith((_head, connection) => {
        void whenSent(connection, 'whole', () => {
          connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n')
          connection.write('2\r\nde\r\n0\r\n\r\n')
        })
      })
      const sized = ask({ ':method': 'POST', 'content-length': '8' })
      sized.end('is whole')
      expect((await answerTo(sized)).body).to.equal('abcde')
      expect(bench.upstream.text).to.match(/content-length: 8\r\n/i)
      const open = ask({ ':method': 'POST' })
      open.write('this one ')
      open.end('is whole')
      expect((await answerTo(open)).body).to.equal('abcde')
      expect(bench.upstream.text).to.match(/transfer-encoding: chunked\r\n/i)
    })

    it('R20-46, R22-20: carry trailers both ways', async () => {
      await start()
      bench.upstream.answerWith((_head, connection) => {
        void whenSent(connection, 'x-sum: 7', () => {
          connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: grpc-status\r\n\r\n1\r\na\r\n')
          connection.write('0\r\ngrpc-status: 0\r\nX-B: 1\r\n\r\n')
        })
      })
      const stream = session.request({ ':path': '/', ':method': 'POST', ':authority': HOST }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '7', host: 'evil.example' }))
      stream.end('a')
      const { body, trailers } = await answerTo(stream)
      expect(body).to.equal('a')
      expect(trailers).to.include({ 'grpc-status': '0', 'x-b': '1' })
      expect(bench.upstream.text).to.not.include('evil.example')
    })

    it('R22-20: carry trailers that are announced, though the length was said before', async () => {
      await start()
      bench.upstream.answerWith((_head, connection) => {
        void whenSent(connection, 'x-sum: 7', () => connection.write(OK))
      })
      const fields = { ':path': '/', ':method': 'POST', ':authority': HOST, 'content-length': '1', trailer: 'x-sum' }
      const stream = session.request(fields, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '7' }))
      stream.end('a')
      expect((await answerTo(stream)).body).to.equal('ok')
      expect(bench.upstream.text).to.not.match(/content-length/i)
    })

    it('R20-46, R70-70: a trailer that HTTP/2 refuses is left out, and the worker goes on', async () => {
      await start()
      bench.upstream.answer(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nHTTP2-Settings: AAA\r\nTE: gzip\r\nX-B: 1\r\n\r\n',
      )
      const { body, trailers } = await answerTo(ask())
      expect(body).to.equal('a')
      expect(trailers).to.include({ 'x-b': '1' }).and.not.to.have.any.keys('http2-settings', 'te')
    })

    it('what an upstream sends that HTTP/2 cannot carry harms nobody', async () => {
      await start({ limits: { maxResponseHeaderBytes: 400_000 } })
      const large = Array.from({ length: 3 }, (_none, index) => `X-Large-${index}: ${'y'.repeat(30_000)}\r\n`).join('')
      bench.upstream.answerWith((_head, connection) => {
        connection.write(
          `HTTP/1.1 200 OK\r\nHTTP2-Settings: x\r\n${large}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`,
        )
        connection.write('HTTP2-Settings: x\r\nConnection: close\r\nTE: gzip\r\nX-A: 1\r\n\r\n')
      })
      const { status, fields, trailers } = await answerTo(ask())
      expect(status).to.equal(200)
      expect(fields['x-large-2']).to.equal('y'.repeat(30_000))
      expect(Object.keys(trailers ?? {})).to.deep.equal(['x-a'])
      bench.upstream.answer('HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nno')
      expect((await answerTo(ask())).status).to.equal(205)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).body).to.equal('ok')
    })

    it('R20-55: HEAD, 204 and 304 have no body, and interim answers pass', async () => {
      await start()
      bench.upstream.answerWith((head, connection) => {
        if (head.startsWith('HEAD')) connection.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')
        else if (head.includes('/204')) connection.write('HTTP/1.1 204 No Content\r\n\r\n')
        else
          connection.write(
            'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
          )
      })
      const head = await answerTo(ask({ ':method': 'HEAD' }))
      expect(head).to.include({ status: 200, body: '' })
      expect(head.fields).to.include({ 'content-length': '5' })
      expect(await answerTo(ask({ ':path': '/204' }))).to.include({ status: 204, body: '' })
      const hinted = ask({ ':path': '/304' })
      const hints: unknown[] = []
      hinted.on('headers', (fields: unknown) => hints.push(fields))
      expect(await answerTo(hinted)).to.include({ status: 304, body: '' })
      expect(hints).to.have.length(1)
      expect(hints[0]).to.include({ ':status': 103, link: '</a>' })
    })

    it('R20-43: a 100 is that of the upstream, and the body follows it', async () => {
      await start()
      bench.upstream.answerWith((_head, connection) => {
        connection.write('HTTP/1.1 100 Continue\r\n\r\n')
        void whenSent(connection, 'abc', () => connection.write(OK))
      })
      const stream = ask({ ':method': 'POST', 'content-length': '3', expect: '100-continue' })
      await once(stream, 'continue')
      stream.end('abc')
      expect(await answerTo(stream)).to.include({ status: 200, body: 'ok' })
    })

    it('R20-62: have answers of our own, and the connection goes on behind each', async () => {
      await start()
      const none = await answerTo(ask({ ':authority': 'other.example' }))
      expect(none).to.include({ status: 404, body: '404 Not Found: no route takes this host and path.\n' })
      expect((await answerTo(ask({ ':path': '/a%00' }))).status).to.equal(400)
      const trace = ask({ ':method': 'TRACE' })
      trace.end()
      expect((await answerTo(trace)).status).to.equal(405)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).status).to.equal(200)
      expect(bench.counters.process('requests')).to.equal(4)
      expect(bench.counters.process('responses4xx')).to.equal(3)
      expect(bench.counters.process('refusedMalformed')).to.equal(1)
    })

    it('R20-59, R22-36: are reset where the upstream breaks off, and the others go on', async () => {
      await start()
      bench.upstream.answerWith((_head, connection) =>
        connection.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      )
      const stream = ask()
      stream.resume()
      await once(stream, 'response')
      bench.upstream.connections[0]?.socket.destroy()
      await closeOf(stream)
      expect(stream.rstCode).to.equal(constants.NGHTTP2_INTERNAL_ERROR)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).body).to.equal('ok')
    })

    it('R22-2: have the limits of HTTP/1.1, and the connection goes on behind each', async () => {
      await start({ policy: { maxBodyBytes: 4 } })
      bench.upstream.answerWith(() => undefined)
      const slow = ask({ ':method': 'POST' })
      await bench.upstream.connection()
      expect((await answerTo(ask({ ':path': `/${'a'.repeat(17_000)}` }))).status).to.equal(414)
      const large = ask({ ':method': 'POST', 'content-length': '5' })
      large.end('abcde')
      expect((await answerTo(large)).status).to.equal(413)
      const told = once(slow, 'response')
      bench.clock.advance(61_000)
      expect(((await told) as [Record<string, unknown>])[0]).to.include({ ':status': 408 })
      slow.close(constants.NGHTTP2_CANCEL)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).status).to.equal(200)
      expect(bench.lane?.load().connections).to.equal(1)
    })

    it('R22-10: cancel their upstream request when they are reset', async () => {
      await start()
      const stream = ask()
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      stream.close(constants.NGHTTP2_CANCEL)
      await upstream.untilEnd()
      await idle()
      expect(bench.counters.process('requestsInFlight')).to.equal(0)
    })

    it('R20-58, R20-89: are answered early, and what is left of the body is not waited for', async () => {
      await start()
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly')
      const stream = ask({ ':method': 'POST' })
      stream.write('a')
      const answer = answerTo(stream)
      await once(stream, 'response')
      await bench.when(() => (bench.lane?.load().streams ?? 0) === 1 && stream.readableEnded)
      bench.clock.advance(2500)
      expect((await answer).body).to.equal('early')
      expect(stream.rstCode).to.equal(constants.NGHTTP2_NO_ERROR)
      await idle()
    })

    it('71 #201: a window that stays shut falls under the send timeout, and what waits is bounded (R22-10)', async () => {
      await start()
      const size = 64 * 1024 * 1024
      bench.upstream.answerWith((_head, connection) => {
        connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
        connection.write(Buffer.alloc(size))
      })
      const before = process.memoryUsage().rss
      const client = await RawHttp2Client.open(bench.port)
      client.send(settings([[4, 0]]), headers(1, GET))
      await client.when(() => client.status() === 200)
      const upstream = await bench.upstream.connection()
      let taken = -1
      await bench.when(() => {
        const isSame = upstream.socket.bytesWritten - upstream.socket.writableLength === taken
        taken = upstream.socket.bytesWritten - upstream.socket.writableLength
        return isSame && taken > 0
      })
      expect(process.memoryUsage().rss - before).to.be.below(size + 50 * 1024 * 1024)
      expect(bench.counters.process('bufferedBytes')).to.be.below(1024 * 1024)
      bench.clock.advance(61_000)
      await client.when(() => client.resetCode() !== undefined)
      await upstream.when(() => upstream.isEnded || upstream.isClosed, 'the end')
      expect(client.of(1).filter(({ type }) => type === FRAME.data)).to.have.length(0)
      expect(bench.counters.process('refusedSendTimeout')).to.equal(1)
      client.socket.destroy()
    })

    it('R22-10: a small answer that nobody takes falls under it as well', async () => {
      await start()
      bench.upstream.answer(OK)
      const client = await RawHttp2Client.open(bench.port)
      client.send(settings([[4, 0]]), headers(1, GET))
      await client.when(() => client.status() === 200)
      await bench.when(() => bench.counters.process('bufferedBytes') > 0)
      bench.clock.advance(61_000)
      await client.when(() => client.resetCode() !== undefined)
      expect(bench.counters.process('refusedSendTimeout')).to.equal(1)
      client.socket.destroy()
      await bench.when(() => bench.counters.process('bufferedBytes') === 0)
    })

    it('R20-172: a large answer goes as fast as the client takes it, whole', async () => {
      await start()
      const size = 3_000_000
      bench.upstream.answerWith((_head, connection) => {
        connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
        connection.write(Buffer.alloc(size, 'abcdefg'))
      })
      const client = await RawHttp2Client.open(bench.port)
      client.send(headers(1, GET))
      let granted = 65_535
      const received = (): number => client.body().length
      while (!client.hasEnded()) {
        await client.when(() => received() >= Math.min(granted, size))
        granted += 500_000
        client.send(windowUpdate(0, 500_000), windowUpdate(1, 500_000))
        await client.when(() => client.hasEnded() || received() >= Math.min(granted, size))
      }
      expect(client.body()).to.equal(Buffer.alloc(size, 'abcdefg').toString('latin1'))
      client.socket.destroy()
    })

    it('R20-121: an upload is read only as fast as the upstream takes it, and arrives whole', async () => {
      await start()
      const size = 2_000_000
      const stream = ask({ ':method': 'POST', 'content-length': String(size) })
      stream.end(Buffer.alloc(size, 'x'))
      const upstream = await bench.upstream.connection()
      upstream.socket.pause()
      await bench.when(() => bench.counters.process('bufferedBytes') > 0)
      upstream.socket.resume()
      await upstream.when(() => upstream.text.length > size, 'the body')
      upstream.write(OK)
      expect((await answerTo(stream)).status).to.equal(200)
    })

    it('R22-10: an upload that is given up without an error leaves nothing behind, though nobody was reading it', async () => {
      await start()
      const stream = ask({ ':method': 'POST' })
      stream.write(Buffer.alloc(30_000_000))
      const upstream = await bench.upstream.connection()
      upstream.socket.pause()
      let [sent, looks] = [0, 0]
      await bench.when(() => {
        looks = session.socket.bytesWritten === sent ? looks + 1 : 0
        sent = session.socket.bytesWritten
        return looks > 20 && sent > 1_000_000
      })
      stream.close(constants.NGHTTP2_NO_ERROR)
      await idle()
      expect(bench.counters.process('requestsInFlight')).to.equal(0)
    })

    it('R22-9: an extended CONNECT becomes an upgrade, with its ends (RFC 8441)', async () => {
      await start()
      bench.upstream.answer(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\nX-A: 1\r\n\r\nhello',
      )
      await bench.when(() => session.remoteSettings.enableConnectProtocol === true)
      const stream = ask({
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':path': '/chat',
        ':scheme': 'http',
        'sec-websocket-version': '13',
      })
      const [fields] = (await once(stream, 'response')) as [Record<string, unknown>]
      expect(fields).to.include({ ':status': 200, 'x-a': '1' })
      expect(Object.keys(fields)).to.not.include('sec-websocket-accept')
      const upstream = await bench.upstream.connection()
      expect(upstream.text).to.match(/^GET \/chat HTTP\/1\.1\r\n/)
      expect(upstream.text).to.match(/sec-websocket-key: [A-Za-z0-9+/]{22}==\r\n/i)
      expect(String(((await once(stream, 'data')) as [Buffer])[0])).to.equal('hello')
      expect(bench.engine.load().tunnels).to.equal(1)
      expect(bench.lane?.load().streams).to.equal(0)
      stream.write('ping')
      await upstream.until('ping')
      upstream.write('pong')
      expect(String(((await once(stream, 'data')) as [Buffer])[0])).to.equal('pong')
      stream.end()
      await upstream.untilEnd()
      upstream.write('last')
      upstream.end()
      expect(String(((await once(stream, 'data')) as [Buffer])[0])).to.equal('last')
      await once(stream, 'close')
      expect(stream.rstCode).to.equal(0)
      await idle()
    })

    it('R22-9, R20-172: a tunnel is read only as fast as its client takes it, and ends with it', async () => {
      await start()
      bench.upstream.answer(`${SWITCH}${'x'.repeat(24 * 1024 * 1024)}`)
      const client = await RawHttp2Client.open(bench.port)
      client.send(settings([[4, 0]]), headers(1, CHAT, 0))
      await client.when(() => client.status() === 200)
      const upstream = await bench.upstream.connection()
      for (let turn = 0; turn < 600; turn += 1) await bench.turn()
      expect(upstream.socket.writableLength).to.be.above(0)
      expect(bench.counters.process('bufferedBytes')).to.be.below(1024 * 1024)
      client.send(rstStream(1, constants.NGHTTP2_CANCEL))
      await upstream.when(() => upstream.isEnded || upstream.isClosed, 'the end')
      client.socket.destroy()
      await idle()
    })

    it('R22-9: a tunnel whose upstream breaks off is reset with CANCEL', async () => {
      await start()
      bench.upstream.answer(`${SWITCH}hello`)
      const client = (await RawHttp2Client.open(bench.port)).send(headers(1, CHAT, 0))
      await client.when(() => client.body() === 'hello')
      bench.upstream.connections[0]?.reset()
      await client.when(() => client.resetCode() !== undefined)
      expect(client.resetCode()).to.equal(constants.NGHTTP2_CANCEL)
      expect(client.hasEnded()).to.equal(false)
      client.socket.destroy()
      await idle()
    })

    it('R22-9: an upgrade that is answered with a body is no open tunnel', async () => {
      await start()
      await bench.when(() => session.remoteSettings.enableConnectProtocol === true)
      for (const answer of [OK, 'HTTP/1.1 204 No Content\r\n\r\n']) {
        bench.upstream.answer(answer)
        const stream = ask({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/chat', ':scheme': 'http' })
        expect(await answerTo(stream)).to.include({
          status: 502,
          body: '502 Bad Gateway: the upstream gave no valid response.\n',
        })
      }
      expect(bench.engine.load().tunnels).to.equal(0)
      expect(bench.counters.process('responses5xx')).to.equal(2)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).status).to.equal(200)
    })

    it('R22-9: a refused upgrade is relayed, and another protocol is 501', async () => {
      await start()
      bench.upstream.answer('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
      await bench.when(() => session.remoteSettings.enableConnectProtocol === true)
      const connectTo = { ':method': 'CONNECT', ':path': '/chat', ':scheme': 'http' }
      expect(await answerTo(ask({ ...connectTo, ':protocol': 'websocket' }))).to.include({ status: 403, body: 'no' })
      expect((await answerTo(ask({ ...connectTo, ':protocol': 'connect-udp' }))).status).to.equal(501)
      const withLength = { ...connectTo, ':protocol': 'websocket', 'content-length': '5' }
      expect((await answerTo(ask(withLength))).status).to.equal(400)
      bench.upstream.answer(OK)
      expect((await answerTo(ask())).status).to.equal(200)
    })
  })
}

async function answerTo(stream: ClientHttp2Stream): Promise<Answer> {
  let trailers: Answer['trailers']
  let body = ''
  stream.on('trailers', (fields: Record<string, unknown>) => {
    trailers = fields
  })
  stream.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1')
  })
  const [fields] = (await once(stream, 'response')) as [Record<string, unknown>]
  await closeOf(stream)
  return { status: Number(fields[':status']), fields, body, trailers }
}

function closeOf(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.once('close', resolve)
  })
}

async function whenSent(connection: RecordedSocket, part: string, answer: () => void): Promise<void> {
  await connection.until(part)
  answer()
}
