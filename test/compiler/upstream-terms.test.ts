import { expect } from 'chai'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { Backend } from '../../src/model/route-table.ts'
import type { UpstreamTls } from '../../src/model/upstream-tls.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { secret } from '../builders/secret.ts'
import { service, withSpec } from '../builders/service.ts'
import { type ClusterContents, SETTINGS } from '../builders/snapshot.ts'
import { makeCertificate } from '../fakes/certificates.ts'
import { ask, told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const CLOSED = '503 access-rule'
const AUTHORITY = makeCertificate(['ca.example'], { isAuthority: true })
const CLIENT = makeCertificate(['client.example'], { issuer: AUTHORITY })
const STRANGER = makeCertificate(['stranger.example'])

type Keys = Readonly<Record<string, string>>

function shop(keys: Keys, name = 'a'): IngressBuilder {
  const one = ingress(`shop/${name}`).host(`${name}.example`).path('/', 'web:80')
  for (const [key, value] of Object.entries(keys)) one.annotate(NGINX + key, value)
  return one
}

function compiled(keys: Keys, contents: ClusterContents = {}): CompileResult {
  return compileCluster({ ...contents, ingresses: [shop(keys)] }, { allowExternalName: true })
}

function backendOf({ tables }: CompileResult): Backend | undefined {
  return tables.routes.backends.get('shop/web:80')
}

function tlsOf(keys: Keys, contents: ClusterContents = {}): Partial<UpstreamTls> | undefined {
  const { digest: _, ...tls } = backendOf(compiled(keys, contents))?.tls ?? { digest: '' }
  return tls
}

function reasons({ warnings }: CompileResult): readonly string[] {
  return told(warnings).map((line) => line.replace(NGINX, ''))
}

function withApp(appProtocol: string, keys: Keys = {}): Backend | undefined {
  const services = [withSpec(service('shop/web'), { ports: [{ name: 'http', port: 80, appProtocol }] })]
  return backendOf(compiled(keys, { services }))
}

describe('what is spoken to a Service port', () => {
  const spoken: readonly (readonly [value: string, protocol: string | undefined, reasons: readonly string[]])[] = [
    ['HTTP', undefined, []],
    ['http', undefined, []],
    ['HTTPS', 'https', ['UpstreamNotVerified Ingress shop/a proxy-ssl-verify']],
    ['https', 'https', ['UpstreamNotVerified Ingress shop/a proxy-ssl-verify']],
    ['GRPC', 'h2c', []],
    [' gRPC ', 'h2c', []],
    ['GRPCS', 'h2', ['UpstreamNotVerified Ingress shop/a proxy-ssl-verify']],
    ['AUTO_HTTP', undefined, ['UnsupportedBackendProtocol Ingress shop/a backend-protocol']],
    ['fcgi', undefined, ['UnsupportedBackendProtocol Ingress shop/a backend-protocol']],
    ['TCP', undefined, ['InvalidAnnotation Ingress shop/a backend-protocol']],
    ['HTTP,HTTPS', undefined, ['InvalidAnnotation Ingress shop/a backend-protocol']],
  ]
  for (const [value, protocol, expected] of spoken) {
    it(`R11-29, R11-37, R22-16, R22-23: ${JSON.stringify(value)} is ${protocol ?? 'HTTP/1.1 in plaintext'}`, () => {
      const result = compiled({ 'backend-protocol': value })
      expect(backendOf(result)?.protocol).to.equal(protocol)
      expect(reasons(result)).to.deep.equal(expected)
      expect(ask(result.tables.routes, 'a.example/')).to.equal('shop/web:80')
    })
  }

  it('R22-22: of two protocols the older one is spoken, and the other is told', () => {
    const ingresses = [
      shop({ 'backend-protocol': 'GRPC' }, 'young').age(9),
      shop({ 'backend-protocol': 'https' }, 'old').age(1),
      shop({ 'backend-protocol': 'HTTPS' }, 'like').age(5),
      shop({}, 'silent').age(0),
    ]
    const result = compileCluster({ ingresses })
    expect(backendOf(result)?.protocol).to.equal('https')
    expect(reasons(result)).to.deep.equal([
      'UpstreamNotVerified Ingress shop/old proxy-ssl-verify',
      'BackendProtocolConflict Ingress shop/young backend-protocol',
    ])
    expect(result.warnings[1]?.message).to.include('shop/old')
  })

  it('R22-22: a word that stays HTTP holds the port as HTTP does', () => {
    const ingresses = [
      shop({ 'backend-protocol': 'AUTO_HTTP' }, 'old').age(1),
      shop({ 'backend-protocol': 'HTTP' }, 'like').age(2),
      shop({ 'backend-protocol': 'GRPC' }, 'young').age(3),
    ]
    const result = compileCluster({ ingresses })
    expect(backendOf(result)?.protocol).to.equal(undefined)
    expect(reasons(result)).to.deep.equal([
      'UnsupportedBackendProtocol Ingress shop/old backend-protocol',
      'BackendProtocolConflict Ingress shop/young backend-protocol',
    ])
  })
})

describe('the appProtocol of a Service port (R22-16)', () => {
  for (const [word, protocol] of [
    ['kubernetes.io/h2c', 'h2c'],
    ['kubernetes.io/ws', undefined],
    ['kubernetes.io/wss', undefined],
    ['https', undefined],
    ['constructor', undefined],
  ] as const) {
    it(`${word} is ${protocol ?? 'HTTP/1.1 in plaintext'} where no annotation speaks`, () => {
      expect(withApp(word)?.protocol).to.equal(protocol)
      expect(withApp(word, { 'load-balance': 'ewma' })?.protocol).to.equal(protocol)
    })
  }

  it('is weaker than an annotation', () => {
    expect(withApp('kubernetes.io/h2c', { 'backend-protocol': 'HTTP' })?.protocol).to.equal(undefined)
    expect(withApp('kubernetes.io/h2c', { 'backend-protocol': 'HTTPS' })?.protocol).to.equal('https')
  })

  it('that is edited acts at once, whether anything else is said of the port or not', () => {
    const [plain, h2c] = ['', 'kubernetes.io/h2c'].map((appProtocol) =>
      withSpec(service('shop/web'), { ports: [{ name: 'http', port: 80, ...(appProtocol ? { appProtocol } : {}) }] }),
    )
    for (const keys of [{}, { 'load-balance': 'ewma' }]) {
      const ingresses = [shop(keys)]
      const before = compile(clusterOf({ ingresses, services: plain ? [plain] : [] }), SETTINGS, emptyMemo())
      const after = compile(clusterOf({ ingresses, services: h2c ? [h2c] : [] }), SETTINGS, before.memo)
      expect([backendOf(before)?.protocol, backendOf(after)?.protocol]).to.deep.equal([undefined, 'h2c'])
    }
  })
})

describe('the TLS of a Service port', () => {
  const secrets = [
    secret('shop/all', { 'ca.crt': AUTHORITY.cert, 'tls.crt': CLIENT.cert, 'tls.key': CLIENT.key }),
    secret('shop/ca', { 'ca.crt': AUTHORITY.cert }),
    secret('shop/pair', { 'tls.crt': CLIENT.cert, 'tls.key': CLIENT.key }, 'kubernetes.io/tls'),
    secret('shop/empty', {}),
    secret('shop/no-pem', { 'ca.crt': 'none' }),
    secret('shop/half', { 'ca.crt': AUTHORITY.cert, 'tls.crt': CLIENT.cert }),
    secret('shop/mixed', { 'ca.crt': AUTHORITY.cert, 'tls.crt': CLIENT.cert, 'tls.key': STRANGER.key }),
    secret('bank/ca', { 'ca.crt': AUTHORITY.cert }),
  ]
  const HTTPS = { 'backend-protocol': 'HTTPS' }
  const VERIFIED = { ...HTTPS, 'proxy-ssl-secret': 'ca', 'proxy-ssl-verify': 'on' }

  it('R21-31: verifies nothing, names nobody and shows nothing where nothing is said', () => {
    expect(tlsOf(HTTPS)).to.deep.equal({ verify: false, sendsServerName: false, maxDepth: 1 })
  })

  it('R21-31: is all that the family says', () => {
    const keys = {
      ...VERIFIED,
      'proxy-ssl-secret': 'shop/all',
      'proxy-ssl-name': 'Web.Internal',
      'proxy-ssl-server-name': 'on',
      'proxy-ssl-verify-depth': '3',
      'proxy-ssl-protocols': 'TLSv1.3',
      'proxy-ssl-ciphers': 'HIGH',
    }
    const result = compiled(keys, { secrets })
    expect(reasons(result)).to.deep.equal([])
    expect(tlsOf(keys, { secrets })).to.deep.equal({
      verify: true,
      serverName: 'web.internal',
      sendsServerName: true,
      maxDepth: 3,
      authorities: AUTHORITY.cert,
      clientPair: { chain: CLIENT.cert, key: CLIENT.key },
      minVersion: '1.3',
      maxVersion: '1.3',
      ciphers: 'HIGH',
    })
  })

  it('names the Service as the cluster knows it, and an ExternalName by its own name', () => {
    expect(tlsOf(VERIFIED, { secrets })?.serverName).to.equal('web.shop.svc')
    const services = [withSpec(service('shop/web', 'http=80'), { type: 'ExternalName', externalName: 'db.example' })]
    expect(tlsOf(VERIFIED, { secrets, services })?.serverName).to.equal('db.example')
  })

  for (const [words, range] of [
    ['TLSv1.2', { minVersion: '1.2', maxVersion: '1.2' }],
    ['TLSv1.2 TLSv1.3', { minVersion: '1.2', maxVersion: '1.3' }],
    ['TLSv1.3', { minVersion: '1.3', maxVersion: '1.3' }],
  ] as const) {
    it(`R11-123: ${words}`, () => {
      expect(tlsOf({ ...VERIFIED, 'proxy-ssl-protocols': words }, { secrets })).to.include(range)
    })
  }

  it('R21-33: whatever differs makes another identity, the material included', () => {
    const variants: readonly Keys[] = [
      HTTPS,
      { ...HTTPS, 'proxy-ssl-secret': 'ca' },
      { ...HTTPS, 'proxy-ssl-secret': 'pair' },
      VERIFIED,
      { ...VERIFIED, 'proxy-ssl-name': 'b.example' },
      { ...VERIFIED, 'proxy-ssl-server-name': 'on' },
      { ...VERIFIED, 'proxy-ssl-verify-depth': '2' },
      { ...VERIFIED, 'proxy-ssl-protocols': 'TLSv1.2' },
      { ...VERIFIED, 'proxy-ssl-ciphers': 'HIGH' },
    ]
    const found = variants.map((keys) => backendOf(compiled(keys, { secrets })))
    expect(new Set(found.map((backend) => backend?.tls?.digest)).size).to.equal(variants.length)
    expect(new Set(found.map((backend) => backend?.digest)).size).to.equal(variants.length)
  })

  const failing: readonly (readonly [title: string, keys: Keys, message: string])[] = [
    ['a Secret that does not exist', { 'proxy-ssl-secret': 'none' }, 'does not exist'],
    ['one of another namespace', { 'proxy-ssl-secret': 'bank/ca' }, 'another namespace'],
    ['one with nothing in it', { 'proxy-ssl-secret': 'empty' }, 'neither ca.crt nor tls.crt'],
    ['authorities that are no PEM', { 'proxy-ssl-secret': 'no-pem' }, 'has no certificate'],
    ['a certificate without its key', { 'proxy-ssl-secret': 'half' }, 'not the other'],
    ["somebody else's key", { 'proxy-ssl-secret': 'mixed' }, 'does not belong'],
    ['verification without authorities', { 'proxy-ssl-secret': 'pair', 'proxy-ssl-verify': 'on' }, 'no ca.crt'],
    ['a word that is neither on nor off', { 'proxy-ssl-secret': 'ca', 'proxy-ssl-verify': 'yes' }, 'none of on, off'],
    ['a name that is none', { ...VERIFIED, 'proxy-ssl-name': 'a b' }, 'no host name holds'],
  ]
  for (const [title, keys, message] of failing) {
    it(`R11-162, R21-32: ${title} closes every route to the port, and is told`, () => {
      const neighbour = ingress('shop/other').host('b.example').path('/', 'web:80').age(0)
      const result = compileCluster({ ingresses: [shop({ ...HTTPS, ...keys }), neighbour], secrets })
      expect(ask(result.tables.routes, 'a.example/')).to.equal(CLOSED)
      expect(ask(result.tables.routes, 'b.example/')).to.equal(CLOSED)
      expect(result.tables.routes.backends.size).to.equal(0)
      const warning = result.warnings.find(({ reason }) => reason === 'AccessRuleInvalid')
      expect(warning?.message).to.include(message)
      expect(JSON.stringify(result.warnings)).not.to.include('BEGIN')
    })
  }

  it('R11-11: is healed when its Secret arrives, and closed again when it goes', () => {
    const ingresses = [shop(VERIFIED)]
    const steps: string[] = []
    let last = compile(clusterOf({ ingresses }), SETTINGS, emptyMemo())
    for (const now of [[], secrets, [secret('shop/ca', { 'ca.crt': 'broken' })], secrets, []]) {
      last = compile(clusterOf({ ingresses, secrets: now }), SETTINGS, last.memo)
      steps.push(ask(last.tables.routes, 'a.example/'))
      expect(last.wanted.objects).to.deep.equal([{ kind: 'Secret', namespace: 'shop', name: 'ca' }])
    }
    expect(steps).to.deep.equal([CLOSED, 'shop/web:80', CLOSED, 'shop/web:80', CLOSED])
  })

  it('R21-35: a rotated Secret is another identity', () => {
    const rotated = [secret('shop/ca', { 'ca.crt': STRANGER.cert })]
    const [before, after] = [secrets, rotated].map((now) => backendOf(compiled(VERIFIED, { secrets: now })))
    expect(after?.tls?.digest).not.to.equal(before?.tls?.digest)
    expect(after?.tls?.authorities).to.equal(STRANGER.cert)
  })

  it('nobody wants a Secret any more that nobody names', () => {
    const named = compile(clusterOf({ ingresses: [shop(VERIFIED)], secrets }), SETTINGS, emptyMemo())
    const after = compile(clusterOf({ ingresses: [shop(HTTPS)], secrets }), SETTINGS, named.memo)
    expect(after.wanted.objects).to.deep.equal([])
  })

  it('R11-12: of a port that is spoken to in plaintext secures nothing, and is told', () => {
    const result = compiled({ 'proxy-ssl-secret': 'ca' }, { secrets })
    expect(reasons(result)).to.deep.equal(['InvalidAnnotation Ingress shop/a proxy-ssl-secret'])
    expect(backendOf(result)?.tls).to.equal(undefined)
  })

  it('R11-15: each key has its own holder, over all Ingresses that name the port', () => {
    const ingresses = [
      shop({ ...HTTPS, 'proxy-ssl-secret': 'ca' }, 'old').age(1),
      shop({ 'proxy-ssl-secret': 'ca', 'proxy-ssl-verify': 'on' }, 'young').age(2),
      shop({ 'proxy-ssl-secret': 'all' }, 'other').age(3),
    ]
    const result = compileCluster({ ingresses, secrets })
    expect(backendOf(result)?.tls).to.include({ verify: true, authorities: AUTHORITY.cert })
    expect(reasons(result)).to.deep.equal(['AnnotationConflict Ingress shop/other proxy-ssl-secret'])
  })
})
