import { constants, type Http2Stream, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { exact, prefix } from '../../builders/route-table.ts'
import { listening } from '../../fakes/listening.ts'
import type { OriginRequest, OriginResponse } from '../../fakes/protocol-origin.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, lineOf, request } from './bench.ts'
import { protocolSetup, type Started } from './protocol-bench.ts'

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const POST = request('POST', '/', ['Content-Length: 3'], 'abc')

/** Streams and sessions of HTTP/2 towards backends: R20-115, R20-116, R20-128, R22-18, R22-19. */
export function backendStreamCases(start: StartBench): void {
  const setup = protocolSetup(start)
  const servers: Server[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  describe('sessions', () => {
    it('R22-18: requests at once share one', async () => {
      const { bench, origin } = await setup.start('h2c')
      const held = holding(origin)
      const clients = await ask(bench, 12)
      await bench.when(() => held.length === 12)
      expect(origin.sockets).to.have.length(1)
      for (const { response } of held) response.end('ok')
      await Promise.all(clients.map((client) => client.until('ok')))
      expect(bench.counters.process('responses2xx')).to.equal(12)
    })

    it('R22-18: another one is opened when the peer takes no more streams', async () => {
      const { bench, origin } = await setup.start('h2c', {}, oneStream())
      const held = holding(origin)
      const clients = await ask(bench, 3)
      await bench.when(() => held.length === 3)
      expect(origin.sockets).to.have.length(3)
      for (const { response } of held) response.end('ok')
      await Promise.all(clients.map((client) => client.until('ok')))
    })

    it('R20-116: above the limit a request waits for room, and gets it in its turn', async () => {
      const { bench, origin } = await setup.start('h2c', { limits: { upstreamH2Sessions: 2 } }, oneStream())
      const held = holding(origin)
      const clients = await ask(bench, 4)
      for (let served = 0; served < 4; served += 1) {
        await bench.when(() => held.length > served)
        held[served]?.response.end('ok')
      }
      await Promise.all(clients.map((client) => client.until('ok')))
      expect(origin.sockets).to.have.length(2)
      await bench.when(() => bench.counters.inFlight(1) === 0)
    })

    it('R20-116: and at most for the connect timeout', async () => {
      const { bench, origin } = await setup.start(
        'h2c',
        {
          limits: { upstreamH2Sessions: 1 },
          // Of the second request alone: the first has all the time that its session needs.
          routes: [exact('/second', { id: 'second', policy: { connectTimeoutMs: 300 } }), prefix('', { id: 'shop' })],
        },
        oneStream(),
      )
      const held = holding(origin)
      const first = await bench.get('/')
      await bench.when(() => held.length === 1)
      const second = await bench.get('/second')
      expect(bodyOf(await second.until('\n504'))).to.contain('no endpoint took the connection in time')
      expect(bench.counters.process('connectTimeout')).to.equal(1)
      held[0]?.response.end('ok')
      await first.until('ok')
      expect(held).to.have.length(1)
    })

    it('a client that goes while it waits takes no place', async () => {
      const { bench, origin } = await setup.start('h2c', { limits: { upstreamH2Sessions: 1 } }, oneStream())
      const held = holding(origin)
      const first = await bench.get('/first')
      await bench.when(() => held.length === 1)
      const gone = await bench.get('/gone')
      await bench.when(() => bench.counters.process('requests') === 2)
      gone.reset()
      await bench.when(() => bench.counters.process('requestsInFlight') === 1)
      const last = await bench.get('/last')
      held[0]?.response.end('ok')
      await first.until('ok')
      await bench.when(() => held.length === 2)
      expect(held[1]?.incoming.url).to.equal('/last')
      held[1]?.response.end('ok')
      await last.until('ok')
    })

    it('R20-115: an idle one is closed in time, and not before', async () => {
      const { bench, origin } = await setup.start('h2c')
      await (await bench.get('/')).until('ok')
      bench.clock.advance(59_000)
      await (await bench.get('/')).until('ok')
      bench.clock.advance(59_999)
      await bench.turn()
      expect(origin.sockets[0]?.destroyed).to.equal(false)
      bench.clock.advance(1)
      await bench.when(() => origin.sockets[0]?.destroyed === true)
      await (await bench.get('/')).until('ok')
      expect(origin.sockets).to.have.length(2)
    })

    it('R00-13: one to an endpoint that is gone ends behind its last stream', async () => {
      const { bench, origin } = await setup.start('h2c')
      const held = holding(origin)
      const client = await bench.get('/')
      await bench.when(() => held.length === 1)
      bench.assign([])
      await bench.turn()
      expect(origin.sockets[0]?.destroyed).to.equal(false)
      held[0]?.response.end('ok')
      await client.until('ok')
      await bench.when(() => origin.sockets[0]?.destroyed === true)
    })

    it('R20-128: one that died is found out by the next request, which is made again if it is idempotent', async () => {
      const { bench, origin } = await setup.start('h2c')
      let asked = 0
      origin.handler = (_incoming, response) => {
        asked += 1
        if (asked === 2 || asked === 4) origin.sockets.at(-1)?.destroy()
        else response.end('ok')
      }
      await (await bench.get('/')).until('ok')
      await (await bench.get('/')).until('ok')
      expect(bench.counters.process('retriesReused')).to.equal(1)
      expect(lineOf(await (await bench.send(POST)).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(asked).to.equal(4)
    })

    it('one whose peer fell silent gets no new request', async () => {
      const { bench, origin } = await setup.start('h2c', { settings: { connectTimeoutMs: 5000 } })
      let asked = 0
      origin.handler = (_incoming, response) => {
        asked += 1
        if (asked !== 2) response.end('ok')
      }
      await (await bench.get('/')).until('ok')
      const unanswered = await bench.get('/')
      await bench.when(() => asked === 2)
      bench.clock.advance(60_000)
      await unanswered.until('\n504')
      await (await bench.get('/')).until('ok')
      expect(origin.sockets).to.have.length(2)
    })

    it('one whose peer only takes its time is kept', async () => {
      const { bench, origin } = await setup.start('h2c')
      const held = holding(origin)
      const slow = await bench.get('/')
      await bench.when(() => held.length === 1)
      bench.clock.advance(59_000)
      const quick = await bench.get('/')
      await bench.when(() => held.length === 2)
      held[1]?.response.end('ok')
      await quick.until('ok')
      slow.reset()
      await bench.when(() => bench.counters.process('requestsInFlight') === 0)
      const last = await bench.get('/')
      await bench.when(() => held.length === 3)
      held[2]?.response.end('ok')
      await last.until('ok')
      expect(origin.sockets).to.have.length(1)
    })

    it('a request that is complete is not reset', async () => {
      const { bench, origin } = await setup.start('h2c')
      const codes: (number | undefined)[] = []
      origin.handler = (incoming, response) => {
        const stream = streamOf({ response })
        stream.on('close', () => codes.push(stream.rstCode))
        incoming.resume().on('end', () => response.end('ok'))
      }
      await (await bench.get('/')).until('ok')
      await (await bench.send(POST)).until('ok')
      await (await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '1\r\na\r\n0\r\n\r\n'))).until('ok')
      await bench.when(() => codes.length === 3)
      expect(codes).to.deep.equal([NGHTTP2_NO_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_NO_ERROR])
    })

    it('a peer that speaks HTTP/1.1 is 502', async () => {
      const older = await listener(servers, (socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      })
      const { bench } = await setup.start('h2c', { endpoints: [older] })
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    })

    it('R20-119: the connect timeout of the route is the one that counts', async () => {
      const slow = await listener(servers, (socket) => {
        socket.once('data', () => setTimeout(() => socket.end(frame(SETTINGS, 0, 0, '')), 200))
      })
      const options = { endpoints: [slow], settings: { connectTimeoutMs: 50 } }
      const { bench } = await setup.start('h2c', { ...options, policy: { connectTimeoutMs: 5000 } })
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      const { bench: hasty } = await setup.start('h2c', options)
      expect(lineOf(await (await hasty.get('/')).until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    })

    it('R20-108: a peer that never says its settings is 504', async () => {
      const silent = await listener(servers, () => undefined)
      const { bench } = await setup.start('h2c', { endpoints: [silent], settings: { connectTimeoutMs: 100 } })
      expect(lineOf(await (await bench.get('/')).until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    })
  })

  describe('GOAWAY', () => {
    it('a peer that says it with its first breath is not dialled without end', async () => {
      let dialled = 0
      const address = await listener(servers, (socket) => {
        dialled += 1
        socket.resume()
        socket.write(Buffer.concat([frame(GOAWAY, 0, 0, '\0'.repeat(8)), frame(SETTINGS, 0, 0, '')]))
      })
      const { bench } = await setup.start('h2c', { endpoints: [address] })
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(dialled).to.be.within(1, 3)
    })

    it('R22-19: NO_ERROR: what is under way finishes, what is new goes to another session', async () => {
      const { bench, origin } = await setup.start('h2c')
      const held = holding(origin)
      const first = await bench.get('/')
      await bench.when(() => held.length === 1)
      const session = streamOf(held[0]).session
      session?.goaway(NGHTTP2_NO_ERROR)
      // What is answered behind it says that it was read.
      await new Promise((resolve) => session?.ping(resolve))
      const second = await bench.get('/')
      await bench.when(() => held.length === 2)
      expect(origin.sockets).to.have.length(2)
      for (const { response } of held) response.end('ok')
      await first.until('ok')
      await second.until('ok')
    })

    it('R22-19: streams above its last id are made again, whatever their method', async () => {
      const { bench, origin } = await setup.start('h2c')
      const bodies: string[] = []
      origin.handler = (incoming, response) => {
        if (bodies.push('') === 2) {
          streamOf({ response }).session?.goaway(NGHTTP2_NO_ERROR, 1)
          return
        }
        let text = ''
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        incoming.on('end', () => response.end(`got ${text}`))
      }
      await (await bench.send(POST)).until('got abc')
      await (await bench.send(POST)).until('got abc')
      expect(bodies).to.have.length(3)
      expect(origin.sockets).to.have.length(2)
      expect(bench.counters.process('retriesGoaway')).to.equal(1)
      expect(bench.counters.process('responses2xx')).to.equal(2)
    })

    it('R22-19: behind an error code what may have been acted on follows the retry rules', async () => {
      const { bench, origin } = await setup.start('h2c')
      let asked = 0
      origin.handler = (_incoming, response) => {
        asked += 1
        streamOf({ response }).session?.goaway(NGHTTP2_INTERNAL_ERROR, 1)
      }
      expect(lineOf(await (await bench.send(POST)).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(asked).to.equal(1)
      expect(bench.counters.process('retriesGoaway')).to.equal(0)
    })
  })

  describe('REFUSED_STREAM', () => {
    it('R22-19: is made again, whatever the method, at another endpoint first', async () => {
      const other = await setup.origin('h2c')
      const refusing = await setup.origin('h2c')
      const { bench } = await setup.start('h2c', { endpoints: [refusing.address, other.address] })
      refusing.handler = (_incoming, response) => streamOf({ response }).close(NGHTTP2_REFUSED_STREAM)
      other.handler = (incoming, response) => void incoming.resume().on('end', () => response.end('other'))
      await (await bench.send(POST)).until('other')
      expect(bench.counters.process('retriesRefusedStream')).to.equal(1)
    })

    it('a body that is still coming is sent from its beginning', async () => {
      const { bench, origin } = await setup.start('h2c')
      let asked = 0
      origin.handler = (incoming, response) => {
        asked += 1
        if (asked === 1) {
          incoming.once('data', () => streamOf({ response }).close(NGHTTP2_REFUSED_STREAM))
          return
        }
        let text = ''
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        incoming.on('end', () => response.end(`got ${text}`))
      }
      const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'))
      await bench.when(() => asked === 2)
      client.write('3\r\ndef\r\n0\r\n\r\n')
      await client.until('got abcdef')
    })

    it('R20-130: and at the same one where there is no other', async () => {
      const { bench, origin } = await setup.start('h2c')
      let asked = 0
      origin.handler = (incoming, response) => {
        asked += 1
        if (asked === 1) streamOf({ response }).close(NGHTTP2_REFUSED_STREAM)
        else incoming.resume().on('end', () => response.end('ok'))
      }
      await (await bench.send(POST)).until('ok')
      expect(asked).to.equal(2)
    })

    it('R20-109: not for ever', async () => {
      const { bench, origin } = await setup.start('h2c')
      let asked = 0
      origin.handler = (_incoming, response) => {
        asked += 1
        streamOf({ response }).close(NGHTTP2_REFUSED_STREAM)
      }
      expect(lineOf(await (await bench.send(POST)).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(asked).to.equal(3)
      expect(bench.counters.process('retriesRefusedStream')).to.equal(2)
    })

    it('R20-117: a body that is not kept is not made again', async () => {
      const { bench, origin } = await setup.start('h2c', { limits: { retryBufferBytes: 2 } })
      origin.handler = (incoming, response) => {
        incoming.once('data', () => streamOf({ response }).close(NGHTTP2_REFUSED_STREAM))
      }
      expect(lineOf(await (await bench.send(POST)).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.counters.process('retriesRefusedStream')).to.equal(0)
    })

    it('R11-67: nothing is made again where the route says so', async () => {
      const { bench, origin } = await setup.start('h2c', { policy: { retry: { on: [] } } })
      origin.handler = (_incoming, response) => streamOf({ response }).close(NGHTTP2_REFUSED_STREAM)
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.counters.process('retriesRefusedStream')).to.equal(0)
    })
  })

  it('R20-59: a reset without an error in the middle of a body is no end of it', async () => {
    const address = await listener(servers, (socket) => {
      socket.write(frame(SETTINGS, 0, 0, ''))
      let came = 0
      socket.on('data', (bytes: Buffer) => {
        came += bytes.length
        // Preface, SETTINGS and WINDOW_UPDATE of ours are shorter than that; the request's HEADERS make it longer.
        if (came < 200) return
        came = Number.NEGATIVE_INFINITY
        socket.write(
          Buffer.concat([
            frame(HEADERS, END_HEADERS, 1, '\x88'),
            frame(DATA, 0, 1, 'partial'),
            frame(RST_STREAM, 0, 1, '\x00\x00\x00\x00'),
          ]),
        )
      })
    })
    const { bench } = await setup.start('h2c', { endpoints: [address] })
    const client = await bench.get('/', [`X-Long: ${'x'.repeat(200)}`])
    const text = await client.untilEnd()
    expect(text).to.contain('partial')
    expect(text).to.not.contain('0\r\n\r\n')
  })
}

interface Held {
  readonly incoming: OriginRequest
  readonly response: OriginResponse
}

/** The requests that the origin has got and not answered. */
function holding(origin: Started['origin']): Held[] {
  const held: Held[] = []
  origin.handler = (incoming, response) => void held.push({ incoming, response })
  return held
}

function ask(bench: EngineBench, count: number): Promise<RecordedSocket[]> {
  return Promise.all(Array.from({ length: count }, () => bench.get('/')))
}

function oneStream(): { readonly options: object } {
  return { options: { settings: { maxConcurrentStreams: 1 } } }
}

function streamOf(held: Pick<Held, 'response'> | undefined): ServerHttp2Stream & Http2Stream {
  if (!held || !('stream' in held.response)) throw new TypeError('no stream of HTTP/2')
  return held.response.stream
}

async function listener(servers: Server[], accepted: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    accepted(socket)
  })
  servers.push(server)
  return `127.0.0.1:${await listening(server)}`
}

const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const GOAWAY = 7
const END_HEADERS = 4

/** A frame of HTTP/2 (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: string): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, Buffer.from(payload, 'latin1')])
}
