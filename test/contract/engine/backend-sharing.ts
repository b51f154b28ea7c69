// Requests of several clients on one HTTP/2 session: what one of them does costs no other.
import { once } from 'node:events'
import { type ClientHttp2Stream, connect, type Http2Stream } from 'node:http2'
import { expect } from 'chai'
import { RawHttp2Client } from '../../fakes/h2-client.ts'
import { type Fields, headers, settings } from '../../fakes/h2-frames.ts'
import type { StartBench } from '../engine.ts'
import { type EngineBench, HOST, lineOf, request } from './bench.ts'
import { protocolSetup, type Started } from './protocol-bench.ts'

const STALLED = 20
/** So many of these are more than the window of a connection. */
const LARGE = 300_000
const KIB = 1024

/** R20-101, R20-172, R22-18, R22-19, R22-20. */
export function backendSharingCases(start: StartBench): void {
  const setup = protocolSetup(start)

  it('R20-172: clients that take nothing of their responses hold nobody else back', async () => {
    const { bench, origin } = await setup.start('h2c', { http2: {} })
    origin.handler = ({ url }, response) => void response.end(url === '/large' ? Buffer.alloc(LARGE) : 'ok')
    const client = await RawHttp2Client.open(bench.port)
    const streams = Array.from({ length: STALLED }, (_none, index) => 2 * index + 1)
    client.send(settings([[4, 0]]), ...streams.map((stream) => headers(stream, get('/large'))))
    await client.when(() => streams.every((stream) => client.status(stream) === 200))
    await standstill(bench, () => origin.sockets[0]?.bytesWritten ?? 0)
    await (await bench.get('/small')).until('ok')
    expect(origin.sockets).to.have.length(1)
    client.socket.destroy()
    await bench.when(() => bench.counters.process('requestsInFlight') === 0)
  })

  it('R20-172: uploads that nobody reads hold no other stream back, on either side', async () => {
    const { bench, origin } = await setup.start('h2c', { http2: {} })
    origin.handler = ({ method }, response) => {
      if (method === 'GET') response.end('ok')
    }
    const session = connect(`http://127.0.0.1:${bench.port}`)
    session.on('error', () => undefined)
    const uploads = Array.from({ length: STALLED }, () => {
      const stream = session.request({ ':path': '/', ':authority': HOST, ':method': 'POST' })
      stream.on('error', () => undefined)
      stream.write(Buffer.alloc(LARGE))
      return stream
    })
    await once(session, 'connect')
    await bench.when(() => bench.counters.process('requests') === STALLED)
    await standstill(bench, () => session.socket.bytesWritten)
    expect(uploads.some(({ writableLength }) => writableLength > 0)).to.equal(true)
    const small = session.request({ ':path': '/', ':authority': HOST })
    expect(await textOf(small)).to.equal('ok')
    expect(origin.sockets).to.have.length(1)
    session.destroy()
    await bench.when(() => bench.counters.process('requestsInFlight') === 0)
  })

  it('R20-83: a head as large as clients may send passes, and the session goes on', async () => {
    const { bench, origin } = await setup.start(
      'h2c',
      { limits: { maxHeaderBytes: 256 * KIB } },
      { options: { settings: { maxHeaderListSize: 1024 * KIB } } },
    )
    const held: (() => void)[] = []
    origin.handler = ({ url }, response) => {
      if (url === '/held') held.push(() => void response.end('held'))
      else response.end('ok')
    }
    const longest = await bench.get('/held')
    await bench.when(() => held.length === 1)
    const lines = Array.from({ length: 11 }, (_none, index) => `X-Large-${index}: ${'x'.repeat(9000)}`)
    await (await bench.get('/large', lines)).until('ok')
    await (await bench.get('/small')).until('ok')
    expect(origin.sockets).to.have.length(1)
    held[0]?.()
    await longest.until('held')
  })

  it('R22-18: a request that waits gets no place in a session that dies', async () => {
    const { bench, origin } = await setup.start(
      'h2c',
      { limits: { upstreamH2Sessions: 1 }, policy: { retry: { on: [] } } },
      { options: { settings: { maxConcurrentStreams: 1 } } },
    )
    let asked = 0
    origin.handler = (_incoming, response) => {
      asked += 1
      if (asked > 1) response.end('ok')
    }
    const first = await bench.get('/first')
    await bench.when(() => asked === 1)
    const second = await bench.send(request('POST', '/second', ['Content-Length: 1'], 'x'))
    await bench.when(() => bench.counters.process('requests') === 2)
    origin.sockets[0]?.destroy()
    expect(lineOf(await first.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    await second.until('ok')
    expect(origin.sockets).to.have.length(2)
  })

  it('R22-18: a peer that takes fewer streams than it said gets no more of them', async () => {
    const { bench, origin } = await setup.start('h2c')
    const held: Held[] = []
    origin.handler = (_incoming, response) => void held.push({ response })
    const first = await bench.get('/first')
    await bench.when(() => held.length === 1)
    const session = streamOf(held[0]).session
    const settled = session && once(session, 'localSettings')
    session?.settings({ maxConcurrentStreams: 0 })
    await settled
    const second = await bench.get('/second')
    await bench.when(() => held.length === 2)
    expect(origin.sockets).to.have.length(2)
    expect(streamOf(held[1]).session).to.not.equal(session)
    for (const { response } of held) response.end('ok')
    await first.until('ok')
    await second.until('ok')
  })
}

interface Held {
  readonly response: Parameters<Started['origin']['handler']>[1]
}

function streamOf(held: Held | undefined): Http2Stream {
  if (!held || !('stream' in held.response)) throw new TypeError('no stream of HTTP/2')
  return held.response.stream
}

function get(path: string): Fields {
  return [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':authority', HOST],
    [':path', path],
  ]
}

/** Resolves when `bytes` has stayed the same for many turns. */
async function standstill(bench: EngineBench, bytes: () => number): Promise<void> {
  let seen = -1
  for (let still = 0; still < 200; still += 1) {
    await bench.turn()
    if (bytes() !== seen) still = 0
    seen = bytes()
  }
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
