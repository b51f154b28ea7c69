// Connections of HTTP/2 clients: how they begin, how long they live, and how they end.
import { expect } from 'chai'
import { type BenchOptions, EngineBench, HOST, request } from '../../../contract/engine/bench.ts'
import { RawHttp2Client } from '../../../fakes/h2-client.ts'
import {
  ACK,
  data,
  type Fields,
  FRAME,
  frame,
  headers,
  PREFACE,
  settings,
  windowUpdate,
} from '../../../fakes/h2-frames.ts'
import { ENGINE_FACTORIES } from './engines.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const GET: Fields = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', HOST],
  [':path', '/'],
]
const POST: Fields = GET.map(([name, value]) => [name, value === 'GET' ? 'POST' : value])
const NO_ERROR = 0

for (const [engine, makeEngine] of ENGINE_FACTORIES) {
  describe(`connections of HTTP/2 on ${engine}`, () => {
    let bench: EngineBench
    const start = async (options: BenchOptions = {}): Promise<void> => {
      bench = await EngineBench.start(makeEngine, { http2: {}, ...options })
      bench.upstream.answer(OK)
    }
    const open = (): Promise<RawHttp2Client> => RawHttp2Client.open(bench.port)
    /** A client that was answered once. */
    const answered = async (): Promise<RawHttp2Client> => {
      const client = (await open()).send(headers(1, GET))
      await client.when(() => client.hasEnded(1))
      return client
    }
    const sessions = (count: number): Promise<void> => bench.when(() => bench.lane?.load().connections === count)
    afterEach(() => bench.stop())

    it('R20-6: begin with the preface, wherever it is cut, and no byte is lost', async () => {
      await start()
      const bytes = Buffer.concat([PREFACE, settings(), headers(1, GET)])
      for (let cut = 1; cut <= PREFACE.length + 2; cut += 1) {
        const client = await bench.client()
        const http2 = new RawHttp2Client(client.socket)
        http2.send(bytes.subarray(0, cut))
        await bench.heard(client, Math.min(cut, PREFACE.length))
        http2.send(bytes.subarray(cut))
        await http2.when(() => http2.hasEnded(1))
        expect(http2.status(1), `cut at ${cut}`).to.equal(200)
        client.socket.destroy()
      }
      await sessions(0)
      expect(bench.counters.process('dispatchH2')).to.equal(PREFACE.length + 2)
      expect(bench.counters.process('dispatchH1')).to.equal(0)
      expect(bench.engine.load().connections).to.equal(0)
    })

    it('71 #127: nothing that only looks like the preface is taken, nor a preface behind a request', async () => {
      await start()
      const almost = await bench.send('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n')
      expect(await almost.untilEnd()).to.include('505 HTTP Version Not Supported')
      const behind = await bench.send(request('GET', '/') + PREFACE.toString('latin1'))
      const text = await behind.untilEnd()
      expect(text).to.include('200 OK')
      expect(text).to.include('505 HTTP Version Not Supported')
      expect(bench.counters.process('dispatchH2')).to.equal(0)
      expect(bench.counters.process('dispatchH1')).to.equal(2)
    })

    it('71 #127: without HTTP/2 the preface is answered 505', async () => {
      bench = await EngineBench.start(makeEngine)
      const client = await bench.send(PREFACE.toString('latin1'))
      expect(await client.untilEnd()).to.include('505 HTTP Version Not Supported')
    })

    it('R20-98, R20-101, R20-102: are told the limits', async () => {
      await start({ http2: { maxStreams: 7 }, limits: { maxHeaderBytes: 8192 } })
      const client = await answered()
      const told = client.frames.find(({ type, flags }) => type === FRAME.settings && flags !== ACK)?.payload ?? PREFACE
      const values = new Map<number, number>()
      for (let at = 0; at < told.length; at += 6) values.set(told.readUInt16BE(at), told.readUInt32BE(at + 2))
      expect(values.get(3)).to.equal(7)
      expect(values.get(4)).to.equal(65_536)
      expect(values.get(6)).to.equal(16_384)
      expect(values.get(8)).to.equal(1)
      const opened = client.frames.find(({ type, stream }) => type === FRAME.windowUpdate && stream === 0)
      expect(opened?.payload.readUInt32BE(0)).to.equal(1024 * 1024 - 65_535)
    })

    it('R20-77: are closed with GOAWAY when idle, and not while a stream is open', async () => {
      await start({ limits: { keepAliveTimeoutMs: 75_000 } })
      bench.upstream.answerWith((head, connection) => {
        if (head.startsWith('GET')) connection.write(OK)
      })
      const idle = await answered()
      const piece = 'x'.repeat(100)
      const pieces = (): number => bench.upstream.text.split(piece).length - 1
      const busy = (await open()).send(headers(1, POST, 0))
      await bench.when(() => bench.upstream.text.includes('POST'))
      await bench.when(() => bench.lane?.load().streams === 1)
      let sent = 0
      while (!idle.isClosed) {
        bench.clock.advance(5000)
        busy.send(data(1, piece))
        sent += 1
        await bench.when(() => pieces() >= sent)
      }
      expect(idle.goawayCode()).to.equal(NO_ERROR)
      expect(busy.goawayCode()).to.equal(undefined)
      busy.socket.destroy()
    })

    it('R20-74: are closed where no SETTINGS come in time', async () => {
      await start()
      const client = await bench.send(PREFACE.toString('latin1'))
      await sessions(1)
      bench.clock.advance(10_500)
      await client.untilEnd()
    })

    it('R20-78: have so many requests and no more', async () => {
      await start({ limits: { keepAliveRequests: 2 } })
      const client = await answered()
      expect(client.goawayCode()).to.equal(undefined)
      client.send(headers(3, GET))
      await client.untilClosed()
      expect(client.hasEnded(3)).to.equal(true)
      expect(client.goawayCode()).to.equal(NO_ERROR)
    })

    it('R20-106: end by their age, and finish what is under way', async () => {
      await start({ http2: { maxAgeMs: 1000 } })
      const client = (await open()).send(headers(1, POST, 0))
      await bench.when(() => bench.lane?.load().streams === 1)
      bench.clock.advance(1200)
      await client.when(() => client.goawayCode() === NO_ERROR)
      client.send(data(1, 'x', 1))
      await client.untilClosed()
      expect(client.body(1)).to.equal('ok')
    })

    it('R20-166: get GOAWAY at once when we drain, and finish; one opened later gets it with its first stream', async () => {
      await start()
      bench.upstream.answerWith(() => undefined)
      const client = (await open()).send(headers(1, GET))
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      bench.engine.startDraining()
      bench.lane?.startDraining()
      await client.when(() => client.goawayCode() === NO_ERROR)
      expect(bench.lane?.load()).to.deep.equal({ connections: 1, streams: 1 })
      upstream.write(OK)
      await client.untilClosed()
      expect(client.body(1)).to.equal('ok')
      bench.upstream.answer(OK)
      const late = await open()
      await late.when(() => late.frames.some(({ type }) => type === FRAME.settings))
      expect(late.goawayCode()).to.equal(undefined)
      late.send(headers(1, GET))
      await late.untilClosed()
      expect(late.body(1)).to.equal('ok')
      expect(late.goawayCode()).to.equal(NO_ERROR)
      await sessions(0)
    })

    it('end when the client ends its side, whatever is open', async () => {
      await start()
      const client = (await open()).send(headers(1, POST, 0))
      await bench.when(() => bench.lane?.load().streams === 1)
      client.socket.end()
      await sessions(0)
      await bench.when(() => bench.counters.process('requestsInFlight') === 0)
      expect(bench.engine.load().connections).to.equal(0)
    })

    it('R20-104, R20-107: do not outlive an error by more than 5 s, whatever the client reads', async () => {
      await start({ http2: { maxControlFrames: 10 } })
      const client = await answered()
      client.socket.pause()
      client.send(...Array.from({ length: 20 }, () => frame(FRAME.ping, 0, 0, Buffer.alloc(8))))
      await bench.when(() => bench.counters.process('h2GuardControl') === 1)
      await bench.when(() => {
        bench.clock.advance(1000)
        return bench.lane?.load().connections === 0
      })
      client.socket.destroy()
    })

    it('R20-81: do not outlive a client that takes no byte any more', async () => {
      await start()
      const size = 16 * 1024 * 1024
      bench.upstream.answerWith((_head, connection) => {
        connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
        connection.write(Buffer.alloc(size))
      })
      const client = (await open()).send(settings([[4, size]]), windowUpdate(0, size), headers(1, GET))
      await client.when(() => client.status() === 200)
      client.socket.pause()
      await bench.when(() => bench.counters.process('bufferedBytes') > 0)
      while (bench.lane?.load().connections !== 0) {
        bench.clock.advance(10_000)
        await bench.turn()
      }
      expect(bench.engine.load().connections).to.equal(0)
      client.socket.destroy()
    })

    it('R20-103, R22-11: resets count beyond the streams that finished', async () => {
      await start({ http2: { maxResets: 3 } })
      const client = await open()
      let stream = 1
      for (let round = 0; round < 6; round += 1) {
        client.send(headers(stream, GET))
        const asked = stream
        await client.when(() => client.hasEnded(asked))
        client.send(...reset(stream + 2))
        stream += 4
      }
      client.send(headers(stream, GET))
      await client.when(() => client.hasEnded(stream))
      expect(client.isClosed).to.equal(false)
      for (let count = 1; count <= 5; count += 1) client.send(...reset(stream + 2 * count))
      await client.untilClosed()
      expect(bench.counters.process('h2GuardResets')).to.equal(1)
    })

    it('R20-105: what was under way to streams that we ended early is no flood', async () => {
      await start()
      bench.upstream.answer('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n')
      const client = await open()
      const ids = Array.from({ length: 16 }, (_, index) => 2 * index + 1)
      for (const id of ids) client.send(headers(id, POST, 0))
      await client.when(() => ids.every((id) => client.hasEnded(id)))
      bench.clock.advance(2500)
      await client.when(() => ids.every((id) => client.resetCode(id) === NO_ERROR))
      for (const id of ids) for (let count = 0; count < 3; count += 1) client.send(data(id, 'x'.repeat(16_000)))
      client.send(headers(101, GET))
      await client.when(() => client.hasEnded(101))
      // Only who is looked at is found idle.
      while (!client.isClosed) {
        bench.clock.advance(80_000)
        await bench.turn()
      }
      expect(client.goawayCode()).to.equal(NO_ERROR)
      expect(bench.counters.process('h2GuardBytes')).to.equal(0)
    })

    it('R20-105: bytes that move something are no flood', async () => {
      await start({ http2: { floodBytes: 4096 } })
      bench.upstream.answerWith(() => undefined)
      const client = (await open()).send(headers(1, POST, 0))
      const upstream = await bench.upstream.connection()
      // Below the window, so that nothing has to be waited for.
      for (let count = 0; count < 60; count += 1) client.send(data(1, 'x'.repeat(1000)))
      await upstream.when(() => upstream.text.length > 60_000, 'the body')
      client.send(data(1, '', 1))
      upstream.write(OK)
      await client.when(() => client.hasEnded(1))
      expect(client.status(1)).to.equal(200)
      client.socket.destroy()
    })
  })
}

/** A stream that is opened and reset at once. */
function reset(stream: number): readonly Buffer[] {
  return [headers(stream, POST, 0), frame(FRAME.rstStream, 0, stream, Buffer.of(0, 0, 0, 8))]
}
