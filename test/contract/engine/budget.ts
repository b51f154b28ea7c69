import { expect } from 'chai'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, fieldOf, lineOf, request } from './bench.ts'
import { MIB } from './pressure.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const BIG = 16 * MIB
/** What waits at least for a client that takes nothing: a response pauses its upstream at 64 KiB. */
const STALLED = 65_000

/** A client that asked for a big body and reads none of it, until more than `bytes` of it wait in the engine. */
async function stalled(bench: EngineBench, bytes: number): Promise<RecordedSocket> {
  bench.upstream.answerWith((head, connection) => {
    if (!head.includes('/big')) connection.write(OK)
    else connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG}\r\n\r\n`).write(Buffer.alloc(BIG, 'x'))
  })
  const client = await bench.client()
  client.socket.pause()
  client.write(request('GET', '/big'))
  await bench.when(() => bench.counters.process('bufferedBytes') > bytes)
  return client
}

/** Buffered bytes and what a worker sheds for them: R20-122, R20-126. */
export function budgetCases(start: StartBench): void {
  it('R20-126: at 80 % new requests are 503 and idle connections close; what is in flight ends well', async () => {
    const bench = await start({ settings: { bufferBudgetBytes: 80_000 } })
    const idle = await bench.client()
    const other = await bench.client()
    await bench.when(() => bench.engine.load().connections === 2)
    const slow = await stalled(bench, STALLED)
    const refused = await bench.get('/')
    const text = await refused.until('\n503')
    expect(lineOf(text)).to.equal('HTTP/1.1 503 Service Unavailable')
    expect(fieldOf(text, 'Retry-After')).to.equal('1')
    expect(bench.counters.process('refusedBudget')).to.equal(1)
    expect(bench.counters.process('shedRefused')).to.equal(1)
    expect(idle.isEnded).to.equal(false)
    bench.clock.advance(1000)
    await Promise.all([idle.untilEnd(), other.untilEnd(), refused.untilEnd()])
    expect(bench.counters.process('shedClosed')).to.equal(3)
    slow.socket.resume()
    await slow.when(() => slow.socket.bytesRead > BIG, 'the body')
    await bench.when(() => bench.counters.process('bufferedBytes') === 0)
    await (await bench.get('/')).until('ok')
  })

  it('R20-126: at 100 % nothing more is read, and reading goes on when there is room again', async () => {
    const bench = await start({ settings: { bufferBudgetBytes: 30_000 } })
    const slow = await stalled(bench, 30_000)
    await bench.when(() => bench.counters.process('shedPaused') > 0)
    slow.socket.resume()
    await slow.when(() => slow.socket.bytesRead > BIG, 'the body')
    await bench.when(() => bench.counters.process('bufferedBytes') === 0)
  })

  it('R20-126: bodies of requests count too, those kept for a second try among them', async () => {
    const bench = await start()
    const client = await bench.send(request('PUT', '/', ['Content-Length: 50000'], 'x'.repeat(40_000)))
    const upstream = await bench.upstream.connection()
    await upstream.when(() => bodyOf(upstream.text).length === 40_000, 'the body')
    await bench.when(() => bench.counters.process('bufferedBytes') > 40_000)
    client.socket.destroy()
    await bench.when(() => bench.counters.process('bufferedBytes') === 0)
  })

  it('R20-126: a head that does not end counts', async () => {
    const bench = await start()
    const client = await bench.send(`GET / HTTP/1.1\r\nA: ${'a'.repeat(10_000)}`)
    await bench.when(() => bench.counters.process('bufferedBytes') > 10_000)
    client.socket.destroy()
    await bench.when(() => bench.counters.process('bufferedBytes') === 0)
  })

  it('R20-126: what waits behind a request for an upgrade counts, until the tunnel has it', async () => {
    const bench = await start()
    // In one record of TLS, which holds 16 KiB: what comes behind it waits in the kernel.
    const asked = request('GET', '/', ['Connection: Upgrade', 'Upgrade: echo'], 'x'.repeat(10_000))
    await bench.send(asked)
    await bench.when(() => bench.counters.process('bufferedBytes') >= 10_000)
    const upstream = await bench.upstream.connection()
    upstream.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    await bench.when(() => bench.counters.process('bufferedBytes') === 0)
  })

  it('below 80 % nobody is refused or closed', async () => {
    const bench = await start({ settings: { bufferBudgetBytes: MIB } })
    const idle = await bench.client()
    await bench.when(() => bench.engine.load().connections === 1)
    await stalled(bench, STALLED)
    await (await bench.get('/')).until('ok')
    expect(idle.isEnded).to.equal(false)
    expect(bench.counters.process('shedClosed') + bench.counters.process('shedRefused')).to.equal(0)
    expect(bench.counters.process('shedPaused')).to.equal(0)
  })
}
