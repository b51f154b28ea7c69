// What an assignment does to sockets that are open, with the engine of the product.

import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { pairOf } from '../builders/pair.ts'
import type { RawConnection } from '../fakes/raw-connection.ts'
import { ENGINES_UNDER_TEST } from './engines-under-test.ts'
import { type Harness, startHarness, until } from './harness.ts'

interface Upstream {
  readonly address: string
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  close(): void
}

async function startUpstream(): Promise<Upstream> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((_request, response) => {
    response.end('ok')
  })
  // It never closes a connection by itself while a test runs.
  server.keepAliveTimeout = 600_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    address: `127.0.0.1:${port}`,
    sockets,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

for (const { title, engine, transport } of ENGINES_UNDER_TEST) {
  describe(`an assignment with ${title}`, function () {
    this.timeout(30_000)
    let harness: Harness
    let upstreams: readonly Upstream[]
    let client: RawConnection
    beforeEach(async () => {
      upstreams = [await startUpstream(), await startUpstream()]
      harness = await startHarness({
        workers: 1,
        engine,
        transport,
        workerEntry: new URL('../../src/dataplane/worker.ts', import.meta.url),
      })
    })
    afterEach(async () => {
      await harness.stop()
      for (const upstream of upstreams) upstream.close()
    })

    it('closes the idle upstream sockets of endpoints that are gone, and no other socket (R00-13)', async () => {
      const [gone, stays] = upstreams
      if (!gone || !stays) throw new TypeError('two upstreams were started')
      await harness.plane.apply(pairOf({ 'a.example': [gone.address], 'b.example': [stays.address] }))
      client = await harness.connect()
      for (const host of ['a.example', 'b.example']) expect((await client.ask(host)).body).to.equal('ok')
      const [kept] = stays.sockets
      expect([gone.sockets.size, stays.sockets.size]).to.deep.equal([1, 1])
      await harness.plane.apply(pairOf({ 'a.example': [stays.address], 'b.example': [stays.address] }, { version: 2 }))
      await until(() => gone.sockets.size === 0)
      expect((await client.ask('a.example')).body).to.equal('ok')
      expect([...stays.sockets]).to.deep.equal([kept])
    })

    it('costs no idle connection, of client or upstream, in a hundred publishes (R00-1)', async () => {
      const [one] = upstreams
      if (!one) throw new TypeError('two upstreams were started')
      const sites = (generation: number): Record<string, string[]> => ({
        'a.example': [one.address],
        [`n-${generation}.example`]: ['192.0.2.1:80'],
      })
      await harness.plane.apply(pairOf(sites(1)))
      client = await harness.connect()
      await client.ask('a.example')
      const [kept] = one.sockets
      for (let generation = 2; generation <= 101; generation += 1) {
        expect(await harness.plane.apply(pairOf(sites(generation), { generation }))).to.deep.equal({ kind: 'applied' })
      }
      expect((await client.ask('a.example')).body).to.equal('ok')
      expect([...one.sockets]).to.deep.equal([kept])
      expect(client.isClosed).to.equal(false)
    })
  })
}
