// Lists of the admin API: routes and warnings, whole, in parts and narrowed (R32-9, R32-12).
import { expect } from 'chai'
import type { AdminSources } from '../../src/admin/paths.ts'
import type { SlotTotals } from '../../src/model/counters.ts'
import type { Pair } from '../../src/model/generation.ts'
import type { Route } from '../../src/model/route-table.ts'
import type { Warning } from '../../src/model/warning.ts'
import { AdminBench, NO_TOTALS } from './admin-bench.ts'

function route(path: string, over: Partial<Route> = {}): Route {
  return {
    id: `id ${path} ${over.pathType ?? 'Prefix'}`,
    match: { type: 'Prefix', value: path },
    path,
    pathType: 'Prefix',
    action: { kind: 'forward', backends: [{ backend: 'shop/web:80', weight: 1 }] },
    source: 'ingress',
    origin: { kind: 'Ingress', namespace: 'shop', name: 'web', rule: '0/0' },
    ...over,
  }
}

function pairOf(hosts: Readonly<Record<string, readonly Route[]>>, defaultRoute?: Route): Pair {
  const virtualHosts = Object.entries(hosts).map(
    ([host, routes]) => [host, { host, routes, fallback: undefined, digest: 'd' }] as const,
  )
  const endpoint = { address: '192.0.2.1:80', host: '192.0.2.1', port: 80, weight: 1, readiness: 'ready' } as const
  return {
    generation: {
      number: 57,
      digest: 'abc',
      routes: { hosts: new Map(virtualHosts), backends: new Map(), defaultRoute, digest: 'abc' },
      warnings: [],
    },
    endpoints: {
      version: 2113,
      table: {
        byBackend: new Map([['shop/web:80', { backend: 'shop/web:80', endpoints: [endpoint, endpoint], digest: 'e' }]]),
        digest: 'e',
      },
    },
  }
}

function totalsOfOne(id: string): SlotTotals {
  return id === 'id / Prefix'
    ? { requests: 9, errors5xx: 2, latencyCount: 8, latencyMsSum: 4.5, inFlight: 1, ejections: 0 }
    : NO_TOTALS
}

function warningOf(name: string, reason: Warning['reason']): Warning {
  const object = { kind: 'Ingress', namespace: 'shop', name }
  return { reason, object, field: 'spec.rules[0].host', message: 'said so' }
}

