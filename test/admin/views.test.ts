import { expect } from 'chai'
import { NO_DIFF } from '../../src/model/generation-diff.ts'
import { asPair, tablesOf } from '../builders/pair.ts'
import { AdminBench, NO_TOTALS } from './admin-bench.ts'

const PAIR = asPair(
  tablesOf({ 'a.example': ['192.0.2.1:80', '192.0.2.2:80'], 'b.example': [] }, { fallbackTo: 'b.example' }),
  { generation: 41, version: 7 },
)

function diffOf(from: number, to: number): unknown {
  return {
    summary: `1 route added (gen ${from}->${to})`,
    routes_added: ['a.example / -> shop/a:80'],
    routes_removed: [],
    backends_changed: [],
    hosts_added: [],
    hosts_removed: [],
    certs_added: [],
    certs_removed: [],
    certs_rotated: [],
    mirrors_added: [],
    mirrors_removed: [],
    policies_changed: [],
    default_backend_changed: false,
  }
}

const SETTINGS = [
  { name: '--workers', value: '4', origin: 'flag' },
  { name: '--audit-webhook', value: 'https://user:word@hooks.example/a?token=secret', origin: 'environment' },
  { name: 'healthcheck.path', value: '/healthz', origin: 'file' },
  { name: '--debounce', value: '200ms', origin: 'default' },
] as const

