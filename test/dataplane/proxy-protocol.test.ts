// The PROXY protocol from end to end: real workers, a client that speaks for a load balancer, and an upstream that tells
// what it was told.
import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import type { ProxyProtocolSettings } from '../../src/dataplane/proxy-protocol-settings.ts'
import { pairOf } from '../builders/pair.ts'
import { proxyV1, proxyV2 } from '../builders/proxy-header.ts'
import { HTTP2 } from '../contract/engine/bench.ts'
import { RawHttp2Client } from '../fakes/h2-client.ts'
import { type Fields, headers, PREFACE, settings } from '../fakes/h2-frames.ts'
import { listening } from '../fakes/listening.ts'
import { openClient } from '../fakes/raw-client.ts'
import type { RecordedSocket } from '../fakes/recorded-socket.ts'
import { ENGINES_UNDER_TEST } from './engines-under-test.ts'
import { type Harness, type HarnessOptions, startHarness, until } from './harness.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: web.example\r\n\r\n'
const LOCAL_PEERS = ['127.0.0.0/8']

const NONE = { missing: 0, malformed: 0, timeout: 0, peer: 0 }

function failures({ plane }: Harness): typeof NONE {
  const { fields } = plane.totals()
  return {
    missing: fields.proxyHeaderMissing,
    malformed: fields.proxyHeaderMalformed,
    timeout: fields.proxyHeaderTimeout,
    peer: fields.proxyHeaderPeer,
  }
}

/** What the upstream was told of the answer number `at` that `client` got. */
async function told(client: RecordedSocket, at = 0): Promise<Readonly<Record<string, string>>> {
  const answers = (): readonly string[] => client.text.match(/<.*?>/g) ?? []
  await client.when(() => answers().length > at, 'an answer')
  return JSON.parse((answers()[at] ?? '').slice(1, -1))
}

