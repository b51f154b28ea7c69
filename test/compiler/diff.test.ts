import { expect } from 'chai'
import { diffTables } from '../../src/compiler/diff.ts'
import { type Certificate, digestOfServerName, type TlsPolicy } from '../../src/model/certificate-table.ts'
import { countsOf, type GenerationDiff, NO_DIFF, summaryOf } from '../../src/model/generation-diff.ts'
import type { Backend, RouteTable, VirtualHost } from '../../src/model/route-table.ts'
import { type UpstreamTls, withDigest } from '../../src/model/upstream-tls.ts'
import { certificate } from '../builders/certificates.ts'
import { backend, endpoint, exact, prefix, regex, routeTable, virtualHost } from '../builders/route-table.ts'

function to(name: string): {
  readonly action: {
    readonly kind: 'forward'
    readonly backends: readonly [{ readonly backend: string; readonly weight: 1 }]
  }
} {
  return { action: { kind: 'forward', backends: [{ backend: name, weight: 1 }] } }
}

function table(hosts: readonly VirtualHost[], over: Partial<RouteTable> = {}): RouteTable {
  return routeTable(hosts, { digest: JSON.stringify([hosts, [...(over.backends ?? [])], over.defaultRoute]), ...over })
}

/** Whose default backend is asked with this timeout. */
function within(connectTimeoutMs: number): RouteTable {
  return table([], { defaultRoute: prefix('', { ...to('a'), policy: { connectTimeoutMs } }) })
}

function withBackends(...backends: readonly Backend[]): RouteTable {
  return table([], { backends: new Map(backends.map((one) => [one.name, one])) })
}

/** What is not as in `NO_DIFF`. */
function changesOf(before: RouteTable | undefined, after: RouteTable): Partial<GenerationDiff> {
  const changed = Object.entries(diffTables(before, after)).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value === true,
  )
  return Object.fromEntries(changed) as Partial<GenerationDiff>
}

const SHOP = virtualHost('shop.example', [prefix('/api', to('prod/api:80')), exact('/status', to('prod/web:80'))])

const CHECK = {
  path: '/',
  intervalMs: 5000,
  timeoutMs: 1000,
  healthy: 1,
  unhealthy: 3,
  statuses: [[200, 399]],
} as const

const CHECK_WORDS = '/ every 5000 ms within 1000 ms (good 200-399; healthy 1, unhealthy 3)'

function tlsTo(key: string): UpstreamTls {
  const named = { verify: true, serverName: 'web.internal', sendsServerName: true, maxDepth: 1 }
  return withDigest({ ...named, clientPair: { chain: 'chain', key } })
}

