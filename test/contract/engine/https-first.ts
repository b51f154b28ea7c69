import { expect } from 'chai'
import { digestOfPolicy } from '../../../src/model/certificate-table.ts'
import type { RedirectTarget } from '../../../src/model/policy.ts'
import { exact, prefix } from '../../builders/route-table.ts'
import type { StartBench } from '../engine.ts'
import { type BenchOptions, type EngineBench, fieldOf, HOST, lineOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const NEW_URL: RedirectTarget = { base: 'url', template: ['https://new.example/'], keepsQuery: false }
const ROUTES = [
  exact('/plain', { id: 'plain' }),
  exact('/moved', {
    id: 'moved',
    httpsFirst: true,
    action: { kind: 'redirect', status: 302, location: NEW_URL },
  }),
  exact('/gone', { id: 'gone', httpsFirst: true, action: { kind: 'refuse', reason: 'unresolved-service' } }),
  prefix('', { id: 'shop', httpsFirst: true }),
]
const SECURE = { secure: { serverName: HOST, policyDigest: digestOfPolicy({}) } }
const TRUSTED = { trustedProxies: ['127.0.0.0/8'] }

/** Clients that come by http are sent to https, and nobody else is: R11-50, R11-51, R11-57, R11-157. */
export function httpsFirstCases(start: StartBench): void {
  function bench(options: BenchOptions = {}): Promise<EngineBench> {
    return start({ routes: ROUTES, ...options })
  }

  /** The status line and the `Location` of the answer to one request. */
  async function answerTo(text: string, options: BenchOptions = {}): Promise<readonly [string, string | undefined]> {
    const one = await bench(options)
    one.upstream.answer(OK)
    const answer = await (await one.send(text)).until('\r\n\r\n')
    return [lineOf(answer), fieldOf(answer, 'Location')]
  }

  it('R11-57: who comes by http is answered 308 with the same URL, and no endpoint is asked', async () => {
    const one = await bench()
    const answer = await (await one.get('/a%2Fb?c=d')).until('elsewhere.\n')
    expect(lineOf(answer)).to.equal('HTTP/1.1 308 Permanent Redirect')
    expect(fieldOf(answer, 'Location')).to.equal(`https://${HOST}/a%2Fb?c=d`)
    expect(one.upstream.connections).to.have.length(0)
    expect(one.counters.process('responses3xx')).to.equal(1)
  })

  it('R20-16: with the port that clients dial by TLS', async () => {
    const [, location] = await answerTo(request('GET', '/a'), { settings: { redirectPort: 8443 } })
    expect(location).to.equal(`https://${HOST}:8443/a`)
  })

  it('R11-57: a connection that came by TLS is served', async () => {
    expect(await answerTo(request('GET', '/a'), { origin: SECURE })).to.deep.equal(['HTTP/1.1 200 OK', undefined])
  })

  it('R20-51: what a trusted peer says of the scheme counts, either way', async () => {
    const https = request('GET', '/a', ['X-Forwarded-Proto: https'])
    expect((await answerTo(https, { settings: TRUSTED }))[0]).to.equal('HTTP/1.1 200 OK')
    const http = request('GET', '/a', ['X-Forwarded-Proto: http'])
    expect((await answerTo(http, { settings: TRUSTED, origin: SECURE }))[0]).to.equal('HTTP/1.1 308 Permanent Redirect')
  })

  it('R20-51: what anybody else says of it does not', async () => {
    const https = request('GET', '/a', ['X-Forwarded-Proto: https'])
    expect((await answerTo(https))[0]).to.equal('HTTP/1.1 308 Permanent Redirect')
    const http = request('GET', '/a', ['X-Forwarded-Proto: http'])
    expect((await answerTo(http, { origin: SECURE }))[0]).to.equal('HTTP/1.1 200 OK')
  })

  it('R11-157: comes before another redirect and before the answer of a route that has no backend', async () => {
    for (const path of ['/moved', '/gone']) {
      const [line, location] = await answerTo(request('GET', path))
      expect([line, location]).to.deep.equal(['HTTP/1.1 308 Permanent Redirect', `https://${HOST}${path}`])
    }
    expect((await answerTo(request('GET', '/moved'), { origin: SECURE }))[1]).to.equal('https://new.example/')
    expect((await answerTo(request('GET', '/gone'), { origin: SECURE }))[0]).to.equal(
      'HTTP/1.1 503 Service Unavailable',
    )
  })

  it('R11-15: a route without it is served by http', async () => {
    expect((await answerTo(request('GET', '/plain')))[0]).to.equal('HTTP/1.1 200 OK')
  })

  it('the connection serves on, behind a body too, and an upgrade is answered likewise', async () => {
    const one = await bench()
    one.upstream.answer(OK)
    const client = await one.send(request('POST', '/a', ['Content-Length: 3'], 'abc'))
    await client.until('elsewhere.\n')
    await client.write(request('GET', '/ws', ['Connection: upgrade', 'Upgrade: websocket'])).until('/ws\r\n')
    await client.write(request('GET', '/plain')).until('\r\n\r\nok')
    expect(one.upstream.connections).to.have.length(1)
  })
}
