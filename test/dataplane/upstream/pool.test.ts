import { type ClientRequest, request } from 'node:http'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../src/dataplane/engine-limits.ts'
import { type PoolSettings, UpstreamPool } from '../../../src/dataplane/upstream/pool.ts'
import { NO_WAYS } from '../../../src/dataplane/upstream/way.ts'
import { WayDialer } from '../../../src/dataplane/upstream/way-dialer.ts'
import { endpoint } from '../../builders/route-table.ts'
import { settled } from '../../fakes/clock.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { RawUpstream } from '../../fakes/upstream.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('UpstreamPool', () => {
  const pools: UpstreamPool[] = []
  const upstreams: RawUpstream[] = []

  async function setUp(settings: Partial<PoolSettings> = {}): Promise<{
    readonly pool: UpstreamPool
    readonly upstream: RawUpstream
    readonly ask: () => Promise<ClientRequest>
  }> {
    const upstream = await RawUpstream.start()
    const pool = new UpstreamPool({
      timeoutMs: 5000,
      bufferBytes: 65_536,
      maxIdle: 128,
      idleTimeoutMs: 60_000,
      room: () => Number.POSITIVE_INFINITY,
      dialer: new WayDialer({ limits: DEFAULT_LIMITS, connectTimeoutMs: 5000, nowMs: () => 0 }),
      ...settings,
    })
    pools.push(pool)
    upstreams.push(upstream)
    const ask = (): Promise<ClientRequest> =>
      new Promise((resolve, reject) => {
        const one = request({
          agent: pool.agentFor(endpoint(upstream.address)),
          host: '127.0.0.1',
          port: upstream.port,
        })
        one.on('error', reject)
        one.on('response', (response) => response.resume().on('end', () => setImmediate(() => resolve(one))))
        one.end()
      })
    return { pool, upstream, ask }
  }

  afterEach(() => {
    for (const pool of pools.splice(0)) pool.destroy()
    for (const upstream of upstreams.splice(0)) upstream.stop()
  })

  it('uses a connection again', async () => {
    const { upstream, ask } = await setUp()
    upstream.answer(OK)
    expect((await ask()).reusedSocket).to.equal(false)
    expect((await ask()).reusedSocket).to.equal(true)
  })

  it('has one agent for one address', async () => {
    const { pool, upstream } = await setUp()
    expect(pool.agentFor(endpoint(upstream.address))).to.equal(pool.agentFor(endpoint(upstream.address, { weight: 2 })))
  })

  it('R20-114: closes what is idle above the limit', async () => {
    const { upstream, ask } = await setUp({ maxIdle: 1 })
    upstream.answerWith((_head, connection) => {
      if (upstream.connections.length < 2) return
      for (const one of upstream.connections) one.write(OK)
      void connection
    })
    await Promise.all([ask(), ask()])
    while (!upstream.connections.some(({ isEnded }) => isEnded)) await settled()
    expect(upstream.connections.filter(({ isEnded }) => isEnded)).to.have.length(1)
  })

  it('R20-97: keeps no more idle sockets than there is room for, over all endpoints', async () => {
    let room = 1
    const { pool, upstream, ask } = await setUp({ room: () => room })
    const waiting: RecordedSocket[] = []
    upstream.answerWith((_head, connection) => {
      waiting.push(connection)
      if (waiting.length === 2) for (const one of waiting) one.write(OK)
    })
    await Promise.all([ask(), ask()])
    upstream.answer(OK)
    while (!upstream.connections.some(({ isEnded }) => isEnded)) await settled()
    expect((await ask()).reusedSocket).to.equal(true)
    room = 0
    pool.makeRoom()
    await Promise.all(upstream.connections.map((connection) => connection.untilEnd()))
    expect((await ask()).reusedSocket).to.equal(false)
    await upstream.connections[2]?.untilEnd()
  })

  it('R20-97: gives the place of an idle socket away when that has closed', async () => {
    const { pool, upstream, ask } = await setUp({ room: () => 1 })
    upstream.answer(OK)
    await ask()
    upstream.connections[0]?.socket.destroy()
    const { freeSockets } = pool.agentFor(endpoint(upstream.address))
    while (Object.keys(freeSockets).length > 0) await settled()
    expect((await ask()).reusedSocket).to.equal(false)
    expect((await ask()).reusedSocket).to.equal(true)
  })

  it('R20-97: leaves a socket that carries a request alone', async () => {
    let room = 1
    const { pool, upstream, ask } = await setUp({ room: () => room })
    upstream.answer(OK)
    await ask()
    upstream.answerWith(() => undefined)
    const asked = ask()
    const [connection] = upstream.connections
    await connection?.when(() => connection.text.split('GET').length === 3, 'the second request')
    room = 0
    pool.makeRoom()
    connection?.write(OK)
    expect((await asked).reusedSocket).to.equal(true)
  })

  it('R20-115: closes what is idle for too long', async () => {
    const { upstream, ask } = await setUp({ idleTimeoutMs: 20 })
    upstream.answer(OK)
    await ask()
    await upstream.connections[0]?.untilEnd()
  })

  it('closes a connection before the upstream does that announced it', async () => {
    const { pool, upstream, ask } = await setUp()
    upstream.answer(OK)
    const agent = pool.agentFor(endpoint(upstream.address))
    const first = ask()
    const connection = await upstream.connection()
    await connection.until('\r\n\r\n')
    const [socket] = Object.values(agent.sockets).flatMap((sockets) => sockets ?? [])
    if (socket) agent.noteKeepAlive(socket, 'timeout=5, max=100')
    await first
    expect(socket?.timeout).to.equal(4000)
  })

  it('R00-13: forgets an endpoint that is gone and closes what is idle to it', async () => {
    const { pool, upstream, ask } = await setUp()
    upstream.answer(OK)
    await ask()
    pool.retain(new Set(), NO_WAYS)
    await upstream.connections[0]?.untilEnd()
  })

  it('R00-1: leaves the connections of the others alone', async () => {
    const { pool, upstream, ask } = await setUp()
    upstream.answer(OK)
    await ask()
    pool.retain(new Set([upstream.address]), NO_WAYS)
    expect((await ask()).reusedSocket).to.equal(true)
  })
})
