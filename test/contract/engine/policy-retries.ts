import { expect } from 'chai'
import type { RetryPolicy } from '../../../src/model/policy.ts'
import type { RawUpstream } from '../../fakes/upstream.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, type EngineBench, lineOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const BUSY = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy'

/** Tries that a route asks for beyond what can do no harm: R20-129, R11-67 to R11-69, R11-73. */
export function policyRetryCases(start: StartBench): void {
  it('http_503: the next endpoint is asked, and nobody sees the first answer', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] })
    bench.upstream.answer(BUSY)
    second.answer(OK)
    const text = await (await bench.get('/')).until('ok')
    expect(lineOf(text)).to.equal('HTTP/1.1 200 OK')
    expect(bench.counters.process('retriesStatus')).to.equal(1)
    expect([1, 2].map((slot) => bench.counters.inFlight(slot))).to.deep.equal([0, 0])
    expect(bench.counters.process('responses5xx')).to.equal(0)
  })

  it('http_503: the last answer is the client’s', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] })
    bench.upstream.answer(BUSY)
    second.answer(BUSY)
    const text = await (await bench.get('/')).until('busy')
    expect(lineOf(text)).to.equal('HTTP/1.1 503 Service Unavailable')
    expect(bench.upstream.connections.length + second.connections.length).to.equal(2)
  })

  it('http_503: no other status is', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] })
    const other = BUSY.replace('503 Service Unavailable', '500 Internal Server Error')
    bench.upstream.answer(other)
    second.answer(other)
    await (await bench.get('/')).until('busy')
    expect(bench.counters.process('retriesStatus')).to.equal(0)
  })

  it('the body is sent again, whole', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] })
    busyBehindBody(bench.upstream)
    busyBehindBody(second)
    const client = await bench.send(request('PUT', '/', ['Content-Length: 3'], 'abc'))
    await client.until('busy')
    expect([bodyOf(bench.upstream.text), bodyOf(second.text)]).to.deep.equal(['abc', 'abc'])
  })

  it('R20-117: a body that is not kept whole is not sent again', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] }, { retryBufferBytes: 2 })
    busyBehindBody(bench.upstream)
    busyBehindBody(second)
    const client = await bench.send(request('PUT', '/', ['Content-Length: 3'], 'abc'))
    await client.until('busy')
    expect(bench.upstream.connections.length + second.connections.length).to.equal(1)
  })

  it('R11-71: one that was read before is, whatever its size', async () => {
    const { bench, second } = await two(start, { on: ['http_503'] }, { retryBufferBytes: 2 }, 100)
    bench.upstream.answer(BUSY)
    second.answer(BUSY)
    const client = await bench.send(request('PUT', '/', ['Content-Length: 5'], 'abcde'))
    await client.until('busy')
    await bench.when(() => bodyOf(bench.upstream.text) === 'abcde' && bodyOf(second.text) === 'abcde')
  })

  for (const { on, tries } of [
    { on: ['http_503'], tries: 1 },
    { on: ['http_503', 'non_idempotent'], tries: 2 },
  ] as const) {
    it(`a POST is tried ${tries} times under ${on.join(' ')}`, async () => {
      const { bench, second } = await two(start, { on })
      bench.upstream.answer(BUSY)
      second.answer(BUSY)
      const client = await bench.send(request('POST', '/', ['Content-Length: 3'], 'abc'))
      await client.until('busy')
      expect(bench.upstream.connections.length + second.connections.length).to.equal(tries)
    })
  }

  it('timeout: the next endpoint is asked where a response does not come', async () => {
    const { bench, second } = await two(start, { on: ['timeout'] })
    const client = await bench.get('/')
    await bench.when(() => bench.upstream.text !== '' || second.text !== '')
    bench.upstream.answer(OK)
    second.answer(OK)
    bench.clock.advance(60_000)
    expect(lineOf(await client.until('ok'))).to.equal('HTTP/1.1 200 OK')
    expect(bench.counters.process('timeoutHead')).to.equal(1)
    expect(bench.counters.process('retriesTimeout')).to.equal(1)
  })

  it('timeout: after the last one it is 504', async () => {
    const { bench, second } = await two(start, { on: ['timeout'] })
    const client = await bench.get('/')
    await bench.when(() => bench.upstream.text !== '' || second.text !== '')
    bench.clock.advance(60_000)
    await bench.when(() => bench.upstream.text !== '' && second.text !== '')
    bench.clock.advance(60_000)
    expect(lineOf(await client.until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
  })

  it('error: the next endpoint is asked where a connection breaks', async () => {
    const { bench, second } = await two(start, { on: ['error'] })
    const breaking = [bench.upstream, second]
    for (const upstream of breaking) {
      upstream.answerWith((_head, connection) => {
        for (const other of breaking) other.answer(OK)
        connection.reset()
      })
    }
    expect(lineOf(await (await bench.get('/')).until('ok'))).to.equal('HTTP/1.1 200 OK')
  })

  it('R20-129: nobody else is asked behind an interim response, which the client has', async () => {
    const { bench, second } = await two(start, { on: ['error', 'http_503', 'timeout'] })
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    let breaks = true
    for (const upstream of [bench.upstream, second]) {
      upstream.answerWith((_head, connection) => {
        connection.socket.write(breaks ? interim : interim + BUSY, () => breaks && connection.end())
      })
    }
    const broken = await (await bench.get('/')).until('\n502')
    expect(broken.match(/HTTP\/1\.1 \d{3}/g)).to.deep.equal(['HTTP/1.1 103', 'HTTP/1.1 502'])
    breaks = false
    const busy = await (await bench.get('/')).until('busy')
    expect(busy.match(/HTTP\/1\.1 \d{3}/g)).to.deep.equal(['HTTP/1.1 103', 'HTTP/1.1 503'])
    expect(bench.counters.process('retriesStatus')).to.equal(0)
  })

  it('invalid_header: the next endpoint is asked where what comes is no response', async () => {
    const { bench, second } = await two(start, { on: ['invalid_header'] })
    const speaking = [bench.upstream, second]
    for (const upstream of speaking) {
      upstream.answerWith((_head, connection) => {
        for (const other of speaking) other.answer(OK)
        connection.write('SSH-2.0-server\r\n\r\n')
      })
    }
    expect(lineOf(await (await bench.get('/')).until('ok'))).to.equal('HTTP/1.1 200 OK')
  })

  it('off: a failed connect is the end', async () => {
    const { bench, second } = await two(start, { on: [] })
    bench.upstream.stop()
    second.stop()
    expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
    expect(bench.counters.process('connectRefused')).to.equal(1)
  })

  it('R11-68: tries count all of them, and 0 asks each endpoint once', async () => {
    for (const { tries, asked } of [
      { tries: 2, asked: 2 },
      { tries: 0, asked: 5 },
    ]) {
      const bench = await start({ policy: { retry: { on: ['connect'], tries } } })
      const upstreams = await Promise.all(Array.from({ length: 5 }, () => bench.addUpstream()))
      for (const upstream of upstreams) upstream.stop()
      bench.assign(upstreams.map(({ address }) => address))
      await (await bench.get('/')).until('\n502')
      expect(bench.counters.process('connectRefused')).to.equal(asked)
    }
  })

  it('R11-69: no try begins later than its time after the first', async () => {
    const { bench, second } = await two(start, { on: ['timeout'], timeoutMs: 60_000 })
    const client = await bench.get('/')
    await bench.when(() => bench.upstream.text !== '' || second.text !== '')
    bench.clock.advance(60_000)
    expect(lineOf(await client.until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
    expect(bench.upstream.connections.length + second.connections.length).to.equal(1)
  })

  it('R50-13: with a wait between tries an endpoint may be asked again', async () => {
    const bench = await start({ policy: { retry: { on: ['http_503'], tries: 3, backoffMs: 5 } } })
    bench.upstream.answer(BUSY)
    expect(lineOf(await (await bench.get('/')).until('busy'))).to.equal('HTTP/1.1 503 Service Unavailable')
    expect(bench.upstream.text.match(/GET/g)).to.have.length(3)
    expect(bench.counters.process('retriesStatus')).to.equal(2)
  })

  it('a client that goes away while a try waits takes it along', async () => {
    const bench = await start({ policy: { retry: { on: ['http_503'], tries: 3, backoffMs: 60_000 } } })
    bench.upstream.answer(BUSY)
    const client = await bench.get('/')
    await bench.when(() => bench.counters.process('retriesStatus') === 1)
    client.reset()
    await bench.quiet()
    expect(bench.upstream.text.match(/GET/g)).to.have.length(1)
    expect(bench.holds.open).to.equal(0)
  })
}

function busyBehindBody(upstream: RawUpstream): void {
  upstream.answerWith((_head, connection) => {
    void connection.until('abc').then(() => connection.write(BUSY))
  })
}

async function two(
  start: StartBench,
  retry: RetryPolicy,
  limits: { readonly retryBufferBytes?: number } = {},
  requestBufferBytes?: number,
): Promise<{ readonly bench: EngineBench; readonly second: RawUpstream }> {
  const policy = requestBufferBytes === undefined ? { retry } : { retry, requestBufferBytes }
  const bench = await start({ policy, limits })
  const second = await bench.addUpstream()
  bench.assign([bench.upstream.address, second.address])
  return { bench, second }
}
