import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, lineOf, request } from './bench.ts'
import { fill, MIB, pour } from './pressure.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Bodies and their back-pressure: R20-88, R20-89, R20-95, R20-172. */
export function bodyCases(start: StartBench): void {
  it('arrive whole, whatever their size', async () => {
    const bench = await start()
    const body = Buffer.alloc(3 * MIB, 'abcdefgh')
    bench.upstream.answerWith((_head, connection) => {
      void connection
        .untilLength(body.length)
        .then(() => connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`).write(body))
    })
    const client = await bench.send(request('POST', '/', [`Content-Length: ${body.length}`]))
    client.write(body)
    await client.when(() => bodyOf(client.text).length === body.length, 'the body')
    expect(bodyOf(bench.upstream.text) === body.toString('latin1')).to.equal(true)
    expect(bodyOf(client.text) === body.toString('latin1')).to.equal(true)
  })

  it('R20-172: an upstream that reads nothing holds the client back', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', [`Content-Length: ${512 * MIB}`]))
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.socket.pause()
    const sent = await fill(client.socket, 512 * MIB)
    expect(sent).to.be.below(64 * MIB)
  })

  it('R20-172: a client that reads nothing holds the upstream back', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    client.socket.pause()
    upstream.write(`HTTP/1.1 200 OK\r\nContent-Length: ${512 * MIB}\r\n\r\n`)
    const sent = await fill(upstream.socket, 512 * MIB)
    expect(sent).to.be.below(64 * MIB)
  })

  it('R20-172: a slow reader gets a big body whole, and little of it waits on the way', async function () {
    this.timeout(120_000)
    const bench = await start()
    const total = 128 * MIB
    const client = await bench.client()
    client.socket.removeAllListeners('data')
    client.write(request('GET', '/', ['Connection: close']))
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    let received = 0
    let waiting = 0
    client.socket.on('data', (chunk) => {
      received += chunk.length
      waiting = Math.max(waiting, upstream.socket.bytesWritten - upstream.socket.writableLength - received)
      client.socket.pause()
      setImmediate(() => client.socket.resume())
    })
    upstream.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
    await pour(upstream.socket, total)
    await client.when(() => client.isEnded, 'the end')
    expect(received).to.be.above(total)
    // Nearly all of it is the kernel's, whose buffers on four ends grow to some 20 MiB.
    expect(waiting).to.be.below(64 * MIB)
  })

  describe('R20-88 above the limit', () => {
    const limits = { maxBodyBytes: 10 }

    it('R20-95 are refused by their length before an endpoint is chosen', async () => {
      const bench = await start({ limits })
      const client = await bench.send(request('POST', '/', ['Content-Length: 11'], 'x'.repeat(11)))
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 413 Content Too Large')
      expect(bench.upstream.connections).to.have.length(0)
      expect(bench.counters.process('refusedBodySize')).to.equal(1)
    })

    it('R20-95 are refused in chunks when they pass it, and never completed upstream', async () => {
      const bench = await start({ limits })
      const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '5\r\nabcde\r\n'))
      const upstream = await bench.upstream.connection()
      await upstream.until('abcde')
      client.write('6\r\nfghijk\r\n0\r\n\r\n')
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 413 Content Too Large')
      expect(bodyOf(await upstream.untilEnd())).to.equal('5\r\nabcde\r\n')
    })

    it('pass where they fill it', async () => {
      const bench = await start({ limits })
      bench.upstream.answer(OK)
      await (await bench.send(request('POST', '/', ['Content-Length: 10'], 'x'.repeat(10)))).until('ok')
    })
  })

  describe('R71-3: a body that turns out to be malformed', () => {
    it('cuts the client where the response head is out already', async () => {
      const bench = await start()
      const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '1\r\na\r\n'))
      const upstream = await bench.upstream.connection()
      await upstream.until('1\r\na\r\n')
      upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
      await client.until('abc')
      client.write('xyz\r\n')
      await client.untilEnd()
      expect(bodyOf(client.text)).to.equal('abc')
      await upstream.untilEnd()
      expect(upstream.text).to.not.include('0\r\n\r\n')
    })
  })

  describe('R20-89 what is left of a body after an early answer', () => {
    const early = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'

    it('is read, and the next request is served', async () => {
      const bench = await start()
      bench.upstream.answer(early)
      const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
      await client.until('no')
      client.write(`defghij${request('GET', '/next')}`)
      await client.when(() => client.text.split('403').length === 3, 'the second answer')
      expect(bench.upstream.text).to.include('GET /next')
      expect(bodyOf(bench.upstream.connections[0]?.text ?? '')).to.equal('abc')
    })

    it('never comes to the upstream, whose connection ends: it waits for the rest', async () => {
      const bench = await start()
      bench.upstream.answer(early)
      const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
      const upstream = await bench.upstream.connection()
      await client.until('no')
      await upstream.untilEnd()
      client.write(`defghij${request('GET', '/next')}`)
      await client.when(() => client.text.split('403').length === 3, 'the second answer')
      expect(bodyOf(upstream.text)).to.equal('abc')
      expect(bench.upstream.connections).to.have.length(2)
    })

    it('is read behind an answer of our own too', async () => {
      const bench = await start()
      const client = await bench.send('POST / HTTP/1.1\r\nHost: nobody.example\r\nContent-Length: 10\r\n\r\nabc')
      await client.until('\n404')
      client.write('defghijGET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
      await client.when(() => client.text.split('\n404').length === 3, 'the second answer')
    })

    it('ends the connection where it is more than we care to read', async () => {
      const bench = await start({ limits: { drainBytes: 1000 } })
      bench.upstream.answer(early)
      const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '1\r\na\r\n'))
      await client.until('no')
      client.write(`7d0\r\n${'x'.repeat(2000)}\r\n`)
      await client.untilEnd()
      expect(bodyOf(client.text)).to.equal('no')
    })

    it('ends the connection where it takes too long', async () => {
      const bench = await start()
      bench.upstream.answer(early)
      const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
      await client.until('no')
      bench.clock.advance(1999)
      await bench.when(() => bench.engine.load().requests === 1)
      bench.clock.advance(1)
      await client.untilEnd()
    })

    it('is known to be too much from the start: the answer says so', async () => {
      const bench = await start()
      const client = await bench.send('POST / HTTP/1.1\r\nHost: nobody.example\r\nContent-Length: 300000\r\n\r\nabc')
      expect(fieldOf(await client.untilEnd(), 'Connection')).to.equal('close')
    })
  })
}
