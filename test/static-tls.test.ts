// TLS of static mode in the whole program: certificates and backends of a routes file (R21-36, R20-20, R20-176).
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { type KeyPair, makeCertificate } from './fakes/certificates.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const AUTHORITY = makeCertificate(['ca.example'], { isAuthority: true })

interface Served {
  /** Of the certificate that was shown. */
  readonly fingerprint: string
  readonly answer: string
}

/** One request by TLS that names `host`. */
function ask(https: string, host: string): Promise<Served> {
  const [address = '', port = ''] = https.split(':')
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: Number(port), servername: host, rejectUnauthorized: false }, () => {
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    })
    let answer = ''
    let fingerprint = ''
    socket.once('secureConnect', () => {
      fingerprint = socket.getPeerX509Certificate()?.fingerprint256 ?? ''
    })
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk
    })
    socket.once('end', () => resolve({ fingerprint, answer }))
    socket.once('error', reject)
  })
}

function fingerprintOf({ cert }: KeyPair): string {
  return new X509Certificate(cert).fingerprint256
}

/** A file whose one backend is dialled by TLS, with a certificate for one host and one for the rest. */
function file(tls = '{verify: true, serverName: web.internal, ca: ca.pem}'): readonly string[] {
  return [
    'backends:',
    `  - {name: web, protocol: HTTPS, tls: ${tls}, endpoints: ["127.0.0.1:PORT"]}`,
    'routes:',
    '  - {path: /, backend: web}',
    'tls:',
    '  - {host: shop.example, cert: shop.pem, key: shop-key.pem}',
    '  - {cert: rest.pem, key: rest-key.pem}',
  ]
}

describe('TLS of a routes file', function () {
  this.timeout(60_000)
  let dir = ''
  let upstream: Server
  let ramjet: RamjetProcess | undefined

  before(async () => {
    const { cert, key } = makeCertificate(['web.internal'], { issuer: AUTHORITY })
    upstream = createServer({ cert, key }, ({ socket }, response) => {
      response.end(`upstream, ${socket instanceof TLSSocket ? 'by TLS' : 'in plaintext'}`)
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
  })

  after(() => {
    upstream.close()
    upstream.closeAllConnections()
  })

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-static-tls-'))
  })

  afterEach(async () => {
    await ramjet?.kill()
    ramjet = undefined
    await rm(dir, { recursive: true })
  })

  async function writePair(name: string, { cert, key }: KeyPair): Promise<void> {
    await Promise.all([writeFile(join(dir, `${name}.pem`), cert), writeFile(join(dir, `${name}-key.pem`), key)])
  }

  /** As a whole: a look at it never finds a part. */
  async function replace(name: string, content: string): Promise<void> {
    await writeFile(join(dir, 'next'), content)
    await rename(join(dir, 'next'), join(dir, name))
  }

  /** Starts a process with this file; where it serves TLS. */
  async function serve(lines: readonly string[]): Promise<string> {
    const { port } = upstream.address() as AddressInfo
    await writeFile(join(dir, 'ca.pem'), AUTHORITY.cert)
    await writeFile(join(dir, 'routes.yaml'), lines.join('\n').replaceAll('PORT', String(port)))
    const places = ['--http', '127.0.0.1:0', '--https', '127.0.0.1:0', '--no-admin', '--workers', '1']
    ramjet = new RamjetProcess(['--static-routes', join(dir, 'routes.yaml'), ...places])
    const { https } = await ramjet.logged('ramjet')
    return Array.isArray(https) ? String(https[0]) : String(https)
  }

  it('R21-36: shows a host its certificate, all others the default one, and dials backends by TLS', async () => {
    const [shop, rest] = [makeCertificate(['shop.example']), makeCertificate(['rest.example'])]
    await writePair('shop', shop)
    await writePair('rest', rest)
    const https = await serve(file())
    const [first, other] = [await ask(https, 'shop.example'), await ask(https, 'other.example')]
    expect([first.fingerprint, other.fingerprint]).to.deep.equal([fingerprintOf(shop), fingerprintOf(rest)])
    expect(first.answer).to.match(/^HTTP\/1\.1 200 OK\r\n[\s\S]*upstream, by TLS$/)
  })

  it('R21-32: a backend that is not who it must be is answered 502', async () => {
    await writePair('shop', makeCertificate(['shop.example']))
    await writePair('rest', makeCertificate(['rest.example']))
    const https = await serve(file('{verify: true, serverName: other.internal, ca: ca.pem}'))
    expect((await ask(https, 'shop.example')).answer).to.match(/^HTTP\/1\.1 502 /)
  })

  it('R20-176: a PEM file that changes is shown within 2 s; a bad pair is told, and the last good one serves', async () => {
    const [before, after] = [makeCertificate(['shop.example']), makeCertificate(['shop.example'])]
    await writePair('shop', before)
    await writePair('rest', makeCertificate(['rest.example']))
    const https = await serve(file())
    await replace('shop.pem', after.cert)
    const { fault } = (await ramjet?.logged('routes file refused; the last good one serves on')) ?? {}
    expect(fault).to.include('tls[0].cert: the certificate of shop.example, shop.pem with shop-key.pem')
    expect((await ask(https, 'shop.example')).fingerprint).to.equal(fingerprintOf(before))
    await replace('shop-key.pem', after.key)
    await ramjet?.logged('routes file changed')
    let shown = ''
    while (shown !== fingerprintOf(after)) shown = (await ask(https, 'shop.example')).fingerprint
    expect(ramjet?.stderr).not.to.include('PRIVATE KEY')
  })

  it('R20-176: a bad pair at start ends it with 1, naming file and host', async () => {
    await writePair('shop', { ...makeCertificate(['shop.example']), key: AUTHORITY.key })
    await writePair('rest', makeCertificate(['rest.example']))
    await serve(file()).catch(() => undefined)
    expect(await ramjet?.ended).to.equal(1)
    expect(ramjet?.stderr).to.include('tls[0].cert: the certificate of shop.example')
  })
})
