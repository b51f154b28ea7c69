// Real gRPC on both ends: grpc-js calls through real workers, whatever is spoken before and behind them (R22-39).
import { Metadata, status } from '@grpc/grpc-js'
import { expect } from 'chai'
import type { Backend } from '../../src/model/route-table.ts'
import { HTTP2 } from '../contract/engine/bench.ts'
import { ENGINES_ONCE } from '../dataplane/engines-under-test.ts'
import { type Harness, startHarness } from '../dataplane/harness.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { EchoClient } from './echo-client.ts'
import { EchoServer, FAILURE } from './echo-service.ts'
import { echoSite } from './echo-site.ts'

const MIB = 1024 * 1024
const ECHO = 'echo.example'
const HOSTS = [ECHO, 'slow.example', 'down.example', 'plain.example', 'nobody.example']
const LOOPBACK = { host: '127.0.0.1', port: 0 }

const WAYS = (['h2c', 'h2'] as const).flatMap((downstream) =>
  (['h2c', 'h2'] as const).map((upstream) => ({ downstream, upstream })),
)

/** A backend that is spoken to so, and known by the certificate of an authority. */
function backendOf(protocol: 'h2c' | 'h2', authorities: string): Partial<Backend> {
  if (protocol === 'h2c') return { protocol }
  const tls = { verify: true, serverName: ECHO, sendsServerName: true, authorities, maxDepth: 1, digest: 'echo' }
  return { protocol, tls }
}