for (const { title, engine, transport } of ENGINES_UNDER_TEST) {
  describe(`the PROXY protocol with ${title}`, function rows() {
    this.timeout(30_000)
    let upstream: Server
    let address: string
    let plane: Harness | undefined
    const clients: RecordedSocket[] = []

    before(async () => {
      upstream = createServer((request, response) => response.end(`<${JSON.stringify(request.headers)}>`))
      address = `127.0.0.1:${await listening(upstream)}`
    })

    after(() => {
      upstream.close()
      upstream.closeAllConnections()
    })

    afterEach(async () => {
      for (const { socket } of clients.splice(0)) socket.destroy()
      await plane?.stop()
    })

    async function start(
      expected: ProxyProtocolSettings = { from: LOCAL_PEERS, timeoutMs: 20_000 },
      engineSettings: HarnessOptions['engineSettings'] = {},
    ): Promise<Harness> {
      const workerEntry = new URL('../../src/dataplane/worker.ts', import.meta.url)
      plane = await startHarness({
        workers: 1,
        engine,
        transport,
        workerEntry,
        proxyProtocol: expected,
        http2: HTTP2,
        engineSettings,
      })
      await plane.plane.apply(pairOf({ 'web.example': [address] }))
      return plane
    }

    async function open(harness: Harness): Promise<RecordedSocket> {
      const client = await openClient(harness.port())
      clients.push(client)
      return client
    }

    for (const { version, header } of [
      { version: 1, header: proxyV1('198.51.100.7', 8443) },
      { version: 2, header: proxyV2({ source: [198, 51, 100, 7], destinationPort: 8443 }) },
    ]) {
      it(`takes client and port from a header of version ${version}, for every request (R20-49, R20-163)`, async () => {
        const harness = await start()
        const client = await open(harness)
        // Fused with the first request.
        client.write(Buffer.concat([header, Buffer.from(REQUEST)]))
        const want = {
          'x-forwarded-for': '198.51.100.7',
          'x-real-ip': '198.51.100.7',
          'x-forwarded-port': '8443',
        }
        expect(await told(client)).to.include(want)
        client.write(REQUEST)
        expect(await told(client, 1)).to.include(want)
        expect(failures(harness)).to.deep.equal(NONE)
        expect(harness.plane.totals().fields.activeConnections).to.equal(1)
      })
    }

    it('R20-6: hands a preface of HTTP/2 behind a header on, with what the header said', async () => {
      const harness = await start()
      const { socket } = await open(harness)
      const client = new RawHttp2Client(socket)
      const head: Fields = [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':authority', 'web.example'],
        [':path', '/'],
      ]
      client.send(Buffer.concat([proxyV1('198.51.100.7', 8443), PREFACE, settings(), headers(1, head)]))
      await client.when(() => client.hasEnded())
      const fields = JSON.parse(client.body().slice(1, -1))
      expect(fields).to.include({
        'x-real-ip': '198.51.100.7',
        'x-forwarded-port': '8443',
        'x-forwarded-proto': 'http',
      })
      expect(harness.plane.totals().fields).to.include({ dispatchH2: 1, dispatchH1: 0, activeConnections: 1 })
    })

    it('reads a header that comes byte by byte, and the request behind it', async () => {
      const client = await open(await start())
      for (const byte of proxyV1('198.51.100.8')) {
        client.write(Buffer.from([byte]))
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
      }
      client.write(REQUEST)
      expect(await told(client)).to.include({ 'x-real-ip': '198.51.100.8' })
    })

    it('answers two requests that came fused with the header', async () => {
      const client = await open(await start())
      client.write(Buffer.concat([proxyV1('198.51.100.7'), Buffer.from(REQUEST + REQUEST)]))
      expect(await told(client, 1)).to.include({ 'x-real-ip': '198.51.100.7' })
    })

    it('answers a request whose FIN came with the header', async () => {
      const client = await open(await start())
      client.write(Buffer.concat([proxyV1('198.51.100.7'), Buffer.from(REQUEST)])).end()
      expect(await told(client)).to.include({ 'x-real-ip': '198.51.100.7' })
      await client.untilEnd()
    })

    it('judges trust by the address of the header, and its port wins over --public-http-port', async () => {
      const harness = await start(undefined, { trustedProxies: ['198.51.100.0/24'], publicHttpPort: 80 })
      const client = await open(harness)
      const trail = REQUEST.replace('\r\n\r\n', '\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n')
      client.write(Buffer.concat([proxyV1('198.51.100.7', 8443), Buffer.from(trail)]))
      expect(await told(client)).to.include({
        'x-forwarded-for': '203.0.113.9, 198.51.100.7',
        'x-real-ip': '203.0.113.9',
        'x-forwarded-port': '8443',
      })
    })

    it('71 #237: closes on a header of a peer that may not send one', async () => {
      const harness = await start({ from: ['192.0.2.0/24'], timeoutMs: 20_000 })
      const client = await open(harness)
      client.write(Buffer.concat([proxyV1('198.51.100.7'), Buffer.from(REQUEST)]))
      expect(await client.untilEnd()).to.equal('')
      await until(() => failures(harness).peer === 1)
      expect(failures(harness)).to.deep.equal({ ...NONE, peer: 1 })
    })

    it('71 #238: closes when a request comes in place of the header', async () => {
      const harness = await start()
      const client = await open(harness)
      client.write(REQUEST)
      expect(await client.untilEnd()).to.equal('')
      expect(failures(harness)).to.deep.equal({ ...NONE, missing: 1 })
      // The metric counts, and the log says it once at warn.
      const second = await open(harness)
      second.write(REQUEST)
      await second.untilEnd()
      await until(() => harness.log.records.filter(({ message }) => message.includes('PROXY header')).length === 2)
      const lines = harness.log.records.filter(({ message }) => message.includes('PROXY header'))
      expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'debug'])
      expect(lines[0]?.fields).to.include({ reason: 'missing', peer: '127.0.0.1' })
    })

    it('71 #239: closes on fields that reach past the header, and takes no byte behind it for one', async () => {
      const harness = await start()
      const client = await open(harness)
      // Two bytes of a field that says it has 200, and the payload right behind it.
      client.write(Buffer.concat([proxyV2({ tlvs: Buffer.from([4, 0, 200, 1, 1]) }), Buffer.alloc(300, 'x')]))
      expect(await client.untilEnd()).to.equal('')
      expect(failures(harness)).to.deep.equal({ ...NONE, malformed: 1 })
    })

    for (const { name, header } of [
      { name: '71 #241: LOCAL of version 2', header: proxyV2({ command: 'LOCAL' }) },
      { name: 'UNKNOWN of version 1', header: Buffer.from('PROXY UNKNOWN\r\n') },
    ]) {
      it(`${name} keeps the socket's own addresses (R20-163)`, async () => {
        const harness = await start()
        const client = await open(harness)
        client.write(Buffer.concat([header, Buffer.from(REQUEST)]))
        expect(await told(client)).to.include({
          'x-real-ip': '127.0.0.1',
          'x-forwarded-port': String(harness.port()),
        })
      })
    }

    it('closes when the header does not come in time (R20-125)', async () => {
      const harness = await start({ from: undefined, timeoutMs: 50 })
      const client = await open(harness)
      client.write('PROXY TCP4')
      expect(await client.untilEnd()).to.equal('')
      expect(failures(harness)).to.deep.equal({ ...NONE, timeout: 1 })
    })

    it('counts a check that connects and closes, and gives its place back', async () => {
      const harness = await start()
      const client = await open(harness)
      await until(() => harness.plane.totals().fields.activeConnections === 1)
      client.socket.destroy()
      await until(() => failures(harness).missing === 1)
      await until(() => harness.plane.totals().fields.activeConnections === 0)
      const next = await open(harness)
      next.write(Buffer.concat([proxyV1('198.51.100.7'), Buffer.from(REQUEST)]))
      await told(next)
    })
  })
}
