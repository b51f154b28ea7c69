// What comes before a handshake: how the ClientHello arrives, and what arrives in its place (R21-1, R21-2, R21-6).
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { helloOf, spreadOver } from '../../builders/client-hello.ts'
import { proxyV2 } from '../../builders/proxy-header.ts'
import { pairFor } from '../../builders/secure-names.ts'
import { eventually, FakeClock } from '../../fakes/clock.ts'
import { TlsBench } from './tls-bench.ts'

const NAMES = { 'shop.example': { pairs: [pairFor('shop.example')] } }
const SERVER_HELLO = '\x16\x03\x03'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const REQUEST = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'

describe('the TLS gate', () => {
  let bench: TlsBench

  afterEach(() => bench.stop())

  it('R21-1: takes a ClientHello that comes byte by byte', async () => {
    bench = await TlsBench.start({ names: NAMES })
    const hello = await helloOf({ servername: 'shop.example' })
    const client = await bench.raw()
    for (const byte of hello) {
      client.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await client.untilLength(3)
    expect(client.text.startsWith(SERVER_HELLO)).to.equal(true)
  })

  it('R21-1: takes one that is cut in two at any byte', async () => {
    bench = await TlsBench.start({ names: NAMES })
    const hello = Buffer.from(await helloOf({ servername: 'shop.example', ecdhCurve: 'X25519' }))
    const cuts = Array.from({ length: hello.length - 1 }, (_none, index) => index + 1)
    for (let at = 0; at < cuts.length; at += 100) {
      await Promise.all(
        cuts.slice(at, at + 100).map(async (cut) => {
          const client = await bench.raw()
          client.write(hello.subarray(0, cut))
          await new Promise((resolve) => setImmediate(resolve))
          await client.write(hello.subarray(cut)).untilLength(3)
          expect(client.text.startsWith(SERVER_HELLO), `cut at ${cut}`).to.equal(true)
          client.socket.destroy()
        }),
      )
    }
  })

  for (const size of [1, 3, 100]) {
    it(`R21-1: completes a handshake whose ClientHello is spread over records of ${size} bytes`, async () => {
      bench = await TlsBench.start({ names: NAMES })
      bench.upstream.answer(OK)
      const wire = connect({ host: '127.0.0.1', port: bench.port })
      expect(await answerOver(inRecords(wire, size))).to.include('200 OK')
      wire.destroy()
    })
  }

  it('R20-76: closes a connection whose ClientHello is above 16 KiB', async () => {
    bench = await TlsBench.start({ names: NAMES })
    const client = await bench.raw()
    client.write('\x16\x03\x01\x40\0\x01\0\x40\0')
    expect(await client.untilEnd()).to.equal('')
    expect(bench.counters.process('tlsProtocol')).to.equal(1)
  })

  for (const [title, bytes] of [
    ['another message than a ClientHello', '\x16\x03\x01\0\x04\x02\0\0\0'],
    ['an empty record', '\x16\x03\x01\0\0'],
  ] as const) {
    it(`closes on ${title}`, async () => {
      bench = await TlsBench.start({ names: NAMES })
      const client = await bench.raw()
      client.write(bytes)
      expect(await client.untilEnd()).to.equal('')
      expect(bench.counters.process('tlsProtocol')).to.equal(1)
    })
  }

  for (const [title, bytes] of [
    ['plain HTTP', 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['SSL 2', '\x80\x2e\x01\x03\x01'],
    ['one strange byte', '\0'],
  ] as const) {
    it(`R21-6, R20-62: answers ${title} by 400 in plaintext and closes`, async () => {
      bench = await TlsBench.start({ names: NAMES })
      const client = await bench.raw()
      const answer = await client.write(bytes).untilEnd()
      expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(answer)
        .to.include('Connection: close\r\n')
        .and.to.match(/\r\n\r\n400 Bad Request: .*\n$/)
      expect(bench.counters.process('tlsNotTls')).to.equal(1)
      expect(bench.upstream.connections).to.have.length(0)
    })
  }

  it('reads on for a moment behind that answer, and no longer (R20-89)', async () => {
    const clock = new FakeClock()
    bench = await TlsBench.start({ names: NAMES, clock })
    const client = await bench.raw()
    await client.write('GET / HTTP/1.1\r\n\r\n').untilEnd()
    client.write('x'.repeat(1000))
    await clock.pass(2000)
    // Whoever writes to a connection that is gone is told so.
    await eventually(() => client.write('x').isClosed)
  })

  it('cuts whoever floods it behind that answer (R20-89)', async () => {
    // Its two seconds never pass.
    bench = await TlsBench.start({ names: NAMES, clock: new FakeClock() })
    const client = await bench.raw()
    await client.write('GET / HTTP/1.1\r\n\r\n').untilEnd()
    client.write('x'.repeat(1024 * 1024))
    await eventually(() => client.write('x').isClosed)
  })

  for (const [title, bytes] of [
    ['nothing', ''],
    ['half a ClientHello', '\x16\x03\x01\x01\0\x01\0'],
  ] as const) {
    it(`71 #207: closes a connection that has sent ${title} at the handshake timeout (R20-75)`, async () => {
      const clock = new FakeClock()
      bench = await TlsBench.start({ names: NAMES, clock, tls: { handshakeTimeoutMs: 7000 } })
      const client = await bench.raw()
      if (bytes !== '') client.write(bytes)
      await clock.pass(7000)
      await client.untilEnd()
      expect(bench.counters.process('tlsTimeout')).to.equal(1)
    })
  }

  it('71 #207: closes a handshake that is not completed, however its client trickles (R20-75)', async () => {
    const hello = Buffer.from(await helloOf({ servername: 'shop.example' }))
    bench = await TlsBench.start({ names: NAMES, tls: { handshakeTimeoutMs: 3000 } })
    const client = await bench.raw()
    await client.write(hello).untilLength(3)
    // A record that never gets whole, a byte now and then.
    client.write('\x17\x03\x03\x20\0')
    const trickle = setInterval(() => client.write('x'), 50)
    await client.untilEnd()
    clearInterval(trickle)
    expect(bench.counters.process('tlsTimeout')).to.equal(1)
  })

  it('counts a client that goes in the middle, and not one that only looked (R21-7)', async () => {
    bench = await TlsBench.start({ names: NAMES })
    const looked = await bench.raw()
    looked.end()
    await looked.untilEnd()
    expect(bench.counters.process('tlsReset')).to.equal(0)
    const gone = await bench.raw()
    gone.write('\x16\x03\x01')
    gone.end()
    await gone.untilEnd()
    expect(bench.counters.process('tlsReset')).to.equal(1)
    // Half open in the middle of the handshake: nothing can follow.
    const half = await bench.raw()
    await half.write(Buffer.from(await helloOf({ servername: 'shop.example' }))).untilLength(3)
    half.end()
    await half.untilEnd()
    await eventually(() => bench.counters.process('tlsReset') === 2)
    const cut = await bench.raw()
    await cut.write(Buffer.from(await helloOf({ servername: 'shop.example' }))).untilLength(3)
    cut.reset()
    await eventually(() => bench.counters.process('tlsReset') === 3)
  })

  it('R20-160: reads the PROXY header first, and tells the upstream whom it names', async () => {
    bench = await TlsBench.start({ names: NAMES, proxyProtocol: { from: undefined, timeoutMs: 5000 } })
    bench.upstream.answer(OK)
    for (const isFused of [true, false]) {
      const wire = connect({ host: '127.0.0.1', port: bench.port })
      const header = proxyV2({ source: [192, 0, 2, 9] })
      await answerOver(fused(wire, header, isFused))
      wire.destroy()
    }
    expect(bench.upstream.text.match(/X-Real-IP: 192\.0\.2\.9\r\n/g)).to.have.length(2)
    expect(bench.upstream.text).to.include('X-Forwarded-Proto: https\r\n').and.to.include('X-Forwarded-Port: 443\r\n')
  })

  it('R20-160: closes a connection that begins with TLS where a PROXY header must come', async () => {
    bench = await TlsBench.start({ names: NAMES, proxyProtocol: { from: undefined, timeoutMs: 5000 } })
    expect(await bench.nameFor({ servername: 'shop.example' })).to.equal('ECONNRESET')
    expect(bench.counters.process('proxyHeaderMissing')).to.equal(1)
  })
})

/** `wire`, to which the first write goes as TLS records of that size. */
function inRecords(wire: Socket, size: number): Duplex {
  return firstWriteAs(wire, (hello) => Buffer.from(spreadOver(hello.subarray(5), size)))
}

function fused(wire: Socket, header: Buffer, isFused: boolean): Duplex {
  if (!isFused) wire.write(header)
  return firstWriteAs(wire, (hello) => (isFused ? Buffer.concat([header, hello]) : hello))
}

function firstWriteAs(wire: Socket, change: (bytes: Buffer) => Buffer): Duplex {
  let isFirst = true
  const duplex = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      wire.write(isFirst ? change(chunk) : chunk)
      isFirst = false
      done()
    },
  })
  wire.on('error', () => duplex.destroy())
  wire.on('data', (chunk) => duplex.push(chunk))
  wire.on('close', () => duplex.push(null))
  return duplex
}

/** What a client is answered that shakes hands over `stream`, once the answer is whole. */
async function answerOver(stream: Duplex): Promise<string> {
  const client = connectTls({ socket: stream, servername: 'shop.example', rejectUnauthorized: false })
  client.on('error', () => undefined)
  let text = ''
  client.on('data', (chunk) => {
    text += String(chunk)
  })
  client.write(REQUEST)
  await eventually(() => text.endsWith('ok'))
  client.destroy()
  return text
}
