import { expect } from 'chai'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, fieldOf, HOST, lineOf, linesOf, request } from './bench.ts'
import { fill, MIB } from './pressure.ts'

const ASKS = [
  'connection: keep-alive, Upgrade',
  'UPGRADE: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 7',
]
const SWITCH =
  'HTTP/1.1 101 Over To You\r\nupgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: wrong\r\nX-b: 1\r\nX-b: 2\r\n\r\n'

/** Upgrades and tunnels: R20-155 to R20-158, R20-91. */
export function upgradeCases(start: StartBench): void {
  /** An open tunnel and its two ends. */
  async function tunnel(options: Parameters<StartBench>[0] = {}): Promise<{
    readonly bench: EngineBench
    readonly client: RecordedSocket
    readonly upstream: RecordedSocket
  }> {
    const bench = await start(options)
    const client = await bench.get('/chat', ASKS)
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write(SWITCH)
    await client.until('\r\n\r\n')
    return { bench, client, upstream }
  }

  it('R20-155 relay both heads with order, case, duplicates and reason', async () => {
    const { client, upstream } = await tunnel()
    expect(linesOf(upstream.text).slice(0, 5)).to.deep.equal([
      `Host: ${HOST}`,
      'connection: Upgrade',
      'UPGRADE: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 7',
    ])
    expect(fieldOf(upstream.text, 'X-Real-IP')).to.equal('127.0.0.1')
    expect(client.text).to.equal(SWITCH)
  })

  it('R20-155 carry bytes both ways', async () => {
    const { bench, client, upstream } = await tunnel()
    client.write('ping \x00\xff')
    await upstream.until('ping \x00\xff')
    upstream.write('pong \xfe\x00')
    await client.until('pong \xfe\x00')
    expect(bench.engine.load()).to.deep.equal({ connections: 0, requests: 0, tunnels: 1 })
    expect(bench.counters.process('tunnels')).to.equal(1)
    expect(bench.counters.inFlight(1)).to.equal(1)
    expect(bench.holds.open).to.equal(0)
  })

  it('R71-5 are the same where the request comes in two parts', async () => {
    const bench = await start()
    bench.upstream.answer(SWITCH)
    const asked = request('GET', '/chat', ASKS)
    const cuts = Array.from({ length: Math.floor(asked.length / 5) }, (_, index) => index * 5 + 1)
    await Promise.all(cuts.map(async (cut) => (await bench.sendCut(asked, cut)).until(SWITCH)))
    expect(bench.engine.load().tunnels).to.equal(cuts.length)
  })

  it('pass on what the upstream sends right behind its 101', async () => {
    const bench = await start()
    bench.upstream.answer(`${SWITCH}first words`)
    expect(await (await bench.get('/', ASKS)).until('first words')).to.equal(`${SWITCH}first words`)
  })

  it('R70-51, 71 #245 hold early bytes until the 101', async () => {
    const bench = await start()
    const client = await bench.send(`${request('GET', '/', ASKS)}early `)
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    client.write('and more')
    await bench.when(() => client.socket.bytesWritten > 0 && client.socket.writableLength === 0)
    expect(bodyOf(upstream.text)).to.equal('')
    upstream.write(SWITCH)
    await upstream.until('early and more')
    expect(bodyOf(upstream.text)).to.equal('early and more')
  })

  it('R20-57 wait for the answers to earlier requests, and early bytes wait with them', async () => {
    const bench = await start()
    const client = await bench.send(`${request('GET', '/1') + request('GET', '/chat', ASKS)}early`)
    const upstream = await bench.upstream.connection()
    await upstream.until('GET /1')
    upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    await upstream.until('GET /chat')
    expect(client.text).to.not.include('101')
    upstream.write(SWITCH)
    await client.until('101 Over To You')
    await upstream.until('\r\n\r\nearly')
    upstream.write('pong')
    await client.until('pong')
    expect(bench.engine.load()).to.deep.equal({ connections: 0, requests: 0, tunnels: 1 })
  })

  describe('R20-155 relay a FIN, and the other direction goes on', () => {
    it('from the client', async () => {
      const { bench, client, upstream } = await tunnel()
      client.write('last')
      client.end()
      await upstream.untilEnd()
      expect(bodyOf(upstream.text)).to.equal('last')
      upstream.write('still here')
      await client.until('still here')
      upstream.end()
      await client.untilEnd()
      await bench.quiet()
      expect(bench.counters.process('tunnels')).to.equal(0)
      expect(bench.counters.process('requestsInFlight')).to.equal(0)
      expect(bench.counters.inFlight(0) + bench.counters.inFlight(1)).to.equal(0)
    })

    it('from the upstream', async () => {
      const { bench, client, upstream } = await tunnel()
      upstream.write('last')
      upstream.end()
      await client.untilEnd()
      client.write('still here')
      await upstream.until('still here')
      client.end()
      await upstream.untilEnd()
      await bench.quiet()
    })
  })

  it('end both sides where one is reset', async () => {
    for (const who of ['client', 'upstream'] as const) {
      const { bench, client, upstream } = await tunnel()
      ;({ client, upstream })[who].reset()
      await (who === 'client' ? upstream : client).untilEnd()
      await bench.quiet()
    }
  })

  it('R20-155 hold back whoever writes to one that does not read', async () => {
    const { bench, client, upstream } = await tunnel()
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      to.socket.pause()
      expect(await fill(from.socket, 512 * MIB)).to.be.below(64 * MIB)
      to.socket.resume()
      await bench.when(() => from.socket.writableLength === 0)
    }
  })

  it('R20-158 outlive a publish that removes their endpoint', async () => {
    const { bench, client, upstream } = await tunnel()
    const other = await bench.addUpstream()
    for (let turn = 0; turn < 100; turn += 1) bench.assign([other.address])
    client.write('ping')
    await upstream.until('ping')
    upstream.write('pong')
    await client.until('pong')
  })

  it('R20-91 end when nothing moved for the idle time', async () => {
    const { bench, client, upstream } = await tunnel()
    bench.clock.advance(3_599_999)
    client.write('ping')
    await upstream.until('ping')
    bench.clock.advance(3_599_999)
    upstream.write('pong')
    await client.until('pong')
    bench.clock.advance(3_600_000)
    await client.untilEnd()
    await upstream.untilEnd()
    await bench.quiet()
  })

  it('R20-168 end when the engine is destroyed', async () => {
    const { bench, client, upstream } = await tunnel()
    bench.engine.closeIdle()
    client.write('ping')
    await upstream.until('ping')
    bench.engine.destroy()
    await client.untilEnd()
    await upstream.untilEnd()
    await bench.quiet()
  })

  describe('R20-156 that are refused', () => {
    const refusal = 'HTTP/1.1 403 No\r\nX-Why: because\r\nContent-Length: 2\r\n\r\nno'

    it('71 #243 are relayed whole, and both sockets serve the next request', async () => {
      const bench = await start()
      bench.upstream.answer(refusal)
      const client = await bench.get('/', ASKS)
      const text = await client.until('\r\n\r\nno')
      expect(lineOf(text)).to.equal('HTTP/1.1 403 No')
      expect(fieldOf(text, 'X-Why')).to.equal('because')
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      for (let turn = 0; turn < 3; turn += 1) {
        client.write(request('POST', '/next', ['Content-Length: 3'], 'abc'))
        await client.when(() => client.text.split('\r\n\r\nok').length === turn + 2, 'the next answer')
      }
      expect(bench.upstream.connections).to.have.length(1)
      expect(bench.engine.load()).to.deep.equal({ connections: 1, requests: 0, tunnels: 0 })
    })

    it('may be followed by another upgrade, and that by a tunnel', async () => {
      const bench = await start()
      bench.upstream.answer(refusal)
      const client = await bench.get('/', ASKS)
      await client.until('\r\n\r\nno')
      bench.upstream.answer(SWITCH)
      client.write(request('GET', '/', ASKS))
      await client.until('101 Over To You')
      client.write('ping')
      await bench.upstream.connections[0]?.until('ping')
    })

    it('R70-51 drop early bytes and end the connection', async () => {
      const bench = await start()
      bench.upstream.answer(refusal)
      const client = await bench.send(`${request('GET', '/', ASKS)}${request('GET', '/smuggled')}`)
      const text = await client.untilEnd()
      expect(lineOf(text)).to.equal('HTTP/1.1 403 No')
      expect(fieldOf(text, 'Connection')).to.equal('close')
      expect(text.match(/HTTP\/1\.1 \d/g)).to.have.length(1)
      expect(bench.upstream.text).to.not.include('smuggled')
    })

    for (const [title, head, status] of [
      ['without a route', `GET / HTTP/1.1\r\nHost: nobody.example\r\n${ASKS.join('\r\n')}\r\n\r\n`, 404],
      ['for a method that is not served', request('TRACE', '/', ASKS), 405],
    ] as const) {
      it(`R70-51 drop early bytes ${title} too, in one read with the request`, async () => {
        const bench = await start()
        const client = await bench.send(`${head}${request('GET', '/smuggled')}`)
        const text = await client.untilEnd()
        expect(text.match(/HTTP\/1\.1 \d{3}/g)).to.deep.equal([`HTTP/1.1 ${status}`])
        expect(fieldOf(text, 'Connection')).to.equal('close')
        expect(bench.upstream.text).to.equal('')
      })
    }

    it('have a body of any size and shape', async () => {
      const bench = await start()
      bench.upstream.answerWith((_head, connection) => {
        connection.write('HTTP/1.1 426 Upgrade Required\r\nTransfer-Encoding: chunked\r\n\r\n')
        for (let turn = 0; turn < 2; turn += 1) connection.write(`100000\r\n${'x'.repeat(0x100000)}\r\n`)
        connection.write('0\r\n\r\n')
      })
      const client = await bench.get('/', ASKS)
      await client.until('\r\n0\r\n\r\n')
      expect(client.text.match(/x/g)).to.have.length(2 * MIB)
      client.write('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
      await client.until('\n404')
    })

    it('by us are ordinary answers', async () => {
      const bench = await start({ endpoints: [] })
      const client = await bench.get('/', ASKS)
      await client.until('\n503')
      client.write('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
      await client.until('\n404')
    })

    it('72 #38: harm nobody where the client is gone already', async () => {
      const bench = await start()
      const client = await bench.get('/', ASKS)
      const upstream = await bench.upstream.connection()
      await upstream.until('\r\n\r\n')
      client.reset()
      await upstream.untilEnd()
      await bench.quiet()
    })

    it('72 #38: harm nobody where the upstream resets', async () => {
      const bench = await start()
      bench.upstream.answerWith((_head, connection) => connection.reset())
      const client = await bench.get('/', ASKS)
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      client.write('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
      await client.until('\n404')
    })
  })

  describe('R20-157 are plain requests', () => {
    const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

    for (const [title, bytes, body] of [
      ['71 #129 with a length', request('POST', '/', [...ASKS, 'Content-Length: 3'], 'abc'), 'abc'],
      [
        'in chunks',
        request('POST', '/', [...ASKS, 'Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'),
        '3\r\nabc\r\n0\r\n\r\n',
      ],
      ['in HTTP/1.0', `GET / HTTP/1.0\r\nHost: ${HOST}\r\n${ASKS.join('\r\n')}\r\n\r\n`, ''],
    ] as const) {
      it(title, async () => {
        const bench = await start()
        const client = await bench.send(bytes)
        const upstream = await bench.upstream.connection()
        await upstream.untilLength(bytes.length)
        upstream.write(OK)
        await client.until('ok')
        expect(upstream.text).to.not.match(/^(?:upgrade|connection):/im)
        expect(bodyOf(upstream.text)).to.equal(body)
      })
    }

    describe('and what stands behind one is the next request', () => {
      const first = request('POST', '/', [...ASKS, 'Content-Length: 3'], 'abc')
      const both = first + request('GET', '/next')

      for (const cut of [first.length - 3, first.length - 1, first.length, first.length + 3, both.length]) {
        it(`cut at ${cut} of ${both.length}`, async () => {
          const bench = await start()
          bench.upstream.answerWith((head, connection) => {
            void connection.until(head.startsWith('POST') ? 'abc' : 'GET').then(() => connection.write(OK))
          })
          const client = await bench.send(both.slice(0, cut))
          await bench.when(() => bench.counters.process('requests') > 0)
          client.write(both.slice(cut))
          await client.when(() => client.text.split('\r\n\r\nok').length === 3, 'both answers')
          client.write(request('GET', '/third'))
          await client.when(() => client.text.split('\r\n\r\nok').length === 4, 'the third answer')
          expect(bench.upstream.connections).to.have.length(1)
        })
      }
    })

    it('without `Upgrade` in Connection', async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      await (await bench.get('/', ['Upgrade: websocket'])).until('ok')
      expect(bench.upstream.text).to.not.match(/^upgrade:/im)
    })
  })
}