describe('lists of the admin API', () => {
  let bench: AdminBench

  async function serve(sources: Partial<AdminSources> = {}): Promise<void> {
    bench = await AdminBench.start({ sources })
  }

  afterEach(() => bench.server.close())

  async function pathsOf(query: string): Promise<readonly string[]> {
    const { routes } = (await bench.ask(`/admin/routes${query}`)).document
    return (routes as { readonly path: string }[]).map(({ path }) => path)
  }

  it('gives the document of /admin/routes (R32-12)', async () => {
    const refused = route('/old', { action: { kind: 'refuse', reason: 'access-rule' } })
    const fromFile = route('(default)', {
      source: 'file',
      origin: { kind: 'File', namespace: '', name: 'r.yaml', rule: '3' },
    })
    const pair = pairOf({ 'b.example': [route('/')], 'a.example': [refused] }, fromFile)
    await serve({ routes: () => ({ pair, replica: 'ramjet-0', totalsOf: totalsOfOne }) })
    const rest = { canary: null, canary_stats: null, mirror: null }
    const none = { requests_total: 0, errors_5xx_total: 0, upstream_latency_count: 0, upstream_latency_ms_sum: 0 }
    expect((await bench.ask('/admin/routes')).document).to.deep.equal({
      version: 1,
      generation: 57,
      digest: 'abc',
      endpointsVersion: 2113,
      replica: 'ramjet-0',
      routes: [
        {
          host: '*',
          path: '(default)',
          path_type: 'Prefix',
          backend: 'shop/web:80',
          refused: null,
          endpoints: 2,
          ...none,
          ...rest,
          source: 'file',
          object: { kind: 'File', namespace: null, name: 'r.yaml', rule: '3' },
        },
        {
          host: 'a.example',
          path: '/old',
          path_type: 'Prefix',
          backend: null,
          refused: 'access-rule',
          endpoints: 0,
          ...none,
          ...rest,
          source: 'ingress',
          object: { kind: 'Ingress', namespace: 'shop', name: 'web', rule: '0/0' },
        },
        {
          host: 'b.example',
          path: '/',
          path_type: 'Prefix',
          backend: 'shop/web:80',
          refused: null,
          endpoints: 2,
          requests_total: 9,
          errors_5xx_total: 2,
          upstream_latency_count: 8,
          upstream_latency_ms_sum: 4.5,
          ...rest,
          source: 'ingress',
          object: { kind: 'Ingress', namespace: 'shop', name: 'web', rule: '0/0' },
        },
      ],
      continue: null,
    })
  })

  it('gives an empty document before anything is served', async () => {
    await serve()
    expect((await bench.ask('/admin/routes')).document).to.include({ generation: 0, digest: null, continue: null })
  })

  it('gives lists in parts that together are the whole (R32-9)', async () => {
    const hosts = Object.fromEntries(
      ['c', 'a', 'b'].map((name) => [
        `${name}.example`,
        [route('/x', { pathType: 'Exact' }), route('/x'), route('/a')],
      ]),
    )
    await serve({ routes: () => ({ pair: pairOf(hosts), replica: 'r', totalsOf: () => NO_TOTALS }) })
    type Listed = { readonly host: string; readonly path: string; readonly path_type: string }
    const seen: string[] = []
    let query = '?limit=2'
    let pages = 0
    for (let next: unknown = ''; next !== null; pages += 1) {
      const part = (await bench.ask(`/admin/routes${query}`)).document
      for (const { host, path, path_type } of part['routes'] as Listed[]) seen.push(`${host}${path} ${path_type}`)
      next = part['continue']
      query = `?limit=2&continue=${String(next)}`
    }
    expect(pages).to.equal(5)
    expect(seen).to.deep.equal(
      ['a', 'b', 'c'].flatMap((name) => [
        `${name}.example/a Prefix`,
        `${name}.example/x Exact`,
        `${name}.example/x Prefix`,
      ]),
    )
  })

  it('filters by host and namespace', async () => {
    const other = route('/o', { origin: { kind: 'Ingress', namespace: 'other', name: 'o', rule: '0/0' } })
    const pair = pairOf({ 'a.example': [route('/'), other], 'b.example': [route('/b')] })
    await serve({ routes: () => ({ pair, replica: 'r', totalsOf: () => NO_TOTALS }) })
    expect(await pathsOf('?host=a.example')).to.deep.equal(['/', '/o'])
    expect(await pathsOf('?host=A.Example')).to.deep.equal(['/', '/o'])
    expect(await pathsOf('?namespace=other')).to.deep.equal(['/o'])
    expect(await pathsOf('?namespace=other&host=b.example')).to.deep.equal([])
  })

  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=',
    'continue=',
    'continue=%00',
    'continue=e30',
    'continue=WzFd',
    'hots=a.example',
    'limit=1&limit=2',
  ]) {
    it(`refuses ${query}`, async () => {
      await serve()
      expect((await bench.ask(`/admin/routes?${query}`)).status).to.equal(400)
    })
  }

  it('gives current warnings by object, with severity and time', async () => {
    await serve({
      warnings: () => [
        { warning: warningOf('web', 'InvalidHost'), sinceMs: 0 },
        { warning: warningOf('api', 'EndpointsMissing'), sinceMs: 1000 },
      ],
    })
    const shared = { field: 'spec.rules[0].host', message: 'said so' }
    expect((await bench.ask('/admin/warnings')).document).to.deep.equal({
      version: 1,
      warnings: [
        {
          object: { kind: 'Ingress', namespace: 'shop', name: 'api' },
          reason: 'EndpointsMissing',
          ...shared,
          severity: 'Normal',
          since: '1970-01-01T00:00:01.000Z',
        },
        {
          object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
          reason: 'InvalidHost',
          ...shared,
          severity: 'Warning',
          since: '1970-01-01T00:00:00.000Z',
        },
      ],
      continue: null,
    })
  })
})
