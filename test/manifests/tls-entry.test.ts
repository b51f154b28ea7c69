import { expect } from 'chai'
import type { FileBackend, RouteFile } from '../../src/compiler/snapshot.ts'
import { formatFileFault } from '../../src/manifests/file-fault.ts'
import { parseRouteFile } from '../../src/manifests/route-file.ts'
import { pemFiles } from '../builders/pem-files.ts'
import { makeCertificate } from '../fakes/certificates.ts'

const AUTHORITY = makeCertificate(['ca.example'], { isAuthority: true })
const SHOP = makeCertificate(['shop.example'], { issuer: AUTHORITY })
const OTHER = makeCertificate(['other.example'])
const PEMS = pemFiles({ shop: SHOP, other: OTHER, ca: AUTHORITY })

function read(text: string): RouteFile | readonly string[] {
  const result = parseRouteFile('r.yaml', text, PEMS)
  return result.ok ? result.value.file : result.error.map((fault) => formatFileFault('r.yaml', fault))
}

function fileOf(text: string): RouteFile {
  const file = read(text)
  if ('name' in file) return file
  throw new Error(file.join('\n'))
}

function backendOf(fields: string): FileBackend | undefined {
  return fileOf(`backends:\n  - {name: web, endpoints: ["192.0.2.1:443"], ${fields}}\n`).backends[0]
}

function faultsOf(fields: string): RouteFile | readonly string[] {
  return read(`backends:\n  - {name: web, endpoints: ["192.0.2.1:443"], ${fields}}\n`)
}

describe('certificates of a file of routes (R21-36)', () => {
  it('are pairs of PEM files, each for a host', () => {
    const { tls } = fileOf('tls:\n  - {host: SHOP.example, cert: shop.pem, key: shop-key.pem}\n')
    expect(tls?.map(({ host }) => host)).to.deep.equal(['shop.example'])
    expect(tls?.[0]?.certificate).to.include({ chain: SHOP.cert, key: SHOP.key, keyType: 'ec' })
  })

  it('without host or with * are the default certificate', () => {
    for (const host of ['', 'host: "*", ']) {
      expect(fileOf(`tls:\n  - {${host}cert: shop.pem, key: shop-key.pem}\n`).tls?.[0]?.host).to.equal(undefined)
    }
  })

  for (const [fields, message] of [
    [
      'host: shop.example, cert: shop.pem, key: other-key.pem',
      'r.yaml:2: tls[0].cert: the certificate of shop.example, shop.pem with other-key.pem, has a key that does not belong to the certificate',
    ],
    [
      'cert: text.pem, key: shop-key.pem',
      'r.yaml:2: tls[0].cert: the default certificate, text.pem with shop-key.pem, has no certificate',
    ],
    ['cert: gone.pem, key: shop-key.pem', 'r.yaml:2: tls[0].cert: gone.pem cannot be read: ENOENT'],
    ['cert: shop.pem', 'r.yaml:2: tls[0].key: is missing'],
    ['host: a..b, cert: shop.pem, key: shop-key.pem', 'r.yaml:2: tls[0].host: a..b has an empty label'],
    ['secret: x, cert: shop.pem, key: shop-key.pem', 'r.yaml:2: tls[0].secret: unknown field'],
  ] as const) {
    it(`R20-176: tells file and host: ${message}`, () => {
      const told = read(`tls:\n  - {${fields}}\n`)
      expect(told).to.deep.equal([message])
      expect(JSON.stringify(told)).not.to.include('PRIVATE')
    })
  }
})

describe('what a file of routes says is spoken to a backend', () => {
  for (const [word, protocol] of [
    ['HTTP', undefined],
    ['https', 'https'],
    ['GRPC', 'h2c'],
    ['grpcs', 'h2'],
  ] as const) {
    it(`protocol ${word}`, () => expect(backendOf(`protocol: ${word}`)?.protocol).to.equal(protocol))
  }

  it('is dialled by TLS without verification where no tls says otherwise', () => {
    expect(backendOf('protocol: HTTPS')?.tls).to.include({ verify: false, sendsServerName: false })
    expect(backendOf('protocol: GRPC')?.tls).to.equal(undefined)
  })

  it('is verified by the authorities and the name that tls says, and shown the pair', () => {
    const fields = 'verify: true, serverName: Web.internal, ca: ca.pem, cert: shop.pem, key: shop-key.pem'
    expect(backendOf(`protocol: GRPCS, tls: {${fields}}`)?.tls).to.deep.include({
      verify: true,
      serverName: 'web.internal',
      sendsServerName: true,
      authorities: AUTHORITY.cert,
      clientPair: { chain: SHOP.cert, key: SHOP.key },
    })
  })

  for (const [fields, message] of [
    ['protocol: FCGI', 'r.yaml:2: backends[0].protocol: must be HTTP, HTTPS, GRPC, GRPCS'],
    ['tls: {}', 'r.yaml:2: backends[0].tls: needs protocol HTTPS or GRPCS'],
    ['protocol: GRPC, tls: {verify: true, serverName: a}', 'r.yaml:2: backends[0].tls: needs protocol HTTPS or GRPCS'],
    [
      'protocol: HTTPS, tls: {verify: true}',
      'r.yaml:2: backends[0].tls.serverName: is missing: without it nobody knows which name to verify',
    ],
    ['protocol: HTTPS, tls: {verify: yes}', 'r.yaml:2: backends[0].tls.verify: must be true or false'],
    ['protocol: HTTPS, tls: {serverName: "*.a"}', 'r.yaml:2: backends[0].tls.serverName: must be one name'],
    ['protocol: HTTPS, tls: {ca: text.pem}', 'r.yaml:2: backends[0].tls.ca: text.pem has no certificate'],
    ['protocol: HTTPS, tls: {ca: gone.pem}', 'r.yaml:2: backends[0].tls.ca: gone.pem cannot be read: ENOENT'],
    ['protocol: HTTPS, tls: {key: shop-key.pem}', 'r.yaml:2: backends[0].tls.cert: is missing'],
    [
      'protocol: HTTPS, tls: {cert: shop.pem, key: other-key.pem}',
      'r.yaml:2: backends[0].tls.cert: shop.pem with other-key.pem has a key that does not belong to the certificate',
    ],
  ] as const) {
    it(`R20-178: tells ${message}`, () => expect(faultsOf(fields)).to.deep.equal([message]))
  }
})
