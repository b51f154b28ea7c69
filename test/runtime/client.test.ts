import { expect } from 'chai'
import { ApiAnswerError, ApiStatusError, ApiUnreachableError } from '../../src/runtime/api-errors.ts'
import { ApiClient, type CallOptions } from '../../src/runtime/client.ts'
import type { ClusterAccess, Credentials } from '../../src/runtime/cluster-access.ts'
import { TerminalError } from '../../src/runtime/reconciler.ts'
import { makeCertificate, plainAccess } from '../fakes/access.ts'
import { FakeApiServer, listsOf, type TlsFiles, watchesOf } from '../fakes/api-server.ts'
import { FakeClock } from '../fakes/clock.ts'
import { rejection } from '../fakes/rejection.ts'

const SERVICES = '/api/v1/services'

describe('ApiClient', () => {
  let server: FakeApiServer
  let client: ApiClient
  let clock: FakeClock
  let url: URL
  let stop: AbortController

  function clientFor(access: ClusterAccess): ApiClient {
    return new ApiClient({ access, clock, timers: clock, callTimeoutMs: 30_000, userAgent: 'ramjet/test' })
  }

  beforeEach(async () => {
    server = new FakeApiServer()
    url = await server.start()
    server.serve(SERVICES, { metadata: { name: 'web', namespace: 'shop' } })
    clock = new FakeClock()
    stop = new AbortController()
    client = clientFor(plainAccess(url))
  })

  afterEach(async () => {
    await client.close()
    await server.stop()
  })

  it('gives the parsed answer and says who it is', async () => {
    const answer = await client.get(SERVICES, { query: { limit: '5' }, signal: stop.signal })
    expect(answer).to.have.nested.property('items[0].metadata.name', 'web')
    const [request] = server.requests
    expect(request?.query.get('limit')).to.equal('5')
    expect(request?.headers).to.include({ accept: 'application/json', 'user-agent': 'ramjet/test' })
  })

  it('keeps the path under which the server stands', async () => {
    await client.close()
    client = clientFor(plainAccess(new URL('/proxied/', url)))
    await rejection(client.get(SERVICES, { signal: stop.signal }))
    expect(server.requests[0]?.path).to.equal(`/proxied${SERVICES}`)
  })

  it('rejects a refusal with status, reason and what Retry-After asks for', async () => {
    server.fail({ kind: 'status', status: 429, reason: 'TooManyRequests', retryAfter: '3' }, listsOf(SERVICES))
    const error = await rejection(client.get(SERVICES, { signal: stop.signal }))
    expect(error).to.be.instanceOf(ApiStatusError)
    expect(error).to.include({ status: 429, reason: 'TooManyRequests', retryAfterMs: 3000 })
    expect(server.requests).to.have.length(1)
  })

  const WEB = '/api/v1/namespaces/shop/services/web'

  for (const [method, type, write] of [
    ['POST', 'application/json', (body, options) => client.post(WEB, body, options)],
    ['PUT', 'application/json', (body, options) => client.put(WEB, body, options)],
    ['PATCH', 'application/merge-patch+json', (body, options) => client.patch(WEB, body, options)],
  ] satisfies readonly [string, string, (body: unknown, options: CallOptions) => Promise<unknown>][]) {
    it(`sends a ${method} with its body, its type and its query, and gives the answer`, async () => {
      server.fail({ kind: 'body', text: '{"kind":"Service"}' }, ({ path }) => path === WEB)
      const options = { query: { fieldManager: 'ramjet-ingress' }, signal: stop.signal }
      expect(await write({ metadata: { name: 'web' } }, options)).to.deep.equal({ kind: 'Service' })
      const [request] = server.requests
      expect(request).to.include({ method, path: WEB, body: '{"metadata":{"name":"web"}}' })
      expect(request?.headers).to.include({ 'content-type': type })
      expect(request?.query.get('fieldManager')).to.equal('ramjet-ingress')
    })
  }

  it('sends a DELETE without a body', async () => {
    server.fail({ kind: 'body', text: '{}' }, ({ path }) => path === WEB)
    await client.delete(WEB, { signal: stop.signal })
    expect(server.requests[0]).to.include({ method: 'DELETE', path: WEB, body: '' })
  })

  it('asks the check directly before it sends, after the credentials have come, and sends nothing where it throws', async () => {
    const order: string[] = []
    const plain = plainAccess(url)
    const credentials = async (): Promise<Credentials> => {
      order.push('credentials')
      return await plain.credentials()
    }
    await client.close()
    client = clientFor({ ...plain, credentials })
    const check = (): never => {
      order.push('check')
      throw new TerminalError('no write any more')
    }
    const error = await rejection(client.patch(WEB, {}, { signal: stop.signal, check }))
    expect(error).to.have.property('message', 'no write any more')
    expect(order).to.deep.equal(['credentials', 'check'])
    expect(server.requests).to.deep.equal([])
  })

  it('rejects what is no JSON', async () => {
    server.fail({ kind: 'body', text: '<html>' }, listsOf(SERVICES))
    expect(await rejection(client.get(SERVICES, { signal: stop.signal }))).to.be.instanceOf(ApiAnswerError)
  })

  it('rejects when the connection is cut, and reaches the server again with the next call', async () => {
    server.fail({ kind: 'cut' }, listsOf(SERVICES))
    expect(await rejection(client.get(SERVICES, { signal: stop.signal }))).to.be.instanceOf(ApiUnreachableError)
    await client.get(SERVICES, { signal: stop.signal })
  })

  it('rejects when there is no answer within the time for a call', async () => {
    server.fail({ kind: 'hang' }, listsOf(SERVICES))
    const failed = rejection(client.get(SERVICES, { signal: stop.signal }))
    await server.until(() => server.requests.length === 1)
    clock.advance(29_999)
    clock.advance(1)
    expect((await failed).message).to.equal(`GET ${SERVICES} was not answered within 30000 ms`)
    expect(clock.pending()).to.deep.equal([])
  })

  it('rejects when the credentials do not come within the time for a call', async () => {
    client = clientFor({ ...plainAccess(url), credentials: () => new Promise(() => {}) })
    const failed = rejection(client.get(SERVICES, { signal: stop.signal }))
    clock.advance(30_000)
    expect(await failed).to.be.instanceOf(ApiUnreachableError)
  })

  it('rejects with the reason of its signal when that is aborted', async () => {
    server.fail({ kind: 'hang' }, listsOf(SERVICES))
    const failed = rejection(client.get(SERVICES, { signal: stop.signal }))
    await server.until(() => server.requests.length === 1)
    stop.abort(new Error('enough'))
    expect((await failed).message).to.equal('enough')
  })

  it('repeats a call once after a 401, with credentials that were read anew (R70-106)', async () => {
    const tokens = ['old', 'new']
    const access: ClusterAccess = {
      ...plainAccess(url),
      credentials: async () => ({ headers: { authorization: `Bearer ${tokens[0]}` }, tls: TLS }),
      expire: () => void tokens.shift(),
    }
    client = clientFor(access)
    server.fail({ kind: 'status', status: 401 }, ({ headers }) => headers['authorization'] === 'Bearer old', 9)
    await client.get(SERVICES, { signal: stop.signal })
    expect(server.requests.map(({ headers }) => headers['authorization'])).to.deep.equal(['Bearer old', 'Bearer new'])
  })

  it('rejects when the second answer is a 401 as well', async () => {
    server.fail({ kind: 'status', status: 401 }, listsOf(SERVICES), 9)
    expect(await rejection(client.get(SERVICES, { signal: stop.signal }))).to.include({ status: 401 })
    expect(server.requests).to.have.length(2)
  })

  describe('watch', () => {
    it('gives lines as they come and ends when the server ends it', async () => {
      const lines = client.watch(SERVICES, { query: { resourceVersion: '101' }, signal: stop.signal })
      const first = next(lines)
      await server.until(() => server.watching(SERVICES) === 1)
      server.put(SERVICES, { metadata: { name: 'api', namespace: 'shop' } })
      expect(await first).to.have.length(1)
      server.endWatches(SERVICES)
      expect(await next(lines)).to.equal(undefined)
      expect(server.requests[0]?.query.get('resourceVersion')).to.equal('101')
    })

    it('has no time limit once the server has begun to answer', async () => {
      const lines = client.watch(SERVICES, { signal: stop.signal })
      const first = next(lines)
      await server.until(() => server.watching(SERVICES) === 1)
      server.bookmark(SERVICES)
      await first
      expect(clock.pending()).to.deep.equal([])
    })

    it('rejects when the server does not begin to answer', async () => {
      server.fail({ kind: 'hang' }, watchesOf(SERVICES))
      const failed = rejection(next(client.watch(SERVICES, { signal: stop.signal })))
      await server.until(() => server.requests.length === 1)
      clock.advance(30_000)
      expect(await failed).to.be.instanceOf(ApiUnreachableError)
    })

    it('rejects when the connection is cut', async () => {
      const failed = rejection(next(client.watch(SERVICES, { signal: stop.signal })))
      await server.until(() => server.watching(SERVICES) === 1)
      server.cut()
      expect(await failed).to.be.instanceOf(ApiUnreachableError)
    })

    it('closes its connection when its signal is aborted, also between two lines', async () => {
      const lines = client.watch(SERVICES, { signal: stop.signal })
      const first = next(lines)
      await server.until(() => server.watching(SERVICES) === 1)
      server.bookmark(SERVICES)
      await first
      stop.abort(new Error('enough'))
      expect((await rejection(next(lines))).message).to.equal('enough')
      await server.until(() => server.watching(SERVICES) === 0)
    })

    it('has a connection of its own, so that calls go on beside it (R50-7)', async () => {
      const watches = Array.from({ length: 20 }, () => next(client.watch(SERVICES, { signal: stop.signal })))
      await server.until(() => server.watching(SERVICES) === 20)
      await client.get(SERVICES, { signal: stop.signal })
      const connections = server.requests.map(({ connection }) => connection)
      expect(new Set(connections).size).to.equal(21)
      stop.abort(new Error('enough'))
      await Promise.all(watches.map((watch) => rejection(watch)))
    })
  })

  it('uses its connections again', async () => {
    for (let call = 0; call < 10; call += 1) await client.get(SERVICES, { signal: stop.signal })
    expect(new Set(server.requests.map(({ connection }) => connection)).size).to.be.below(4)
  })

  describe('over TLS', () => {
    let one: TlsFiles
    let two: TlsFiles
    let secure: FakeApiServer

    before(() => {
      one = makeCertificate('one')
      two = makeCertificate('two')
    })

    afterEach(() => secure.stop())

    it('trusts the CA of the access alone, and connects anew when it changes (R70-106)', async () => {
      secure = new FakeApiServer(two)
      const secureUrl = await secure.start()
      secure.serve(SERVICES)
      let tls = { ...TLS, ca: one.cert }
      client = clientFor({ ...plainAccess(secureUrl), credentials: async () => ({ headers: {}, tls }) })
      const refused = await rejection(client.get(SERVICES, { signal: stop.signal }))
      expect(refused).to.be.instanceOf(ApiUnreachableError)
      expect(refused.message).to.include('self-signed certificate')
      tls = { ...TLS, ca: two.cert }
      await client.get(SERVICES, { signal: stop.signal })
      expect(secure.requests).to.have.length(1)
    })
  })
})

const TLS: Credentials['tls'] = { ca: undefined, cert: undefined, key: undefined, servername: undefined, verify: true }

async function next(lines: AsyncIterator<readonly string[]>): Promise<readonly string[] | undefined> {
  const { done, value } = await lines.next()
  return done === true ? undefined : value
}