for (const { title, engine, transport } of ENGINES_ONCE) {
  for (const { downstream, upstream } of WAYS) {
    describe(`gRPC through ${title}, ${downstream} from clients and ${upstream} to the backend (R22-39)`, function calls() {
      this.timeout(60_000)
      let server: EchoServer
      let harness: Harness
      let pair: ReturnType<typeof makeCertificate>
      const clients: EchoClient[] = []

      before(async () => {
        pair = makeCertificate(HOSTS)
        server = await EchoServer.start(upstream === 'h2' ? pair : undefined)
        harness = await startHarness({
          workers: 1,
          engine,
          transport,
          http: downstream === 'h2c' ? [LOOPBACK] : [],
          https: downstream === 'h2' ? [LOOPBACK] : [],
          http2: HTTP2,
          workerEntry: new URL('../../src/dataplane/worker.ts', import.meta.url),
        })
        const backend = backendOf(upstream, pair.cert)
        const site = echoSite(
          {
            [ECHO]: { address: server.address, backend },
            'slow.example': { address: server.address, backend, policy: { responseTimeoutMs: 300 } },
            // Nobody listens on the first port of all.
            'down.example': { address: '127.0.0.1:1', backend },
            'plain.example': { address: server.address },
          },
          pair,
        )
        expect((await harness.plane.apply(site)).kind).to.equal('applied')
      })

      afterEach(() => {
        for (const client of clients.splice(0)) client.close()
      })

      after(async () => {
        server.stop()
        await harness.stop()
      })

      function clientOf(host = ECHO): EchoClient {
        const client = new EchoClient({
          port: harness.port(),
          host,
          ...(downstream === 'h2' && { authority: pair.cert }),
        })
        clients.push(client)
        return client
      }

      it('unary calls, one after the other and many at once', async () => {
        const client = clientOf()
        const messages = Array.from({ length: 150 }, (_none, index) => Buffer.from(`message ${index}`))
        const first = await client.unary(Buffer.from('first'))
        expect([first.code, first.message.toString()]).to.deep.equal([status.OK, 'first'])
        const outcomes = await Promise.all(messages.map((message) => client.unary(message)))
        expect(outcomes.map(({ message }) => message)).to.deep.equal(messages)
      })

      it('metadata and trailers both ways, binary ones too', async () => {
        const metadata = new Metadata()
        metadata.add('x-echo', 'one')
        metadata.add('x-echo', 'two')
        metadata.add('x-echo-bin', Buffer.from([0, 1, 254, 255]))
        const outcome = await clientOf().unary(Buffer.from('?'), metadata)
        for (const [fields, name] of [
          [outcome.metadata, 'x-echo'],
          [outcome.trailers, 'x-trailer'],
        ] as const) {
          expect(fields.get(name).join(', ')).to.equal('one, two')
          expect(fields.get(`${name}-bin`)).to.deep.equal([Buffer.from([0, 1, 254, 255])])
        }
      })

      it('the error of a server, with its message and its trailers', async () => {
        const { code, details, trailers } = await clientOf().fail()
        expect({ code, details }).to.deep.equal(FAILURE)
        expect(trailers.get('x-why-bin')).to.deep.equal([Buffer.from([0, 255])])
      })

      it('streams of the server', async () => {
        const came = await clientOf().repeat(200)
        expect(came.map((message) => message[0])).to.deep.equal(Array.from({ length: 200 }, (_none, turn) => turn))
      })

      it('streams of the client', async () => {
        const parts = Array.from({ length: 200 }, (_none, turn) => Buffer.alloc(1000, turn))
        expect(await clientOf().collect(parts)).to.deep.equal(Buffer.concat(parts))
      })

      it('streams both ways, each message answered before the next', async () => {
        const call = clientOf().chat()
        const came: string[] = []
        for (let turn = 0; turn < 50; turn += 1) {
          call.write(Buffer.from(`turn ${turn}`))
          const message = await new Promise<Buffer>((resolve, reject) => {
            call.once('data', resolve)
            call.once('error', reject)
          })
          call.removeAllListeners('error')
          came.push(message.toString())
        }
        const ended = new Promise<number>((resolve) => {
          call.on('status', ({ code }) => resolve(code))
        })
        call.resume()
        call.end()
        expect(await ended).to.equal(status.OK)
        expect(came).to.deep.equal(Array.from({ length: 50 }, (_none, turn) => `turn ${turn}`))
      })

      it('messages of 20 MiB both ways', async () => {
        const message = Buffer.alloc(20 * MIB, 'gRPC')
        const outcome = await clientOf().unary(message)
        expect(outcome.code).to.equal(status.OK)
        expect(outcome.message.equals(message)).to.equal(true)
      })

      it('R22-37: a deadline passes on, and ends the call at both ends', async () => {
        const client = clientOf()
        // Its connections stand: the time is that of the call alone.
        await client.unary(Buffer.from('first'))
        const count = server.waited.length
        const before = Date.now()
        const { outcome } = client.wait({ deadline: before + 1500 })
        expect((await outcome).code).to.equal(status.DEADLINE_EXCEEDED)
        // What is left of it when the call is sent goes with it, and is counted from when it comes.
        const after = Date.now()
        const waited = server.waited[count]
        expect(waited?.deadlineMs).to.be.within(before + 750, after + 1500)
        await waited?.cancelled
      })

      it('R22-10: a call that the client cancels is cancelled at the server', async () => {
        const count = server.waited.length
        const { call, outcome } = clientOf().wait()
        while (server.waited.length === count) await new Promise((resolve) => setTimeout(resolve, 5))
        expect(server.waited[count]?.deadlineMs).to.equal(Number.POSITIVE_INFINITY)
        call.cancel()
        expect((await outcome).code).to.equal(status.CANCELLED)
        await server.waited[count]?.cancelled
      })

      it('R22-37: our own timeout is DEADLINE_EXCEEDED, and cancels at the server', async () => {
        const { code, details } = await clientOf('slow.example').wait().outcome
        expect(code).to.equal(status.DEADLINE_EXCEEDED)
        expect(details).to.equal('504 Gateway Timeout: the upstream did not respond in time.')
        await server.waited.at(-1)?.cancelled
      })

      it('R22-33: a backend that is down is UNAVAILABLE', async () => {
        const { code, details } = await clientOf('down.example').unary(Buffer.from('?'))
        expect(code).to.equal(status.UNAVAILABLE)
        expect(details).to.equal('502 Bad Gateway: no endpoint took the connection.')
      })

      it('R22-30: no route is UNIMPLEMENTED', async () => {
        const { code, details } = await clientOf('nobody.example').unary(Buffer.from('?'))
        expect(code).to.equal(status.UNIMPLEMENTED)
        expect(details).to.equal('404 Not Found: no route takes this host and path.')
      })

      it('R22-24: a backend without HTTP/2 is a 502 that a person can read, and counted', async () => {
        const { code, details } = await clientOf('plain.example').unary(Buffer.from('?'))
        expect(code).to.equal(status.UNAVAILABLE)
        expect(details).to.include('502')
        expect(harness.plane.totals().fields.grpcUnsupported).to.equal(1)
      })

      it('leaves nothing in flight behind', async () => {
        while (harness.plane.totals().fields.requestsInFlight > 0)
          await new Promise((resolve) => setTimeout(resolve, 5))
      })
    })
  }
}
