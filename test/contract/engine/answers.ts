import { expect } from 'chai'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, lineOf, linesOf, request } from './bench.ts'

const DATE = 'Date: Thu, 01 Jan 2026 00:16:40 GMT'

/** Answers of our own: R20-61 to R20-72. Which bytes lead to which is in the table of probes (test/wire). */
export function answerCases(start: StartBench): void {
  it('R20-64 leave the body of the request behind, and the next request is served', async () => {
    const bench = await start()
    const client = await bench.send(request('TRACE', '/', ['Content-Length: 5'], 'GET /'))
    await client.until('\n405')
    client.write('GET / HTTP/1.1\r\nHost: next.example\r\n\r\n')
    await client.until('\n404 ')
    expect(client.text.match(/HTTP\/1\.1 \d{3} /g)).to.have.length(2)
  })

  it('R20-61 are one line of plain text, with every field that they need and no other', async () => {
    const bench = await start()
    const client = await bench.send('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    const text = await client.until('path.\n')
    expect(text).to.equal(
      [
        'HTTP/1.1 404 Not Found',
        'Server: ramjet',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Length: 50',
        DATE,
        '',
        '404 Not Found: no route takes this host and path.\n',
      ].join('\r\n'),
    )
  })

  it('R20-61 have no body for HEAD', async () => {
    const bench = await start()
    const client = await bench.send('HEAD / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    await client.until('\r\n\r\n')
    client.write('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')
    await client.until('\n404 ')
    expect(fieldOf(client.text, 'Content-Length')).to.equal('50')
    expect(bodyOf(client.text)).to.match(/^HTTP\/1\.1 404/)
  })

  it('R20-64 name the methods that are served', async () => {
    const bench = await start()
    expect(fieldOf(await (await bench.send(request('TRACE', '/'))).until('\n405'), 'Allow')).to.equal(
      'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS',
    )
  })

  it('R20-70 are 503 with Retry-After without an endpoint', async () => {
    const bench = await start({ endpoints: [] })
    const text = await (await bench.get('/')).until('\n503')
    expect(linesOf(text).slice(3)).to.deep.equal(['Retry-After: 1', DATE])
    expect(bodyOf(text)).to.equal('503 Service Unavailable: the service has no endpoint at the moment.\n')
  })

  for (const reason of ['unresolved-service', 'unsupported-backend', 'external-name', 'access-rule'] as const) {
    it(`R20-70 are 503 for ${reason}`, async () => {
      const bench = await start({ refusing: { 'guarded.example': reason } })
      const text = await (await bench.send('GET / HTTP/1.1\r\nHost: guarded.example\r\n\r\n')).until('\n503')
      expect(lineOf(text)).to.equal('HTTP/1.1 503 Service Unavailable')
      expect(bench.upstream.connections).to.have.length(0)
    })
  }

  it('keep an HTTP/1.0 connection that asked for it', async () => {
    const bench = await start()
    const client = await bench.send('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect(fieldOf(await client.until('\n404'), 'Connection')).to.equal('keep-alive')
  })

  it('count as what they are', async () => {
    const bench = await start()
    await (await bench.send('GET / HTTP/1.1\r\nHost: nobody.example\r\n\r\n')).until('\n404')
    await (await bench.send('GET / HTTP/1.1\r\nHost: a b\r\n\r\n')).untilEnd()
    await (await bench.send('GET / HTTP/9.9\r\n\r\n')).untilEnd()
    await (await bench.send(request('GET', '/', [`A: ${'a'.repeat(70_000)}`]))).untilEnd()
    const { counters } = bench
    expect(counters.process('requests')).to.equal(4)
    expect(counters.process('responses4xx')).to.equal(3)
    expect(counters.process('responses5xx')).to.equal(1)
    expect(counters.process('routeMisses')).to.equal(1)
    expect(counters.process('refusedMalformed')).to.equal(1)
    expect(counters.process('refusedVersion')).to.equal(1)
    expect(counters.process('refusedHeadSize')).to.equal(1)
  })
}
