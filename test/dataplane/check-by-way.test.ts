import { expect } from 'chai'
import { endpointChecks } from '../../src/dataplane/check-endpoint.ts'
import type { CheckOutcome } from '../../src/dataplane/check-exchange.ts'
import { wayOf } from '../../src/dataplane/upstream/way.ts'
import type { HealthCheck } from '../../src/model/policy.ts'
import { type BackendProtocol, type UpstreamTls, withDigest } from '../../src/model/upstream-tls.ts'
import { backend, endpoint } from '../builders/route-table.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { DeafListener } from '../fakes/deaf-listener.ts'
import { type OriginRequest, ProtocolOrigin } from '../fakes/protocol-origin.ts'

const CHECK: HealthCheck = {
  path: '/healthz?deep=1',
  intervalMs: 5000,
  timeoutMs: 1000,
  healthy: 1,
  unhealthy: 3,
  statuses: [[200, 299]],
}
const AUTHORITY = makeCertificate(['ca.example'], { isAuthority: true })
const BETWEEN = makeCertificate(['between.example'], { isAuthority: true, issuer: AUTHORITY })
const LEAF = makeCertificate(['web.internal'], { issuer: BETWEEN })
const PAIR = { cert: LEAF.cert + BETWEEN.cert, key: LEAF.key }
const PROTOCOLS = ['https', 'h2c', 'h2'] as const

function identity(changes: Partial<UpstreamTls> = {}): UpstreamTls {
  return withDigest({
    verify: true,
    serverName: 'web.internal',
    sendsServerName: false,
    maxDepth: 2,
    authorities: AUTHORITY.cert,
    ...changes,
  })
}

describe('a check of an endpoint that is spoken to by TLS or HTTP/2', () => {
  const clock = new FakeClock()
  const checks = endpointChecks(clock)
  let origin: ProtocolOrigin | undefined

  afterEach(() => {
    origin?.stop()
    origin = undefined
  })

  function check(
    address: string,
    protocol: BackendProtocol,
    fields: Partial<HealthCheck> = {},
    tls: UpstreamTls = identity(),
  ): Promise<CheckOutcome> {
    const way = wayOf(backend('shop/web:80', { protocol, tls }))
    return new Promise((resolve) => checks(endpoint(address), { ...CHECK, ...fields, way }, resolve))
  }

  for (const protocol of PROTOCOLS) {
    it(`R20-150: goes by the status, ${protocol}`, async () => {
      origin = await ProtocolOrigin.start(protocol, { pair: PAIR })
      let status = 200
      let asked: OriginRequest | undefined
      origin.handler = (request, response) => {
        asked = request
        response.statusCode = status
        response.end('x')
      }
      expect(await check(origin.address, protocol)).to.deep.equal({ isGood: true, found: 'status 200' })
      expect([asked?.method, asked?.url]).to.deep.equal(['GET', '/healthz?deep=1'])
      status = 503
      expect(await check(origin.address, protocol)).to.deep.equal({ isGood: false, found: 'status 503' })
      expect(clock.pending()).to.deep.equal([])
      await eventually(() => origin?.sockets.every(({ destroyed }) => destroyed) ?? false)
    })

    it(`R42-19: asks for the host and with the headers that are set, ${protocol}`, async () => {
      origin = await ProtocolOrigin.start(protocol, { pair: PAIR })
      let headers: OriginRequest['headers'] = {}
      origin.handler = (request, response) => {
        ;({ headers } = request)
        response.end()
      }
      await check(origin.address, protocol, { host: 'check.example', headers: [['X-Probe', 'yes']] })
      expect(headers[':authority'] ?? headers.host).to.equal('check.example')
      expect(headers['x-probe']).to.equal('yes')
      expect(headers['user-agent']).to.equal('ramjet-health-check')
    })

    it(`is bad where no answer comes in time, ${protocol}`, async () => {
      origin = await ProtocolOrigin.start(protocol, { pair: PAIR })
      origin.handler = () => clock.advance(1000)
      expect(await check(origin.address, protocol)).to.deep.equal({ isGood: false, found: 'no answer in time' })
    })

    it(`is bad where plain HTTP/1.1 is spoken, ${protocol}`, async () => {
      origin = await ProtocolOrigin.start('http')
      expect((await check(origin.address, protocol)).isGood).to.equal(false)
      expect(clock.pending()).to.deep.equal([])
    })

    it(`is bad where nobody takes the connection, ${protocol}`, async () => {
      origin = await ProtocolOrigin.start('http')
      const { address } = origin
      origin.stop()
      expect(await check(address, protocol)).to.deep.equal({ isGood: false, found: 'ECONNREFUSED' })
    })

    it(`leaves nothing where it is taken back, and says nothing, ${protocol}`, async () => {
      const deaf = await DeafListener.start()
      const way = wayOf(backend('shop/web:80', { protocol, tls: identity() }))
      const cancel = checks(endpoint(deaf.address), { ...CHECK, way }, () => expect.fail('it was taken back'))
      cancel()
      deaf.stop()
      expect(clock.pending()).to.deep.equal([])
    })
  }

  for (const [title, tls] of [
    ['another authority', identity({ authorities: makeCertificate(['x'], { isAuthority: true }).cert })],
    ['another name', identity({ serverName: 'other.internal' })],
    ['a longer chain than may be', identity({ maxDepth: 0 })],
  ] as const) {
    it(`R21-32: verification is part of it: ${title}`, async () => {
      origin = await ProtocolOrigin.start('https', { pair: PAIR })
      expect(await check(origin.address, 'https', {}, tls)).to.deep.equal({ isGood: false, found: 'TLS' })
      expect(await check(origin.address, 'https', {}, withDigest({ ...tls, verify: false }))).to.include({
        isGood: true,
      })
    })
  }

  it('costs only itself where its fields cannot be sent', async () => {
    for (const protocol of PROTOCOLS) {
      origin = await ProtocolOrigin.start(protocol, { pair: PAIR })
      expect((await check(origin.address, protocol, { headers: [['bad name', 'x']] })).isGood).to.equal(false)
      origin.stop()
    }
  })
})