describe('diffTables (R30-20)', () => {
  it('tells everything of a first generation', () => {
    const first = table([SHOP, virtualHost('*', [regex('/v[0-9]+', to('prod/web:80'))])])
    expect(changesOf(undefined, first)).to.deep.equal({
      routesAdded: [
        '* /v[0-9]+ (Regex) -> prod/web:80',
        'shop.example /api -> prod/api:80',
        'shop.example /status (Exact) -> prod/web:80',
      ],
      hostsAdded: ['*', 'shop.example'],
    })
  })

  it('tells routes and hosts that went', () => {
    const before = table([SHOP, virtualHost('old.example', [prefix('', to('prod/web:80'))])])
    const after = table([virtualHost('shop.example', [prefix('/api', to('prod/api:80'))])])
    expect(changesOf(before, after)).to.deep.equal({
      routesRemoved: ['old.example / -> prod/web:80', 'shop.example /status (Exact) -> prod/web:80'],
      hostsRemoved: ['old.example'],
    })
  })

  it('tells a route that leads elsewhere as one that went and one that came', () => {
    const after = table([
      virtualHost('shop.example', [prefix('/api', to('prod/next:80')), exact('/status', to('prod/web:80'))]),
    ])
    expect(changesOf(table([SHOP]), after)).to.deep.equal({
      routesAdded: ['shop.example /api -> prod/next:80'],
      routesRemoved: ['shop.example /api -> prod/api:80'],
    })
  })

  it('tells shares, refusals, redirects and the default of a host', () => {
    const shares = [
      { backend: 'prod/a:80', weight: 3 },
      { backend: 'prod/b:80', weight: 1 },
    ]
    const location = { base: 'url', template: ['https://new.example/', 1], keepsQuery: true } as const
    const start = { base: 'origin', template: ['/start'], keepsQuery: false } as const
    const after = virtualHost(
      'shop.example',
      [
        prefix('/a', { action: { kind: 'forward', backends: shares } }),
        prefix('/b', { action: { kind: 'refuse', reason: 'unresolved-service' } }),
        prefix('/c', { action: { kind: 'redirect', status: 308, location } }),
        prefix('/d', { action: { kind: 'redirect', status: 302, location: start } }),
      ],
      { fallback: prefix('', to('prod/web:80')) },
    )
    expect(diffTables(undefined, table([after])).routesAdded).to.deep.equal([
      'shop.example (default) -> prod/web:80',
      'shop.example /a -> prod/a:80 (3), prod/b:80 (1)',
      'shop.example /b -> 503 (unresolved-service)',
      'shop.example /c -> 308 https://new.example/$1',
      'shop.example /d -> 302 /start without the query',
    ])
  })

  it('takes a route of another object for the same, and /foo/ for /foo', () => {
    const origin = { kind: 'Ingress', namespace: 'shop', name: 'other', rule: '0/0' }
    const before = table([virtualHost('a.example', [prefix('/foo', { path: '/foo' })])])
    const after = table([virtualHost('a.example', [prefix('/foo', { path: '/foo/', origin })])])
    expect(changesOf(before, after)).to.deep.equal({})
  })

  it('tells a policy alone that changed', () => {
    const before = table([virtualHost('a.example', [prefix('/a', { policy: { connectTimeoutMs: 1 } }), prefix('/b')])])
    const after = table([virtualHost('a.example', [prefix('/a', { policy: { connectTimeoutMs: 2 } }), prefix('/b')])])
    expect(changesOf(before, after)).to.deep.equal({ policiesChanged: ['a.example /a -> shop/web:80'] })
  })

  for (const { what, before, after, line } of [
    {
      what: 'balancing',
      before: { policy: 'roundRobin' },
      after: { policy: 'leastConn' },
      line: 'policy roundRobin->leastConn',
    },
    {
      what: 'the key of a hash',
      before: { policy: 'random' },
      after: { policy: { kind: 'hash', key: [{ kind: 'uri' }] } },
      line: 'policy random->hash:$uri',
    },
    {
      what: 'addresses of a file (R00-22)',
      before: { fixedEndpoints: [endpoint('192.0.2.1:80')] },
      after: { fixedEndpoints: [endpoint('192.0.2.2:80', { weight: 2 }), endpoint('192.0.2.1:80')] },
      line: 'addresses 192.0.2.1:80->192.0.2.1:80 192.0.2.2:80 (2)',
    },
    { what: 'slow start', before: {}, after: { slowStartMs: 500 }, line: 'slow start 0 ms->500 ms' },
    {
      what: 'the headers of a check, without their values (R42-19)',
      before: { healthCheck: { ...CHECK, headers: [['Authorization', 'old']] } },
      after: { healthCheck: { ...CHECK, headers: [['Authorization', 'new']] } },
      line: 'headers of the health check',
    },
    {
      what: 'a check',
      before: {},
      after: { healthCheck: { ...CHECK, headers: [['Authorization', 'new']] } },
      line: `health check none->${CHECK_WORDS}, headers of the health check`,
    },
    {
      what: 'whom a check asks for',
      before: { healthCheck: { ...CHECK, host: 'a.example', statuses: [[204, 204]] } },
      after: { healthCheck: CHECK },
      line: `health check / of a.example ${CHECK_WORDS.slice(2).replace('200-399', '204')}->${CHECK_WORDS}`,
    },
    { what: 'the protocol (R30-20)', before: {}, after: { protocol: 'h2c' }, line: 'protocol HTTP->GRPC' },
    {
      what: 'TLS, without its material',
      before: { protocol: 'https', tls: tlsTo('old key') },
      after: { protocol: 'https', tls: tlsTo('new key') },
      line: `TLS verified web.internal (${tlsTo('old key').digest.slice(0, 8)})->verified web.internal (${tlsTo('new key').digest.slice(0, 8)})`,
    },
    { what: 'the routing mode', before: {}, after: { dialsService: true }, line: 'routing endpoint->service' },
  ] as const) {
    it(`tells ${what} of a backend`, () => {
      const old = backend('prod/web:80', { ...before, digest: 'a' })
      const now = backend('prod/web:80', { ...after, digest: 'b' })
      expect(changesOf(withBackends(old), withBackends(now))).to.deep.equal({
        backendsChanged: [`prod/web:80 ${line}`],
      })
    })
  }

  it('tells no backend that came or went: its routes say so', () => {
    expect(changesOf(withBackends(backend('a')), withBackends(backend('b')))).to.deep.equal({})
  })

  it('tells that the default backend is another one', () => {
    const withDefault = (name: string): RouteTable => table([], { defaultRoute: prefix('', to(name)) })
    expect(changesOf(table([]), withDefault('a'))).to.deep.equal({ defaultBackendChanged: true })
    expect(changesOf(withDefault('a'), withDefault('b'))).to.deep.equal({ defaultBackendChanged: true })
    expect(changesOf(withDefault('a'), withDefault('a'))).to.deep.equal({})
  })

  it('tells that the default backend is asked by another policy', () => {
    expect(changesOf(within(1), within(2))).to.deep.equal({ policiesChanged: ['(default) -> a'] })
    expect(changesOf(within(1), within(1))).to.deep.equal({})
  })

  it('reads no host that is the very same object', () => {
    const unread = new Proxy(SHOP, {
      get: () => {
        throw new Error('it was read')
      },
    })
    const before = routeTable([], { hosts: new Map([['shop.example', unread]]), digest: 'a' })
    const after = routeTable([], {
      hosts: new Map([
        ['shop.example', unread],
        ['b.example', virtualHost('b.example', [prefix('')])],
      ]),
      digest: 'b',
    })
    expect(changesOf(before, after)).to.deep.equal({
      routesAdded: ['b.example / -> shop/web:80'],
      hostsAdded: ['b.example'],
    })
  })

  it('gives lines in one order, whatever that of the hosts', () => {
    const hosts = ['b.example', 'a.example', 'c.example'].map((name) => virtualHost(name, [prefix('/z'), prefix('/a')]))
    expect(diffTables(undefined, table(hosts))).to.deep.equal(diffTables(undefined, table(hosts.toReversed())))
  })
})

