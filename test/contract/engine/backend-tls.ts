import { createServer } from 'node:net'
import { createServer as createSecureServer, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { UpstreamTls } from '../../../src/model/upstream-tls.ts'
import { expire, type KeyPair, makeCertificate } from '../../fakes/certificates.ts'
import { listening } from '../../fakes/listening.ts'
import type { OriginOptions } from '../../fakes/protocol-origin.ts'
import type { StartBench } from '../engine.ts'
import { lineOf, request } from './bench.ts'
import { identity, ORIGIN_NAME, protocolSetup } from './protocol-bench.ts'

/** Certificates beside those of the setup, made once. */
interface Made {
  readonly other: KeyPair
  readonly expired: KeyPair
  readonly client: KeyPair
  readonly root: KeyPair
  /** Its chain has one certificate between it and `root`. */
  readonly deep: KeyPair
}

interface Case {
  readonly title: string
  readonly tls: (made: Made, pair: KeyPair) => UpstreamTls
  readonly origin?: (made: Made, pair: KeyPair) => OriginOptions
  readonly isGood: boolean
  /** It fails behind the handshake, as far as we can see. */
  readonly isLate?: true
}

const CASES: readonly Case[] = [
  { title: 'the right authority and name are good', tls: (_made, pair) => identity(pair), isGood: true },
  { title: 'another authority is not', tls: ({ other }) => identity(other), isGood: false },
  {
    title: 'R70-40: another name is not',
    tls: (_made, pair) => identity(pair, { serverName: 'web.shop' }),
    isGood: false,
  },
  {
    title: 'R70-40: an address is another name',
    tls: (_made, pair) => identity(pair, { serverName: '127.0.0.1' }),
    isGood: false,
  },
  {
    title: 'R21-32: no name at all is nobody',
    tls(_made, pair) {
      const { serverName: _, ...nameless } = identity(pair, { sendsServerName: false })
      return nameless
    },
    isGood: false,
  },
  {
    title: 'a certificate that is over is not',
    tls: ({ expired }) => identity(expired),
    origin: ({ expired }) => ({ pair: expired }),
    isGood: false,
  },
  {
    title: 'R21-31: whatever comes is good where nothing is verified',
    tls: ({ other }) => identity(other, { verify: false, serverName: 'nobody.example' }),
    origin: ({ expired }) => ({ pair: expired }),
    isGood: true,
  },
  {
    title: 'authorities that are no PEM are an identity that cannot be used',
    tls: (_made, pair) => identity(pair, { authorities: 'no certificate' }),
    isGood: false,
  },
  {
    title: 'ciphers that OpenSSL does not know are, too',
    tls: (_made, pair) => identity(pair, { ciphers: 'NOTHING' }),
    isGood: false,
  },
  {
    title: 'a version above what the upstream speaks is not reached',
    tls: (_made, pair) => identity(pair, { minVersion: '1.3' }),
    origin: () => ({ options: { maxVersion: 'TLSv1.2' } }),
    isGood: false,
  },
  {
    title: 'a version that both speak is',
    tls: (_made, pair) => identity(pair, { maxVersion: '1.2' }),
    origin: () => ({ options: { maxVersion: 'TLSv1.2' } }),
    isGood: true,
  },
  {
    title: 'R21-31: the client pair is shown to who demands one',
    tls: ({ client }, pair) => identity(pair, { clientPair: { chain: client.cert, key: client.key } }),
    origin: ({ client }) => ({ options: { requestCert: true, ca: client.cert } }),
    isGood: true,
  },
  {
    title: 'without it the request fails',
    tls: (_made, pair) => identity(pair),
    origin: ({ client }) => ({ options: { requestCert: true, ca: client.cert } }),
    isGood: false,
    isLate: true,
  },
  {
    title: 'R21-39: a chain as long as the depth is good',
    tls: ({ root }) => identity(root, { maxDepth: 1 }),
    origin: ({ deep }) => ({ pair: deep }),
    isGood: true,
  },
  {
    title: 'R21-39: a longer one is not',
    tls: ({ root }) => identity(root, { maxDepth: 0 }),
    origin: ({ deep }) => ({ pair: deep }),
    isGood: false,
  },
]

/** TLS towards backends: R21-31 to R21-35, R70-40, R70-72. */
export function backendTlsCases(start: StartBench): void {
  const setup = protocolSetup(start)
  let made: Made

  before(() => {
    const root = makeCertificate(['root.example'], { isAuthority: true })
    const middle = makeCertificate(['middle.example'], { isAuthority: true, issuer: root })
    const leaf = makeCertificate([ORIGIN_NAME], { issuer: middle })
    made = {
      other: makeCertificate([ORIGIN_NAME]),
      expired: expire(makeCertificate([ORIGIN_NAME])),
      client: makeCertificate(['client.example']),
      root,
      deep: { cert: leaf.cert + middle.cert, key: leaf.key },
    }
  })

  it('R70-56: a kept connection that delivers bytes is closed', async () => {
    const { bench, origin } = await setup.start('https')
    const secured = new Promise<TLSSocket>((resolve) => origin.server.once('secureConnection', resolve))
    const client = await bench.get('/')
    await client.until('ok')
    const socket = await secured
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await bench.when(() => origin.sockets[0]?.destroyed === true)
    client.write(request('GET', '/'))
    await client.when(() => client.text.split('ok').length === 3, 'the second answer')
    expect(client.text).to.not.contain('evil')
    expect(origin.sockets).to.have.length(2)
  })

  it('R22-16: a peer that refuses HTTP/2 in its handshake is 502', async () => {
    const older = createSecureServer({ ...setup.pair, ALPNProtocols: ['http/1.1'] })
    older.on('tlsClientError', () => undefined)
    const address = `127.0.0.1:${await listening(older)}`
    try {
      const { bench } = await setup.start('h2', { endpoints: [address] })
      expect(lineOf(await (await bench.get('/')).until('\n502'))).to.equal('HTTP/1.1 502 Bad Gateway')
      expect(bench.counters.process('connectTls')).to.equal(1)
    } finally {
      older.close()
    }
  })

  for (const protocol of ['https', 'h2'] as const) {
    describe(protocol, () => {
      for (const { title, tls, origin, isGood, isLate } of CASES) {
        it(title, async () => {
          const started = await setup.start(
            protocol,
            { backend: { tls: tls(made, setup.pair) } },
            origin?.(made, setup.pair),
          )
          const { bench } = started
          let asked = 0
          started.origin.handler = (_incoming, response) => {
            asked += 1
            response.end('ok')
          }
          const text = await (await bench.get('/')).until(isGood ? 'ok' : '\n502')
          expect(lineOf(text)).to.equal(isGood ? 'HTTP/1.1 200 OK' : 'HTTP/1.1 502 Bad Gateway')
          expect(asked).to.equal(isGood ? 1 : 0)
          if (isLate !== true) expect(bench.counters.process('connectTls')).to.equal(isGood ? 0 : 1)
          await bench.when(() => bench.counters.inFlight(1) === 0)
        })
      }

      it('R21-34: the next endpoint is asked first, with the whole request', async () => {
        const good = await setup.origin(protocol)
        const bad = await setup.origin(protocol, { pair: made.other })
        const { bench } = await setup.start(protocol, { endpoints: [bad.address, good.address] })
        good.handler = (incoming, response) => void incoming.resume().on('end', () => response.end('ok'))
        await (await bench.send(request('POST', '/', ['Content-Length: 3'], 'abc'))).until('ok')
        expect(bench.counters.process('connectTls')).to.equal(1)
        expect(bench.counters.process('retriesConnect')).to.equal(1)
      })

      it('R21-31: the server name is sent where it is asked for, and nowhere else', async () => {
        const names: unknown[] = []
        for (const sendsServerName of [true, false]) {
          const tls = identity(setup.pair, { sendsServerName })
          const { bench, origin } = await setup.start(protocol, { backend: { tls } })
          origin.server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername))
          await (await bench.get('/')).until('ok')
        }
        expect(names).to.deep.equal([ORIGIN_NAME, false])
      })

      it('R21-32: an upstream in plaintext is never spoken to', async () => {
        const heard: Buffer[] = []
        const plain = createServer((socket) => {
          socket.on('error', () => undefined)
          socket.on('data', (bytes: Buffer) => {
            heard.push(bytes)
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno')
          })
        })
        const address = `127.0.0.1:${await listening(plain)}`
        try {
          const { bench } = await setup.start(protocol, { endpoints: [address] })
          const text = await (await bench.get('/secret')).until('\n502')
          expect(lineOf(text)).to.equal('HTTP/1.1 502 Bad Gateway')
          expect(bench.counters.process('connectTls')).to.equal(1)
          expect(Buffer.concat(heard).toString('latin1')).to.not.contain('/secret')
        } finally {
          plain.close()
        }
      })

      it('R20-108: the connect timeout covers the handshake', async () => {
        const silent = createServer((socket) => void socket.on('error', () => undefined))
        const address = `127.0.0.1:${await listening(silent)}`
        try {
          const { bench } = await setup.start(protocol, { endpoints: [address], settings: { connectTimeoutMs: 100 } })
          expect(lineOf(await (await bench.get('/')).until('\n504'))).to.equal('HTTP/1.1 504 Gateway Timeout')
          expect(bench.counters.process('connectTimeout')).to.equal(1)
        } finally {
          silent.close()
        }
      })

      it('R21-35: another identity gets connections of its own, and those of the old one end', async () => {
        const { bench, origin } = await setup.start(protocol)
        const client = await bench.get('/')
        await client.until('ok')
        expect(origin.sockets).to.have.length(1)
        bench.assign([origin.address], { protocol, tls: identity(setup.pair, { ciphers: 'HIGH' }) })
        await bench.when(() => origin.sockets[0]?.destroyed === true)
        client.write(request('GET', '/'))
        await client.when(() => client.text.split('ok').length === 3, 'the second answer')
        expect(origin.sockets).to.have.length(2)
      })

      it('R00-13: the same identity keeps its connections over a publish', async () => {
        const { bench, origin } = await setup.start(protocol)
        const client = await bench.get('/')
        await client.until('ok')
        bench.assign([origin.address], { protocol, tls: identity(setup.pair) })
        client.write(request('GET', '/'))
        await client.when(() => client.text.split('ok').length === 3, 'the second answer')
        expect(origin.sockets).to.have.length(1)
      })

      it('R21-35: a request under the old identity ends before its connection does', async () => {
        const { bench, origin } = await setup.start(protocol)
        const end = new Promise<() => void>((resolve) => {
          origin.handler = (_incoming, response) => {
            response.setHeader('content-length', 4)
            if ('stream' in response) response.write('be')
            else response.write('be')
            resolve(() => void response.end('un'))
          }
        })
        const client = await bench.get('/')
        await client.until('be')
        bench.assign([origin.address], { protocol, tls: identity(made.other, { ciphers: 'HIGH' }) })
        const finish = await end
        finish()
        await client.until('un')
        await bench.when(() => origin.sockets[0]?.destroyed === true)
      })
    })
  }
}
