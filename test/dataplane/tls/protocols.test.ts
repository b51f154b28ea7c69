// What a handshake agrees on: versions, suites, ALPN; and what it never does (R21-20, R21-21, R21-7).
import { execFile } from 'node:child_process'
import { connect as connectHttp2 } from 'node:http2'
import type { ConnectionOptions } from 'node:tls'
import { expect } from 'chai'
import type { ConnectionOrigin } from '../../../src/dataplane/engine.ts'
import { pairFor } from '../../builders/secure-names.ts'
import { eventually } from '../../fakes/clock.ts'
import { TlsBench, type TlsBenchOptions } from './tls-bench.ts'

const NAMES = {
  'shop.example': { pairs: [pairFor('shop.example')] },
  'rsa.example': { pairs: [pairFor('rsa.example', 'rsa')] },
}
const SHOP = { servername: 'shop.example' }
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('a TLS handshake', () => {
  let bench: TlsBench

  afterEach(() => bench.stop())

  async function start(options: Partial<TlsBenchOptions> = {}): Promise<void> {
    bench = await TlsBench.start({ names: NAMES, ...options })
  }

  /** What it agreed on, or the code of its error. */
  async function agreed(options: ConnectionOptions): Promise<string> {
    try {
      const socket = await bench.connect({ ...SHOP, ...options })
      return `${socket.getProtocol()} ${socket.getCipher().name}`
    } catch (thrown) {
      return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    }
  }

  it('speaks TLS 1.2 and 1.3', async () => {
    await start()
    expect(await agreed({})).to.match(/^TLSv1\.3 TLS_/)
    expect(await agreed({ maxVersion: 'TLSv1.2' })).to.match(/^TLSv1\.2 ECDHE-ECDSA-/)
  })

  it('speaks TLS 1.3 alone where that is the least (R21-20)', async () => {
    await start({ tls: { minVersion: '1.3' } })
    expect(await agreed({})).to.match(/^TLSv1\.3 TLS_/)
    expect(await agreed({ maxVersion: 'TLSv1.2' })).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    expect(bench.counters.process('tlsProtocol')).to.equal(1)
  })

  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    it(`71 #234: refuses ${version}`, async () => {
      await start()
      const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
      expect(await agreed(old)).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    })
  }

  for (const ciphers of ['AES128-SHA', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384', 'AES256-GCM-SHA384']) {
    it(`71 #234: refuses ${ciphers}, which is no suite of today`, async () => {
      await start()
      const weak = { servername: 'rsa.example', maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` } as const
      expect(await agreed(weak)).to.match(/HANDSHAKE_FAILURE/)
    })
  }

  it('71 #234: refuses a renegotiation by the client', async () => {
    await start()
    bench.upstream.answer(OK)
    const output = await openssl(['-tls1_2', '-legacy_renegotiation'], 'R\n')
    expect(output).to.match(/no renegotiation|unexpected message|handshake failure/i)
    // One more client is served as if nothing had been.
    expect(await agreed({})).to.match(/^TLSv1\.3/)
  })

  it('71 #235: offers no early data', async () => {
    await start()
    expect(await openssl(['-tls1_3'], '')).to.match(/Max Early Data: 0|Early data was not sent/)
  })

  it('compresses nothing', async () => {
    await start()
    expect(await openssl(['-tls1_2', '-comp'], '')).to.match(/Compression: NONE/)
  })

  for (const [title, protocols, want] of [
    ['no ALPN', undefined, false],
    ['http/1.1', ['http/1.1'], 'http/1.1'],
    ['h2 and http/1.1', ['h2', 'http/1.1'], 'http/1.1'],
  ] as const) {
    it(`71 #233: serves HTTP/1.1 to a client that offers ${title} where HTTP/2 is not (R21-21)`, async () => {
      await start()
      bench.upstream.answer(OK)
      const client = await bench.connect({ ...SHOP, ...(protocols && { ALPNProtocols: [...protocols] }) })
      expect(client.alpnProtocol).to.equal(want)
      client.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n')
      const chunk: unknown = await new Promise((resolve) => client.once('data', resolve))
      expect(String(chunk)).to.match(/^HTTP\/1\.1 200 OK/)
    })
  }

  for (const protocols of [['bogus'], ['h2'], ['http/1.0', 'spdy/3']]) {
    it(`71 #233: ends by no_application_protocol where a client offers ${protocols.join()} alone`, async () => {
      await start()
      expect(await agreed({ ALPNProtocols: protocols })).to.equal('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
      expect(bench.counters.process('tlsNoProtocol')).to.equal(1)
    })
  }

  it('R21-21: serves HTTP/2 to a client that offers it, and closes on HTTP/1.1 behind it (71 #233)', async () => {
    await start({ servesHttp2: true })
    bench.upstream.answer(OK)
    const session = connectHttp2(`https://127.0.0.1:${bench.port}`, { ...SHOP, rejectUnauthorized: false })
    const status: unknown = await new Promise((resolve, reject) => {
      session.once('error', reject)
      session.request({ ':authority': 'shop.example' }).once('response', (fields) => resolve(fields[':status']))
    })
    session.destroy()
    expect(status).to.equal(200)
    expect(bench.upstream.text).to.include('X-Forwarded-Proto: https\r\n')
    const client = await bench.client({ ...SHOP, ALPNProtocols: ['h2'] })
    await client.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n').untilEnd()
    expect(client.text).to.not.include('HTTP/1.1')
  })

  it('R21-21: hands a client that chose h2 to who serves it, with what it asked for', async () => {
    const origins: ConnectionOrigin[] = []
    const accept: TlsBenchOptions['h2'] = {
      accept(socket, origin) {
        origins.push(origin)
        socket.end('served')
      },
    }
    await start({ h2: accept })
    const client = await bench.client({ servername: 'SHOP.example', ALPNProtocols: ['http/1.1', 'h2'] })
    expect(await client.untilEnd()).to.equal('served')
    const [origin] = origins
    expect(origin?.secure?.serverName).to.equal('shop.example')
    expect(origin?.secure?.policyDigest).to.match(/^[0-9a-f]{32}$/)
    expect(origin?.localPort).to.equal(bench.port)
  })

  it('R21-38: goes by an order of its own, unless the host leaves it to clients', async () => {
    const policy = { preferServerCiphers: false }
    await start({ names: { ...NAMES, 'free.example': { pairs: [pairFor('free.example')], policy } } })
    const ciphers = 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256'
    const old = { maxVersion: 'TLSv1.2', ciphers } as const
    expect(await agreed(old)).to.equal('TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256')
    expect(await agreed({ ...old, servername: 'free.example' })).to.equal('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384')
  })

  it('R21-3: holds the host to its own suites and their order, and others to theirs', async () => {
    const own = { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384' }
    await start({ names: { ...NAMES, 'own.example': { pairs: [pairFor('own.example')], policy: own } } })
    const old = {
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305',
    } as const
    expect(await agreed({ ...old, servername: 'own.example' })).to.equal('TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305')
    expect(await agreed(old)).to.equal('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384')
    const other = { ...old, servername: 'own.example', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }
    expect(await agreed(other)).to.match(/HANDSHAKE_FAILURE/)
  })

  it('R21-4, R70-71: a certificate that cannot be had ends its handshake, is counted, and nothing else', async () => {
    const broken = { cert: 'no PEM', key: 'no PEM' }
    await start({ names: { ...NAMES, 'broken.example': { pairs: [broken] } } })
    expect(await agreed({ servername: 'broken.example' })).to.equal('ECONNRESET')
    expect(bench.counters.process('tlsCallback')).to.equal(1)
    bench.assign({ ...NAMES, '': { pairs: [broken] } })
    expect(await agreed({ servername: '' })).to.equal('ECONNRESET')
    expect(bench.counters.process('tlsCallback')).to.equal(2)
    expect(await agreed({})).to.match(/^TLSv1\.3/)
  })

  it('R70-70: outlives whatever a client sends in place of a handshake', async () => {
    await start()
    const hello = Buffer.from('160301000401000000', 'hex')
    for (const bytes of [
      hello,
      Buffer.from('1603010005010000010a', 'hex'),
      Buffer.concat([Buffer.from('160301', 'hex'), Buffer.alloc(20_000)]),
    ]) {
      const client = await bench.raw()
      client.write(bytes)
      await client.untilEnd()
    }
    await eventually(() => bench.counters.process('tlsProtocol') === 3)
    expect(await agreed({})).to.match(/^TLSv1\.3/)
  })

  function openssl(flags: readonly string[], input: string): Promise<string> {
    return new Promise((resolve) => {
      const place = ['s_client', '-connect', `127.0.0.1:${bench.port}`, '-servername', 'shop.example']
      const child = execFile('openssl', [...place, ...flags], { timeout: 8000 }, (_error, stdout, stderr) => {
        resolve(stdout + stderr)
      })
      if (input === '') child.stdin?.end()
      else child.stdin?.write(input)
    })
  }
})
