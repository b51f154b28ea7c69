// Connections that pass unread: the server name chooses, one endpoint gets everything (R21-30).
import { createServer, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { helloOf } from '../../builders/client-hello.ts'
import { pairFor } from '../../builders/secure-names.ts'
import { eventually } from '../../fakes/clock.ts'
import { listening } from '../../fakes/listening.ts'
import { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { RawUpstream } from '../../fakes/upstream.ts'
import { PASSED_TO, TlsBench, type TlsBenchOptions } from './tls-bench.ts'

const NAMES = {
  'passed.example': { passthrough: PASSED_TO },
  'shop.example': { pairs: [pairFor('shop.example')] },
}

describe('a passed connection', () => {
  let bench: TlsBench
  const stops: (() => unknown)[] = []

  afterEach(() => {
    bench.stop()
    for (const stop of stops.splice(0)) stop()
  })

  async function start(options: Partial<TlsBenchOptions> = {}): Promise<void> {
    bench = await TlsBench.start({ names: NAMES, ...options })
  }

  /** An endpoint that terminates TLS itself. */
  async function secureEndpoint(serve: (socket: TLSSocket) => void): Promise<string> {
    const { cert, key } = pairFor('endpoint.example')
    const server = createServer({ cert, key })
    server.on('secureConnection', (socket) => {
      socket.on('error', () => undefined)
      serve(socket)
    })
    stops.push(() => server.close())
    return `127.0.0.1:${await listening(server)}`
  }

  it("is handshaken by its endpoint, with the endpoint's certificate, and ours is asked for nothing", async () => {
    const address = await secureEndpoint((socket) =>
      socket.on('data', (chunk) => socket.write(`echo ${String(chunk)}`)),
    )
    await start({ endpoints: [address] })
    const socket = await bench.connect({ servername: 'PASSED.example' })
    expect(socket.getPeerCertificate().subject.CN).to.equal('endpoint.example')
    const client = new RecordedSocket(socket)
    expect(await client.write('hello').until('hello')).to.equal('echo hello')
    expect(bench.counters.process('tlsHandshakes')).to.equal(0)
    expect(bench.counters.process('tunnels')).to.equal(1)
    expect(bench.front.tunnels).to.equal(1)
    socket.destroy()
    await eventually(() => bench.counters.process('tunnels') === 0)
    expect(bench.counters.slot(1, 'inFlight')).to.equal(0)
    expect(bench.counters.slot(1, 'requests')).to.equal(1)
    expect(bench.holds.open).to.equal(0)
  })

  it('leaves other names to us', async () => {
    await start()
    expect(await bench.nameFor({ servername: 'shop.example' })).to.equal('shop.example')
    expect(bench.upstream.connections).to.have.length(0)
  })

  it('gives its endpoint the ClientHello first, byte for byte, with what stood behind it', async () => {
    await start()
    const bytes = Buffer.concat([await hello(), Buffer.from('what follows')])
    const client = await bench.raw()
    client.write(bytes.subarray(0, 100))
    await new Promise((resolve) => setImmediate(resolve))
    client.write(bytes.subarray(100))
    const upstream = await bench.upstream.connection()
    expect(await upstream.untilLength(bytes.length)).to.equal(bytes.toString('latin1'))
    upstream.write('an answer')
    expect(await client.until('answer')).to.equal('an answer')
  })

  it('relays the end of either side, and goes on the other way', async () => {
    await start()
    const client = await bench.raw()
    client.write(await hello()).end()
    const upstream = await bench.upstream.connection()
    await upstream.untilEnd()
    upstream.write('more')
    await client.until('more')
    upstream.end()
    await client.untilClosed()
    await eventually(() => bench.front.tunnels === 0)
  })

  it('ends both sides when one breaks', async () => {
    await start()
    const client = await bench.raw()
    client.write(await hello())
    const upstream = await bench.upstream.connection()
    upstream.reset()
    await client.untilEnd()
    await eventually(() => bench.front.tunnels === 0)
  })

  it('tries another endpoint where one takes no connection, and nothing else is tried again', async () => {
    const [refusing, taking] = [await RawUpstream.start(), await RawUpstream.start()]
    stops.push(() => taking.stop())
    refusing.stop()
    await start({ endpoints: [refusing.address, taking.address] })
    for (let turn = 0; turn < 2; turn += 1) {
      const client = await bench.raw()
      client.write(await hello())
      const upstream = await taking.connection()
      await upstream.untilLength(100)
      upstream.reset()
      await client.untilEnd()
    }
    expect(taking.connections).to.have.length(2)
    // The second one left it alone.
    expect(bench.counters.process('connectRefused')).to.equal(1)
    expect(bench.counters.process('retriesConnect')).to.equal(1)
    expect(bench.holds.open).to.equal(0)
  })

  it('is closed where no endpoint takes it, and where there is none', async () => {
    const refusing = await RawUpstream.start()
    refusing.stop()
    await start({ endpoints: [refusing.address] })
    const client = await bench.raw()
    expect(await client.write(await hello()).untilEnd()).to.equal('')
    bench.assign({ 'passed.example': { passthrough: 'no/such:1' } })
    const other = await bench.raw()
    expect(await other.write(await hello()).untilEnd()).to.equal('')
    expect(bench.front.tunnels).to.equal(0)
    expect(bench.holds.open).to.equal(0)
  })

  it('R20-91: is closed when nothing moves for the idle time of tunnels', async () => {
    await start({ settings: { limits: { tunnelIdleTimeoutMs: 50 } } })
    const client = await bench.raw()
    client.write(await hello())
    await bench.upstream.connection()
    await client.untilEnd()
    await eventually(() => bench.front.tunnels === 0)
  })

  it('R20-172: pauses an endpoint whose client reads nothing', async () => {
    await start()
    const client = await bench.raw()
    client.socket.pause()
    client.write(await hello())
    const upstream = await bench.upstream.connection()
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    for (let count = 0; count < 32; count += 1) upstream.write(chunk)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const waiting = upstream.socket.writableLength
    expect(waiting, 'what the relay did not take').to.be.above(8 * chunk.length)
    client.socket.resume()
    await client.untilLength(32 * chunk.length)
  })

  it('leaves nothing behind when it is cut while its endpoint is dialled', async () => {
    // An address of TEST-NET: nobody answers there.
    await start({ endpoints: ['192.0.2.1:9'], settings: { connectTimeoutMs: 60_000 } })
    const client = await bench.raw()
    client.write(await hello())
    await eventually(() => bench.front.tunnels === 1)
    bench.front.destroy()
    await client.untilEnd()
    await eventually(() => bench.counters.slot(1, 'inFlight') === 0)
    expect(bench.front.tunnels).to.equal(0)
    expect(bench.holds.open).to.equal(0)
  })
})

async function hello(): Promise<Buffer> {
  return Buffer.from(await helloOf({ servername: 'passed.example' }))
}
