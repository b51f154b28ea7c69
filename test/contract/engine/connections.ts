import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, request } from './bench.ts'

/** An answer with this body. */
function ok(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** Client connections: R20-57, R20-77, R20-78, R20-166 to R20-168, R70-129. */
export function connectionCases(start: StartBench): void {
  it('R20-57 answer pipelined requests in order, one at a time', async () => {
    const bench = await start()
    const client = await bench.send(
      request('GET', '/1') + request('POST', '/2', ['Content-Length: 1'], 'x') + request('GET', '/3'),
    )
    const upstream = await bench.upstream.connection()
    for (const path of ['/1', '/2', '/3']) {
      await upstream.until(`${path} HTTP/1.1`)
      expect(bench.upstream.text.match(/ HTTP\/1\.1/g)).to.have.length(Number(path.slice(1)))
      expect(bench.engine.load().requests).to.equal(1)
      upstream.write(ok(`answer ${path}`))
      await client.until(`answer ${path}`)
    }
    expect(bench.upstream.connections).to.have.length(1)
  })

  it('R20-57 answer more pipelined requests than may wait at once, one read after the other', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    const client = await bench.client()
    for (let turn = 0; turn < 400; turn += 1) client.write(request('GET', `/${turn}`))
    await client.when(() => client.isEnded || client.text.split('200 OK').length === 401, 'the answers')
    const answers = client.text.split('200 OK').length - 1
    if (answers === 400) return
    // More stood in one read than may wait: the last one that was taken says that it is the last.
    expect(answers).to.be.above(99)
    expect(client.text.match(/Connection: close/g)).to.have.length(1)
  })

  it('71 #30 ignore what stands behind a request that closes', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    const client = await bench.send(request('GET', '/first', ['Connection: close']) + request('GET', '/second'))
    expect(bodyOf(await client.untilEnd())).to.equal('ok')
    expect(bench.upstream.text).to.not.include('/second')
  })

  it('71 #65 take empty lines before a request', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    await (await bench.send(`\r\n\r\n${request('GET', '/')}`)).until('ok')
  })

  it('R20-86 refuse empty lines without end', async () => {
    const bench = await start()
    const client = await bench.client()
    for (let turn = 0; turn < 8; turn += 1) client.write('\r\n'.repeat(10_000))
    await client.until('HTTP/1.1 400 Bad Request')
    await client.untilEnd()
    expect(bench.counters.process('refusedMalformed')).to.equal(1)
  })

  it('R70-129 answer a client that ends its side behind the request', async () => {
    const bench = await start()
    const client = await bench.get('/')
    client.end()
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    await bench.when(() => bench.engine.load().requests === 1)
    upstream.write(ok('late'))
    expect(bodyOf(await client.untilEnd())).to.equal('late')
    await bench.quiet()
  })

  it('R70-129 answer every request that came before the FIN', async () => {
    const bench = await start()
    const client = await bench.send(request('GET', '/1') + request('GET', '/2'))
    client.end()
    const upstream = await bench.upstream.connection()
    for (const path of ['/1', '/2']) {
      await upstream.until(`${path} HTTP/1.1`)
      upstream.write(ok(`answer ${path}`))
    }
    const text = await client.untilEnd()
    expect(text.match(/answer \/\d/g)).to.deep.equal(['answer /1', 'answer /2'])
    await bench.quiet()
  })

  it('R70-129 close behind an answer that began before the FIN', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc')
    await client.until('abc')
    client.end()
    await bench.when(() => client.socket.writableFinished)
    upstream.write('def')
    expect(bodyOf(await client.untilEnd())).to.equal('abcdef')
    await bench.quiet()
  })

  it('71 #83, #85, #86 find the host in any spelling', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    for (const host of [`${HOST}:`, HOST.toUpperCase(), `${HOST}.`, `${HOST}:8080`]) {
      await (await bench.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).until('ok')
    }
  })

  it('remember no host longer than it was asked for', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    const client = await bench.get('/')
    await client.until('ok')
    client.write('GET / HTTP/1.1\r\nHost: other.example\r\n\r\n')
    await client.until('\n404')
    client.write(request('GET', '/'))
    await client.when(() => client.text.split('\r\n\r\nok').length === 3, 'the third answer')
  })

  it('R00-13 serve the next request by the pair that was assigned meanwhile', async () => {
    const bench = await start()
    const next = await bench.addUpstream()
    bench.upstream.answer(ok('old'))
    next.answer(ok('new'))
    const client = await bench.get('/')
    await client.until('old')
    bench.assign([next.address])
    client.write(request('GET', '/'))
    await client.until('new')
  })

  it('R00-13, R20-153 close the idle sockets of a removed endpoint, and let what is in flight to it end', async () => {
    const bench = await start()
    const next = await bench.addUpstream()
    bench.upstream.answer(ok('ok'))
    const held = await bench.get('/held')
    const busy = await bench.upstream.connection()
    await held.until('ok')
    const second = await bench.get('/second')
    await second.until('ok')
    bench.upstream.answerWith(() => undefined)
    const slow = await bench.get('/slow')
    await busy.until('/slow')
    const idle = await bench.get('/idle')
    const other = await bench.upstream.connection()
    await other.until('/idle')
    other.write(ok('idle'))
    await idle.until('idle')
    bench.assign([next.address])
    await other.untilEnd()
    expect(busy.isEnded).to.equal(false)
    busy.write(ok('done'))
    await slow.until('done')
    await busy.untilEnd()
  })

  describe('when the client goes away', () => {
    for (const [title, answer] of [
      ['before the response', ''],
      ['within the response', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
    ] as const) {
      it(`${title} the upstream's request is cut`, async () => {
        const bench = await start()
        const client = await bench.get('/')
        const upstream = await bench.upstream.connection()
        await upstream.until('\r\n\r\n')
        if (answer !== '') {
          upstream.write(answer)
          await client.until('abc')
        }
        client.reset()
        await upstream.untilEnd()
        await bench.quiet()
        expect(bench.counters.process('requestsInFlight')).to.equal(0)
        expect(bench.engine.load().connections).to.equal(0)
        expect(bench.counters.inFlight(0) + bench.counters.inFlight(1)).to.equal(0)
        expect(bench.holds.open).to.equal(0)
      })
    }

    it('within its request the upstream never gets the end of it', async () => {
      const bench = await start()
      const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'))
      const upstream = await bench.upstream.connection()
      await upstream.until('abc')
      client.reset()
      await upstream.untilEnd()
      expect(bodyOf(upstream.text)).to.equal('3\r\nabc\r\n')
      await bench.quiet()
    })

    it('by a FIN within its request it is told that the request is malformed', async () => {
      const bench = await start()
      const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
      const upstream = await bench.upstream.connection()
      await upstream.until('abc')
      client.end()
      expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 400 Bad Request')
      expect(bodyOf(await upstream.untilEnd())).to.equal('abc')
    })

    it('with requests that wait, none of them reaches an upstream', async () => {
      const bench = await start()
      const client = await bench.send(request('GET', '/1') + request('GET', '/2'))
      const upstream = await bench.upstream.connection()
      await upstream.until('/1')
      client.reset()
      // What is not read tells of a reset only when something is written.
      upstream.write(ok('x'.repeat(100)))
      await bench.quiet()
      expect(bench.counters.process('requestsInFlight')).to.equal(0)
    })
  })

  it('R20-78 close after the last request that one connection may send', async () => {
    const bench = await start({ limits: { keepAliveRequests: 2 } })
    bench.upstream.answer(ok('ok'))
    const client = await bench.get('/')
    expect(fieldOf(await client.until('ok'), 'Connection')).to.equal(undefined)
    client.write(request('GET', '/'))
    const text = await client.untilEnd()
    expect(text.match(/Connection: close/g)).to.have.length(1)
    expect(text.match(/200 OK/g)).to.have.length(2)
  })

  describe('draining', () => {
    it('R20-166 puts `Connection: close` on every answer', async () => {
      const bench = await start()
      bench.upstream.answer(ok('ok'))
      const client = await bench.get('/')
      await client.until('ok')
      bench.engine.startDraining()
      client.write(request('GET', '/'))
      const text = await client.untilEnd()
      expect(text.match(/Connection: close/g)).to.have.length(1)
      expect(
        fieldOf(await (await bench.send('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')).untilEnd(), 'Connection'),
      ).to.equal('close')
    })

    it('R20-167 closes idle connections at once and busy ones behind their answer', async () => {
      const bench = await start()
      bench.upstream.answer(ok('ok'))
      const idle = await bench.get('/')
      await idle.until('ok')
      bench.upstream.answerWith(() => undefined)
      const busy = await bench.get('/')
      const upstream = await bench.upstream.connection()
      await upstream.when(() => upstream.text.split('GET').length === 3, 'the second request')
      upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
      await busy.until('abc')
      bench.engine.startDraining()
      bench.engine.closeIdle()
      await idle.untilEnd()
      expect(busy.isEnded).to.equal(false)
      upstream.write('defghi')
      expect(bodyOf(await busy.untilEnd())).to.equal('abcdefghi')
      busy.end()
      idle.end()
      await bench.quiet()
    })
  })

  it('end at once, all of them, when the engine is destroyed', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    bench.engine.destroy()
    await client.untilEnd()
    await upstream.untilEnd()
    await bench.quiet()
  })

  it('count lanes, requests, durations and latencies', async () => {
    const bench = await start()
    bench.upstream.answer(ok('ok'))
    const client = await bench.get('/')
    await client.until('ok')
    await bench.when(() => bench.engine.load().requests === 0)
    const { counters } = bench
    expect(bench.engine.load().connections).to.equal(1)
    expect(counters.process('dispatchH1')).to.equal(1)
    expect(counters.process('requests')).to.equal(1)
    expect(counters.process('responses2xx')).to.equal(1)
    expect(counters.observations('requestDuration')).to.equal(1)
    expect(counters.observations('upstreamLatency')).to.equal(1)
    for (const slot of [0, 1]) {
      expect(counters.slot(slot, 'requests')).to.equal(1)
      expect(counters.slot(slot, 'latencyCount')).to.equal(1)
      expect(counters.slot(slot, 'errors5xx')).to.equal(0)
      expect(counters.slot(slot, 'inFlight')).to.equal(0)
    }
    expect(bench.holds.open).to.equal(0)
  })
}
