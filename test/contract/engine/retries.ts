import { expect } from 'chai'
import { exact, prefix } from '../../builders/route-table.ts'
import { DeafListener } from '../../fakes/deaf-listener.ts'
import { RawUpstream } from '../../fakes/upstream.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, lineOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Tries after the first: R20-108, R20-109, R20-127 to R20-130. */
export function retryCases(start: StartBench): void {
  for (const method of ['GET', 'POST', 'PATCH']) {
    it(`R20-127: ${method} goes to another endpoint where a connect fails, with its whole body`, async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      bench.assign([...(await dead(2)), bench.upstream.address])
      const client = await bench.send(request(method, '/', ['Content-Length: 3'], 'abc'))
      await client.until('ok')
      expect(bodyOf(bench.upstream.text)).to.equal('abc')
      expect(bench.counters.process('retriesConnect')).to.equal(2)
      expect(bench.counters.process('connectRefused')).to.equal(2)
      expect([1, 2, 3].map((slot) => bench.counters.inFlight(slot))).to.deep.equal([0, 0, 0])
    })
  }

  it('R20-109: after the last attempt the answer is 502', async () => {
    const bench = await start()
    bench.assign([...(await dead(3)), bench.upstream.address])
    const client = await bench.get('/')
    const text = await client.until('\n502')
    expect(bodyOf(text)).to.equal('502 Bad Gateway: no endpoint took the connection.\n')
    expect(bench.counters.process('connectRefused')).to.equal(3)
    expect(bench.upstream.connections).to.have.length(0)
  })

  it('R20-130: no endpoint is tried twice for one request', async () => {
    const bench = await start()
    bench.assign(await dead(1))
    expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    expect(bench.counters.process('connectRefused')).to.equal(1)
    expect(bench.holds.open).to.equal(0)
  })

  it('R20-149: an endpoint that refuses is left alone for the fail timeout, and tried again after it', async () => {
    const bench = await start()
    bench.upstream.answer(OK)
    bench.assign([...(await dead(1)), bench.upstream.address])
    const ask = async (): Promise<void> => {
      await (await bench.get('/')).until('ok')
    }
    for (let turn = 0; turn < 6; turn += 1) await ask()
    expect(bench.counters.process('connectRefused')).to.equal(1)
    bench.clock.advance(9999)
    for (let turn = 0; turn < 6; turn += 1) await ask()
    expect(bench.counters.process('connectRefused')).to.equal(1)
    bench.clock.advance(1)
    for (let turn = 0; turn < 6; turn += 1) await ask()
    expect(bench.counters.process('connectRefused')).to.equal(2)
    expect(bench.counters.process('responses2xx')).to.equal(18)
    // What `/admin/backends` shows of it: how often that one endpoint was left alone.
    expect([1, 2].map((slot) => bench.counters.slot(slot, 'ejections'))).to.deep.equal([2, 0])
  })

  describe('R20-108: an endpoint that takes no connection in time', () => {
    let deaf: DeafListener
    beforeEach(async () => {
      deaf = await DeafListener.start()
    })
    afterEach(() => deaf.stop())

    it('is 504 where it is the last that is tried', async () => {
      const bench = await start({ settings: { connectTimeoutMs: 150 } })
      bench.assign([deaf.address])
      const text = await (await bench.get('/')).until('\n504')
      expect(bodyOf(text)).to.equal('504 Gateway Timeout: no endpoint took the connection in time.\n')
      expect(bench.counters.process('connectTimeout')).to.equal(1)
      expect(bench.counters.process('timeoutConnect')).to.equal(1)
    })

    it('R20-149: gives way to another one, and is skipped from then on', async () => {
      const routes = [exact('/hasty', { id: 'hasty', policy: { connectTimeoutMs: 150 } }), prefix('', { id: 'shop' })]
      const bench = await start({ routes })
      bench.upstream.answer(OK)
      // That endpoint has a connection already: however busy the machine is, it is not the one that is late.
      await (await bench.get('/')).until('ok')
      bench.assign([deaf.address, bench.upstream.address])
      for (let turn = 0; turn < 4; turn += 1) await (await bench.get('/hasty')).until('ok')
      expect(bench.counters.process('connectTimeout')).to.equal(1)
      expect(bench.counters.process('retriesConnect')).to.equal(1)
      expect(bench.upstream.connections).to.have.length(1)
    })
  })

  it('R20-152: where every endpoint was refused by, each is tried all the same', async () => {
    const bench = await start()
    bench.assign(await dead(2))
    for (let turn = 1; turn <= 3; turn += 1) {
      await (await bench.get('/')).until('\n502')
      expect(bench.counters.process('connectRefused')).to.equal(2 * turn)
    }
  })

  describe('R20-128, 71 #229: a pooled connection that died', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
      it(`is replaced by a fresh one for ${method}`, async () => {
        const bench = await staleBench(start)
        const client = await bench.send(request(method, '/second'))
        expect(lineOf(await client.until('\r\n\r\n'))).to.equal('HTTP/1.1 200 OK')
        expect(bench.upstream.connections).to.have.length(2)
        expect(bench.counters.process('retriesReused')).to.equal(1)
      })
    }

    it('is replaced for PUT, and the body that was sent is sent again', async () => {
      const bench = await staleBench(start)
      bench.upstream.answerWith(() => undefined)
      const client = await bench.send(request('PUT', '/second', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'))
      const pooled = await bench.upstream.connection()
      await pooled.until('abc')
      pooled.reset()
      const fresh = await bench.upstream.connection()
      await fresh.until('abc')
      client.write('3\r\ndef\r\n0\r\n\r\n')
      await fresh.until('0\r\n\r\n')
      fresh.write(OK)
      await client.until('ok')
      expect(bodyOf(fresh.text)).to.equal('3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n')
    })

    it('R70-131: is 502 for POST', async () => {
      const bench = await staleBench(start)
      const client = await bench.send(request('POST', '/second', ['Content-Length: 3'], 'abc'))
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.upstream.connections).to.have.length(1)
    })

    it('R20-117: is 502 where more of the body was sent than is kept', async () => {
      const bench = await start()
      bench.upstream.answer(OK)
      await (await bench.get('/first')).until('ok')
      bench.upstream.answerWith(() => undefined)
      const client = await bench.send(request('PUT', '/second', ['Transfer-Encoding: chunked'], ''))
      client.write(`11170\r\n${'x'.repeat(0x11170)}\r\n`)
      const [upstream] = bench.upstream.connections
      await upstream?.untilLength(0x11170)
      upstream?.reset()
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.upstream.connections).to.have.length(1)
    })

    for (const [part, rest] of [
      ['5\r\n', 'hello\r\n0\r\n\r\n'],
      ['0\r\n\r\n', ''],
    ] as const) {
      it(`R20-117: never leaves out ${JSON.stringify(part)} of a body of which nothing is kept`, async () => {
        const bench = await start({ limits: { retryBufferBytes: 0 } })
        bench.upstream.answer(OK)
        await (await bench.get('/first')).until('ok')
        bench.upstream.answerWith(() => undefined)
        const bytes = request('PUT', '/second', ['Transfer-Encoding: chunked'], part)
        const client = await bench.send(bytes)
        const pooled = await bench.upstream.connection()
        await pooled.until('/second')
        await bench.heard(client, bytes.length)
        pooled.reset()
        await bench.when(() => bench.upstream.connections.length > 1 || client.text.includes('\n502'))
        const fresh = bench.upstream.connections[1]
        client.write(rest)
        // Either it is not tried again, or all of it is there.
        if (fresh) expect(bodyOf(await fresh.until('0\r\n\r\n'))).to.equal(part + rest)
        else expect(lineOf(client.text)).to.equal('HTTP/1.1 502 Bad Gateway')
      })
    }

    it('R20-172: goes on with a body that the dead connection had held back', async () => {
      const size = 12 * 1024 * 1024
      const bench = await start({
        settings: { connectionBufferBytes: 1024 },
        limits: { retryBufferBytes: size },
      })
      bench.upstream.answer(OK)
      await (await bench.get('/first')).until('ok')
      bench.upstream.answerWith(() => undefined)
      const pooled = await bench.upstream.connection()
      const client = await bench.send(request('PUT', '/second', [`Content-Length: ${size}`]))
      await pooled.until('/second')
      pooled.socket.pause()
      client.write(Buffer.alloc(size, 'x'))
      await bench.when(() => bench.counters.process('bufferedBytes') >= 1024)
      pooled.reset()
      const fresh = await bench.upstream.connection()
      await fresh.untilLength(size)
      fresh.write(OK)
      await client.until('ok')
    })

    it('is replaced once and no more', async () => {
      const bench = await staleBench(start)
      bench.upstream.answerWith((_head, connection) => connection.reset())
      const client = await bench.get('/second')
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.upstream.connections).to.have.length(2)
    })

    it('R20-129: is not replaced after a byte of the response', async () => {
      const bench = await staleBench(start)
      bench.upstream.answerWith((_head, connection) => {
        connection.socket.write('HTTP/1.1 200', () => connection.reset())
      })
      const client = await bench.get('/second')
      expect(lineOf(await client.until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.upstream.connections).to.have.length(1)
    })

    it('is not one that was fresh', async () => {
      const bench = await start()
      bench.upstream.answerWith((_head, connection) => connection.reset())
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.upstream.connections).to.have.length(1)
    })
  })

  it('a pooled connection that ended while idle is not used', async () => {
    const bench = await start()
    bench.upstream.answer(OK)
    const client = await bench.get('/')
    await client.until('ok')
    const upstream = await bench.upstream.connection()
    upstream.end()
    await upstream.untilEnd()
    client.write(request('POST', '/', ['Content-Length: 0']))
    await client.when(() => client.text.split('ok').length === 3, 'the second answer')
    expect(bench.upstream.connections).to.have.length(2)
  })
}

/** Addresses that refuse connections. */
async function dead(count: number): Promise<readonly string[]> {
  const upstreams = await Promise.all(Array.from({ length: count }, () => RawUpstream.start()))
  for (const upstream of upstreams) upstream.stop()
  return upstreams.map(({ address }) => address)
}

/** A bench whose pool holds one connection, which the upstream resets as soon as the next request comes. */
async function staleBench(start: StartBench): Promise<EngineBench> {
  const bench = await start()
  bench.upstream.answer(OK)
  await (await bench.get('/first')).until('ok')
  bench.upstream.answerWith((_head, connection) => {
    if (connection === bench.upstream.connections[0]) connection.reset()
    else connection.write(OK)
  })
  return bench
}
