import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { expect } from 'chai'
import { endpointChecks } from '../../src/dataplane/check-endpoint.ts'
import type { CheckOutcome } from '../../src/dataplane/check-exchange.ts'
import type { HealthCheck } from '../../src/model/policy.ts'
import { endpoint } from '../builders/route-table.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { DeafListener } from '../fakes/deaf-listener.ts'
import { listening } from '../fakes/listening.ts'
import { RawUpstream } from '../fakes/upstream.ts'

const CHECK: HealthCheck = {
  path: '/healthz?deep=1',
  intervalMs: 5000,
  timeoutMs: 1000,
  healthy: 1,
  unhealthy: 3,
  statuses: [
    [200, 299],
    [304, 304],
  ],
}

describe('a check of an endpoint', () => {
  const clock = new FakeClock()
  let server: Server | undefined

  afterEach(() => {
    server?.close()
    server?.closeAllConnections()
    server = undefined
  })

  function check(address: string, fields: Partial<HealthCheck> = {}): Promise<CheckOutcome> {
    return new Promise((resolve) => endpointChecks(clock)(endpoint(address), { ...CHECK, ...fields }, resolve))
  }

  async function origin(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    server = createServer(answer)
    return `127.0.0.1:${await listening(server)}`
  }

  for (const [status, isGood] of [
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [304, true],
    [404, false],
    [503, false],
  ] as const) {
    it(`R20-150: status ${status} is ${isGood ? 'good' : 'bad'} by 200-299,304`, async () => {
      const address = await origin((_request, response) => response.writeHead(status).end())
      expect(await check(address)).to.deep.equal({ isGood, found: `status ${status}` })
    })
  }

  it('asks for the path on a connection of its own, and says who it is', async () => {
    let asked: IncomingMessage | undefined
    const address = await origin((request, response) => {
      asked = request
      response.end('fine')
    })
    await check(address)
    expect(asked?.method).to.equal('GET')
    expect(asked?.url).to.equal('/healthz?deep=1')
    expect(asked?.rawHeaders).to.deep.equal([
      'Host',
      address,
      'User-Agent',
      'ramjet-health-check',
      'Connection',
      'close',
    ])
  })

  it('R42-19: asks for the host and with the headers that are set', async () => {
    let asked: IncomingMessage | undefined
    const address = await origin((request, response) => {
      asked = request
      response.end()
    })
    await check(address, { host: 'check.example', headers: [['X-Probe', 'yes']] })
    expect(asked?.headers.host).to.equal('check.example')
    expect(asked?.headers['x-probe']).to.equal('yes')
  })

  it('tells when no socket is left, and not before', async () => {
    const address = await origin((_request, response) => response.end('fine'))
    await check(address)
    await eventually(() => connectionsOf(server) === 0)
    expect(clock.pending()).to.deep.equal([])
  })

  it('is bad where nobody takes the connection', async () => {
    const upstream = await RawUpstream.start()
    upstream.stop()
    expect(await check(upstream.address)).to.deep.equal({ isGood: false, found: 'ECONNREFUSED' })
    expect(clock.pending()).to.deep.equal([])
  })

  it('is bad where the connection does not stand in time', async () => {
    const deaf = await DeafListener.start()
    const outcome = check(deaf.address)
    clock.advance(1000)
    expect(await outcome).to.deep.equal({ isGood: false, found: 'no answer in time' })
    deaf.stop()
  })

  it('is bad where no answer comes in time', async () => {
    const address = await origin(() => clock.advance(1000))
    expect(await check(address)).to.deep.equal({ isGood: false, found: 'no answer in time' })
  })

  it('goes by the head where the body has no end', async () => {
    const chunk = Buffer.alloc(256 * 1024)
    const address = await origin((_request, response) => {
      let left = 64
      // What went out by then fits into no buffer on the way: the head was read.
      const more = (): void => {
        left -= 1
        if (left === 0) clock.advance(1000)
        else response.write(chunk, more)
      }
      response.writeHead(200)
      more()
    })
    expect(await check(address)).to.deep.equal({ isGood: true, found: 'status 200' })
  })

  it('is bad where the answer is no HTTP, or breaks off', async () => {
    const upstream = await RawUpstream.start()
    upstream.answer('SSH-2.0-OpenSSH\r\n\r\n')
    const outcome = await check(upstream.address)
    expect(outcome.isGood).to.equal(false)
    upstream.answerWith((_head, connection) => connection.reset())
    expect((await check(upstream.address)).isGood).to.equal(false)
    upstream.stop()
  })

  it('is bad where the endpoint switches protocols unasked', async () => {
    const upstream = await RawUpstream.start()
    upstream.answer('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    expect(await check(upstream.address)).to.deep.equal({ isGood: false, found: 'status 101' })
    upstream.stop()
  })

  it('costs only itself where its fields cannot be sent', async () => {
    const outcome = check('127.0.0.1:1', { path: '/a b' })
    clock.advance(0)
    expect((await outcome).isGood).to.equal(false)
  })

  it('leaves no socket and no timer where it is taken back, and says nothing', async () => {
    let told = 0
    const address = await origin(() => undefined)
    const cancel = endpointChecks(clock)(endpoint(address), CHECK, () => {
      told += 1
    })
    await eventually(() => connectionsOf(server) === 1)
    cancel()
    await eventually(() => connectionsOf(server) === 0)
    expect(clock.pending()).to.deep.equal([])
    expect(told).to.equal(0)
  })
})

const open = new WeakMap<Server, number>()

/** Connections of a server that are open, as it counted them last. */
function connectionsOf(server: Server | undefined): number | undefined {
  if (!server) return undefined
  server.getConnections((_error, count) => open.set(server, count))
  return open.get(server)
}
