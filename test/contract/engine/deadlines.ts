import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, lineOf, request } from './bench.ts'
import { fill, MIB } from './pressure.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Timers that are ours: R20-74 to R20-81, R20-110, R20-111. */
export function deadlineCases(start: StartBench): void {
  it('R20-74, 71 #203: a head that trickles and does not end is answered 408', async () => {
    const bench = await start()
    const begun = 'GET / HTTP/1.1\r\nHost:'
    const client = await bench.send(begun)
    await bench.heard(client, begun.length)
    bench.clock.advance(9999)
    client.write(' a.ex')
    bench.clock.advance(1)
    expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 408 Request Timeout')
    expect(bench.counters.process('refusedHeaderTimeout')).to.equal(1)
  })

  it('R20-74: a connection that never says anything is closed without an answer', async () => {
    const bench = await start()
    const client = await bench.client()
    await bench.when(() => bench.engine.load().connections === 1)
    bench.clock.advance(10_000)
    expect(await client.untilEnd()).to.equal('')
  })

  it('R20-77: an idle connection is closed after the keep-alive time', async () => {
    const bench = await start()
    bench.upstream.answer(OK)
    const client = await bench.get('/')
    await client.until('ok')
    await bench.when(() => bench.engine.load().requests === 0)
    bench.clock.advance(74_999)
    client.write(request('GET', '/'))
    await client.when(() => client.text.split('ok').length === 3, 'the second answer')
    await bench.when(() => bench.engine.load().requests === 0)
    bench.clock.advance(75_000)
    expect((await client.untilEnd()).match(/HTTP/g)).to.have.length(2)
  })

  it('R20-79: a body that stops coming is answered 408', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', ['Content-Length: 10'], 'abc'))
    const upstream = await bench.upstream.connection()
    await upstream.until('abc')
    bench.clock.advance(60_000)
    expect(lineOf(await client.untilEnd())).to.equal('HTTP/1.1 408 Request Timeout')
    expect(bodyOf(await upstream.untilEnd())).to.equal('abc')
    expect(bench.counters.process('refusedBodyTimeout')).to.equal(1)
  })

  it('R20-80, 71 #205: a body that trickles is answered 408, and one at the rate goes on', async () => {
    const bench = await start()
    const fast = await bench.send(request('POST', '/', ['Content-Length: 5000'], '~'))
    const slow = await bench.send(request('POST', '/', ['Content-Length: 5000'], '~'))
    // No head holds this character.
    const arrived = (): number => bench.upstream.text.split('~').length - 1
    await bench.when(() => arrived() === 2)
    for (let sent = 2; sent < 6 * 161; sent += 161) {
      fast.write('~'.repeat(160))
      slow.write('~')
      await bench.when(() => arrived() === sent + 161)
      bench.clock.advance(10_000)
    }
    expect(lineOf(await slow.untilEnd())).to.equal('HTTP/1.1 408 Request Timeout')
    expect(bench.counters.process('refusedBodyTimeout')).to.equal(1)
    const before = arrived()
    fast.write('~'.repeat(100))
    await bench.when(() => arrived() === before + 100)
    expect(fast.isEnded).to.equal(false)
  })

  it('R20-80: a body that the upstream holds back is not slow', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', [`Content-Length: ${64 * MIB}`]))
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.socket.pause()
    await fill(client.socket, 64 * MIB)
    bench.clock.advance(59_999)
    await bench.when(() => bench.engine.load().requests === 1)
    expect(bench.counters.process('refusedBodyTimeout')).to.equal(0)
    bench.clock.advance(1)
    await client.until('HTTP/1.1 504 Gateway Timeout')
  })

  it('R20-110: an upstream that says nothing is answered 504, and its socket is closed', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    bench.clock.advance(60_000)
    const text = await client.until('\n504')
    expect(bodyOf(text)).to.equal('504 Gateway Timeout: the upstream did not respond in time.\n')
    await upstream.untilEnd()
    expect(bench.counters.process('timeoutHead')).to.equal(1)
    bench.upstream.answer(OK)
    client.write(request('GET', '/'))
    await client.until('ok')
  })

  it('R20-110: an upstream that owes the client a 100 is the slow one', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', ['Expect: 100-continue', 'Content-Length: 3']))
    await (await bench.upstream.connection()).until('\r\n\r\n')
    bench.clock.advance(60_000)
    await client.until('HTTP/1.1 504 Gateway Timeout')
    expect(bench.counters.process('timeoutHead')).to.equal(1)
    expect(bench.counters.process('refusedBodyTimeout')).to.equal(0)
  })

  it('R20-111: an upstream body that stops coming cuts the client', async () => {
    const bench = await start()
    const client = await bench.get('/')
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
    await client.until('abc')
    bench.clock.advance(60_000)
    await client.untilEnd()
    await upstream.untilEnd()
    expect(bench.counters.process('timeoutBody')).to.equal(1)
  })

  it('R20-81, 71 #206: a client that takes nothing is cut', async () => {
    const bench = await start()
    const client = await bench.get('/')
    client.socket.pause()
    const upstream = await bench.upstream.connection()
    await upstream.until('\r\n\r\n')
    upstream.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MIB}\r\n\r\n`)
    // While bytes still move it is not yet the client that is waited for.
    await fill(upstream.socket, 64 * MIB)
    await bench.when(() => {
      bench.clock.advance(10_000)
      return bench.engine.load().connections === 0
    })
    expect(bench.counters.process('refusedSendTimeout')).to.equal(1)
    await upstream.untilEnd()
  })

  it('R20-96: an exchange lives as long as either direction moves', async () => {
    const bench = await start()
    const client = await bench.send(request('POST', '/', ['Transfer-Encoding: chunked'], '1\r\na\r\n'))
    const upstream = await bench.upstream.connection()
    await upstream.until('1\r\na\r\n')
    upstream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    await client.until('\r\n\r\n')
    for (let turn = 0; turn < 4; turn += 1) {
      bench.clock.advance(40_000)
      client.write(`1\r\n${turn}\r\n`)
      await upstream.until(`1\r\n${turn}\r\n`)
    }
    client.write('0\r\n\r\n')
    upstream.write('0\r\n\r\n')
    await client.until('0\r\n\r\n')
  })
}
