import { expect } from 'chai'
import type { RedirectTarget } from '../../../src/model/policy.ts'
import type { Route } from '../../../src/model/route-table.ts'
import { exact, prefix, regex } from '../../builders/route-table.ts'
import type { StartBench } from '../engine.ts'
import { bodyOf, fieldOf, HOST, lineOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const API: Route = regex('/api(/|$)(.*)', {
  id: 'api',
  policy: { rewrite: { replaces: 'whole', template: ['/', 2] }, forwardedPrefix: ['/api'] },
})

/** How paths go on, and where clients are sent: R11-40 to R11-48, R20-35, 71 #227. */
export function rewriteCases(start: StartBench): void {
  it('R11-46: the upstream gets the rewritten path, with the query as it came', async () => {
    const bench = await start({ routes: [API] })
    bench.upstream.answer(OK)
    await (await bench.get('/API/v1/a%2Fb?x=/api/y')).until('ok')
    expect(lineOf(bench.upstream.text)).to.equal('GET /v1/a%2Fb?x=/api/y HTTP/1.1')
  })

  it('R11-43, R20-35: X-Forwarded-Prefix is ours, whatever the client says', async () => {
    for (const trustedProxies of [[], ['127.0.0.0/8']]) {
      const bench = await start({ routes: [API], settings: { trustedProxies } })
      bench.upstream.answer(OK)
      await (await bench.get('/api/a', ['X-Forwarded-Prefix: /theirs'])).until('ok')
      expect(bench.upstream.text.match(/x-forwarded-prefix: .*/gi)).to.deep.equal(['X-Forwarded-Prefix: /api'])
    }
  })

  it('R20-35: a route that sets none keeps that of a trusted peer', async () => {
    const bench = await start({ routes: [prefix('')], settings: { trustedProxies: ['127.0.0.0/8'] } })
    bench.upstream.answer(OK)
    await (await bench.get('/a', ['X-Forwarded-Prefix: /theirs'])).until('ok')
    expect(fieldOf(bench.upstream.text, 'x-forwarded-prefix')).to.equal('/theirs')
  })

  it('R10-31: a rewritten path that is none is answered 400 and reaches no upstream', async () => {
    const policy = { rewrite: { replaces: 'whole', template: [1] } } as const
    const bench = await start({ routes: [regex('/(.*)', { id: 'x', policy })] })
    expect(lineOf(await (await bench.get('/a')).until('\r\n\r\n'))).to.equal('HTTP/1.1 400 Bad Request')
    expect(bench.upstream.connections).to.have.length(0)
    expect(bench.counters.process('refusedMalformed')).to.equal(1)
  })

  it('R20-82: one that is too long is answered 414', async () => {
    const policy = { rewrite: { replaces: 'whole', template: ['/', 1, 1, 1] } } as const
    const bench = await start({ routes: [regex('/(.*)', { id: 'x', policy })], limits: { maxTargetBytes: 100 } })
    const client = await bench.get(`/${'a'.repeat(40)}`)
    expect(lineOf(await client.until('\r\n\r\n'))).to.equal('HTTP/1.1 414 URI Too Long')
  })

  it('R20-130: every try has the rewritten path', async () => {
    const bench = await start({ routes: [API] })
    const gone = await bench.addUpstream()
    gone.stop()
    bench.upstream.answer(OK)
    bench.assign([gone.address, bench.upstream.address])
    await (await bench.get('/api/a')).until('ok')
    expect(lineOf(bench.upstream.text)).to.equal('GET /a HTTP/1.1')
  })

  describe('a redirect', () => {
    it('R11-48: names scheme and authority as the client wrote it, and reaches no upstream', async () => {
      const bench = await start({ routes: [redirecting(exact('/'), { base: 'origin', template: ['/app'] })] })
      const client = await bench.send('GET /?a=b HTTP/1.1\r\nHost: Shop.EXAMPLE:8080\r\n\r\n')
      const text = await client.until('\n302')
      expect(lineOf(text)).to.equal('HTTP/1.1 302 Found')
      expect(fieldOf(text, 'location')).to.equal('http://Shop.EXAMPLE:8080/app')
      expect(bodyOf(text)).to.equal('302 Found: what was asked for is elsewhere.\n')
      expect(bench.upstream.connections).to.have.length(0)
      expect(bench.counters.process('responses3xx')).to.equal(1)
      expect(bench.holds.open).to.equal(0)
    })

    it('R20-51: has the scheme that a trusted peer says, and no other', async () => {
      const routes = [redirecting(exact('/'), { base: 'origin', template: ['/app'] })]
      const forwarded = ['X-Forwarded-Proto: https']
      const stranger = await start({ routes })
      expect(fieldOf(await (await stranger.get('/', forwarded)).until('\n302'), 'location')).to.equal(
        `http://${HOST}/app`,
      )
      const trusted = await start({ routes, settings: { trustedProxies: ['127.0.0.0/8'] } })
      expect(fieldOf(await (await trusted.get('/', forwarded)).until('\n302'), 'location')).to.equal(
        `https://${HOST}/app`,
      )
    })

    it('R11-46: to a URL has captures and the query', async () => {
      const location = { base: 'url', template: ['https://new.example/', 1], keepsQuery: true } as const
      const bench = await start({ routes: [redirecting(regex('/old/(.*)'), location)] })
      const text = await (await bench.get('/old/a%20b?c=d')).until('\n302')
      expect(fieldOf(text, 'location')).to.equal('https://new.example/a%20b?c=d')
    })

    it('keeps the connection for the next request', async () => {
      const bench = await start({ routes: [redirecting(exact('/'), { template: ['https://a.example/'] }), prefix('')] })
      bench.upstream.answer(OK)
      const client = await bench.get('/')
      await client.until('\n302')
      client.write(request('GET', '/a'))
      await client.until('ok')
    })

    it('has no body for HEAD, and its length', async () => {
      const bench = await start({ routes: [redirecting(exact('/'), { template: ['https://a.example/'] })] })
      const client = await bench.send(`HEAD / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`)
      const text = await client.untilEnd()
      expect(bodyOf(text)).to.equal('')
      expect(fieldOf(text, 'content-length')).to.equal('44')
    })

    it('R11-157: goes before the body limit', async () => {
      const routes = [redirecting(exact('/'), { template: ['https://a.example/'] })]
      const bench = await start({ routes, limits: { maxBodyBytes: 1 } })
      const client = await bench.send(request('POST', '/', ['Content-Length: 3'], 'abc'))
      expect(lineOf(await client.until('\n302'))).to.equal('HTTP/1.1 302 Found')
    })

    it('71 #227: splits no response, whatever its author wrote', async () => {
      const routes = [redirecting(exact('/'), { template: ['https://a.example/\r\nX-Split: yes'] })]
      const bench = await start({ routes })
      const text = await (await bench.get('/')).until('\n302')
      expect(fieldOf(text, 'location')).to.equal('https://a.example/%0D%0AX-Split:%20yes')
      expect(fieldOf(text, 'x-split')).to.equal(undefined)
    })
  })

  it('71 #227: a prefix that could end a line is answered 400', async () => {
    const policy = { forwardedPrefix: ['/a\r\nX-Split: yes'] } as const
    const bench = await start({ routes: [prefix('', { policy })] })
    expect(lineOf(await (await bench.get('/')).until('\r\n\r\n'))).to.equal('HTTP/1.1 400 Bad Request')
    expect(bench.upstream.connections).to.have.length(0)
  })
}

function redirecting(route: Route, location: Partial<RedirectTarget>): Route {
  return {
    ...route,
    action: { kind: 'redirect', status: 302, location: { base: 'url', template: [], keepsQuery: false, ...location } },
  }
}