describe('summaryOf (R30-21)', () => {
  for (const [diff, words] of [
    [{ routesAdded: ['a', 'b', 'c'], certsRotated: ['d'] }, '3 routes added, 1 cert rotated (gen 41->42)'],
    [
      { policiesChanged: ['a', 'b'], defaultBackendChanged: true },
      '2 policies changed, default backend changed (gen 41->42)',
    ],
    [{}, 'no change (gen 41->42)'],
  ] as const) {
    it(`reads ${words}`, () => expect(summaryOf(countsOf({ ...NO_DIFF, ...diff }), 41, 42)).to.equal(words))
  }
})

function withCertificates(names: Readonly<Record<string, readonly Certificate[]>>, policy: TlsPolicy = {}): RouteTable {
  const serverNames = Object.entries(names).map(([host, held]) => {
    const name = { host, certificates: held.map(({ handle }) => handle), policy }
    return [host, { ...name, digest: digestOfServerName(name) }] as const
  })
  const all = Object.values(names).flat()
  const certificates = {
    serverNames: new Map(serverNames),
    certificates: new Map(all.map((one) => [one.handle, one] as const)),
  }
  return table([], { certificates, digest: JSON.stringify(serverNames) })
}

describe('the diff of two certificate tables', () => {
  const first = certificate('first')
  const second = certificate('second')
  const rsa = certificate('rsa', { keyType: 'rsa' })

  it('R30-20: has one line for a rotation, however many names it concerns, and no key', () => {
    const hosts = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example']
    const before = withCertificates(Object.fromEntries(hosts.map((host) => [host, [first]])))
    const after = withCertificates(Object.fromEntries(hosts.map((host) => [host, [second]])))
    expect(changesOf(before, after)).to.deep.equal({
      certsRotated: [`a.example, b.example, c.example and 2 more: ${first.handle} -> ${second.handle}`],
    })
    expect(summaryOf(countsOf(diffTables(before, after)), 41, 42)).to.equal('1 cert rotated (gen 41->42)')
  })

  it('R30-20: tells what came from what went, by type of key', () => {
    const one = withCertificates({ '': [first], 'a.example': [first] })
    const two = withCertificates({ '': [first, rsa], 'b.example': [first] })
    expect(changesOf(one, two)).to.deep.equal({
      certsAdded: [`(default): ${rsa.handle}`, `b.example: ${first.handle}`],
      certsRemoved: [`a.example: ${first.handle}`],
    })
    expect(changesOf(undefined, one)).to.deep.equal({ certsAdded: [`(default), a.example: ${first.handle}`] })
  })

  it('R30-20: tells what handshakes are held to otherwise', () => {
    const [before, after] = [
      withCertificates({ 'a.example': [first] }),
      withCertificates({ 'a.example': [first], 'b.example': [first] }, { ciphers: 'X' }),
    ]
    expect(changesOf(before, after)).to.deep.equal({
      certsAdded: [`b.example: ${first.handle}`],
      policiesChanged: ['a.example (TLS)'],
    })
  })
})