describe('documents of the admin API', () => {
  let bench: AdminBench | undefined
  afterEach(() => bench?.server.close())

  async function documentOf(path: string, sources: Parameters<typeof AdminBench.start>[0]): Promise<unknown> {
    bench = await AdminBench.start(sources)
    return (await bench.ask(path)).document
  }

  it('/admin/generations has every generation with what became of it and what it changed (R32-13)', async () => {
    const facts = {
      routes: 5,
      hosts: 2,
      certificates: 3,
      diff: { ...NO_DIFF, routesAdded: ['a.example / -> shop/a:80'] },
    }
    const history = [
      { number: 43, digest: 'c', previous: 42, ...facts, atMs: 2_000, outcome: { kind: 'held' } },
      {
        number: 42,
        digest: 'b',
        previous: 41,
        ...facts,
        atMs: 1_000,
        outcome: { kind: 'rejected', reason: 'limit', message: 'no' },
      },
      { number: 41, digest: 'a', previous: 0, ...facts, atMs: 0, outcome: { kind: 'applied' } },
    ] as const
    const document = await documentOf('/admin/generations', {
      sources: { generations: () => ({ pair: PAIR, pinned: 41, history }) },
    })
    const shared = { routes: 5, hosts: 2, certs: 3 }
    expect(document).to.deep.equal({
      version: 1,
      serving: 41,
      endpointsVersion: 7,
      pinned: 41,
      generations: [
        {
          generation: 43,
          applied_at: '1970-01-01T00:00:02.000Z',
          published: false,
          rejected: null,
          digest: 'c',
          ...shared,
          diff: diffOf(42, 43),
        },
        {
          generation: 42,
          applied_at: '1970-01-01T00:00:01.000Z',
          published: false,
          rejected: 'limit: no',
          digest: 'b',
          ...shared,
          diff: diffOf(41, 42),
        },
        {
          generation: 41,
          applied_at: '1970-01-01T00:00:00.000Z',
          published: true,
          rejected: null,
          digest: 'a',
          ...shared,
          diff: diffOf(0, 41),
        },
      ],
    })
  })

  it('/admin/backends has every endpoint with its counters and health', async () => {
    const document = await documentOf('/admin/backends?host=A.example', {
      sources: {
        backends: () => ({
          pair: PAIR,
          totalsOf: (address) =>
            address === '192.0.2.1:80' ? { ...NO_TOTALS, requests: 3, inFlight: 1, ejections: 2 } : NO_TOTALS,
          isHealthy: (_backend, address) => (address === '192.0.2.1:80' ? false : undefined),
        }),
      },
    })
    const zero = { errors_5xx_total: 0, upstream_latency_count: 0, upstream_latency_ms_sum: 0 }
    const shared = { weight: 1, readiness: 'ready' }
    expect(document).to.deep.equal({
      version: 1,
      generation: 41,
      endpointsVersion: 7,
      digest: PAIR.endpoints.table.digest,
      backends: [
        {
          backend: 'shop/a.example:80',
          source: 'ingress',
          policy: 'roundRobin',
          protocol: 'HTTP',
          tls: null,
          endpoints: [
            {
              address: '192.0.2.1:80',
              ...shared,
              health: 'unhealthy',
              in_flight: 1,
              ejections_total: 2,
              requests_total: 3,
              ...zero,
            },
            {
              address: '192.0.2.2:80',
              ...shared,
              health: 'unchecked',
              in_flight: 0,
              ejections_total: 0,
              requests_total: 0,
              ...zero,
            },
          ],
        },
      ],
      continue: null,
    })
  })

  it('/admin/backends gives its list in parts', async () => {
    const sources = { backends: () => ({ pair: PAIR, totalsOf: () => NO_TOTALS, isHealthy: () => true }) }
    const first = (await documentOf('/admin/backends?limit=1&namespace=shop', { sources })) as {
      readonly continue: string
      readonly backends: readonly { readonly backend: string }[]
    }
    const second = await bench?.ask(`/admin/backends?continue=${first.continue}`)
    expect(first.backends.map(({ backend }) => backend)).to.deep.equal(['shop/a.example:80'])
    expect(second?.text).to.include('shop/b.example:80').and.not.include('shop/a.example:80')
  })

  it('/admin/match says which route takes a request', async () => {
    const { match } = {
      match: () => ({
        pair: PAIR,
        explain: (_pair: typeof PAIR, host: string, path: string) => {
          expect([host, path]).to.deep.equal(['a.example', '/b'])
          const route = PAIR.generation.routes.hosts.get('a.example')?.routes[0]
          const passed = route ? [{ route, why: 'is not "/a"' }] : []
          return { host: 'a.example', route, by: 'path', passed, leftOut: 0 } as const
        },
      }),
    }
    const document = await documentOf(
      '/admin/match?host=A.Example.:8080&path=/a/../b%3Fx=1&header=X-Canary:%20yes&header=a:b',
      {
        sources: { match },
      },
    )
    expect(document).to.deep.include({
      version: 1,
      generation: 41,
      host: 'a.example',
      path: '/b',
      virtual_host: 'a.example',
      by: 'path',
      left_out: 0,
    })
    const { route, passed_over } = document as Readonly<Record<string, unknown>>
    expect(route).to.deep.include({
      action: 'forward',
      backends: [{ backend: 'shop/a.example:80', weight: 1, endpoints: 2 }],
    })
    expect(passed_over).to.have.deep.nested.property('[0].why', 'the path is not "/a"')
  })

  for (const [query, detail] of [
    ['', 'path is needed'],
    ['?path=x', 'does not begin with "/"'],
    ['?path=/&host=a_b!', 'host'],
    ['?path=/&method=get', 'method'],
    ['?path=/&header=none', 'header'],
    ['?path=/&port=1', 'unknown parameter "port"'],
  ] as const) {
    it(`/admin/match refuses "${query}"`, async () => {
      const document = await documentOf(`/admin/match${query}`, {})
      expect(document).to.have.property('detail').that.includes(detail)
    })
  }

  it('/admin/config shows each setting with its origin, and no secret (R33-11)', async () => {
    expect(await documentOf('/admin/config', { sources: { settings: () => SETTINGS } })).to.deep.equal({
      version: 1,
      settings: [
        { name: '--workers', value: '4', origin: 'flag' },
        { name: '--audit-webhook', value: 'https://***@hooks.example/a?***', origin: 'environment' },
        { name: 'healthcheck.path', value: '/healthz', origin: 'file' },
        { name: '--debounce', value: '200ms', origin: 'default' },
      ],
    })
  })
})
