import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { type AdminServer, createAdminServer } from '../../src/admin/api.ts'
import type { AdminSources } from '../../src/admin/paths.ts'
import type { SlotTotals } from '../../src/model/counters.ts'
import type { Pair } from '../../src/model/generation.ts'
import type { Route } from '../../src/model/route-table.ts'
import type { Warning } from '../../src/model/warning.ts'
import { explainMatch } from '../../src/router/explain.ts'
import { routeTable } from '../builders/route-table.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

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

const NO_TOTALS = { requests: 0, errors5xx: 0, latencyCount: 0, latencyMsSum: 0, inFlight: 0, ejections: 0 }

function sourcesWith(over: Partial<AdminSources>): AdminSources {
  return {
    healthy: () => true,
    readiness: () => ({ isReady: true, waitsFor: [] }),
    workers: () => [{ index: 0, state: 'serving', generation: 57, endpointsVersion: 2113 }],
    kinds: () => [],
    metrics: (format) => Promise.resolve(`# ${format}\n`),
    routes: () => ({ pair: undefined, replica: 'ramjet-0', totalsOf: () => NO_TOTALS }),
    warnings: () => [],
    generations: () => ({ pair: undefined, pinned: undefined, history: [] }),
    pin: () => Promise.resolve({ kind: 'unknown', kept: [] }),
    release: () => Promise.resolve(),
    backends: () => ({ pair: undefined, totalsOf: () => NO_TOTALS, isHealthy: () => undefined }),
    match: () => ({ pair: undefined, explain: () => explainMatch(routeTable([]), '', '/') }),
    certificates: () => ({ pair: undefined, records: [], nowMs: 0 }),
    settings: () => [],
    replicas: () => [],
    ...over,
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

describe('the admin listener', () => {
  let server: AdminServer
  let port = 0
  const log = new FakeLogger()

  async function serve(over: Partial<AdminSources> = {}): Promise<void> {
    server = createAdminServer(sourcesWith(over), {
      guard: { protect: 'writes', token: undefined },
      timers: new FakeClock(),
      log,
    })
    await server.listen({ host: '127.0.0.1', port: 0 })
    port = server.address()?.port ?? 0
  }

  function ask(
    path: string,
    options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
  ) {
    return new Promise<Reply>((resolve, reject) => {
      const { method = 'GET', headers = {}, body } = options
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  async function document(path: string): Promise<Record<string, unknown>> {
    return JSON.parse((await ask(path)).text) as Record<string, unknown>
  }

  async function pathsOf(query: string): Promise<readonly string[]> {
    const { routes } = await document(`/admin/routes${query}`)
    return (routes as { readonly path: string }[]).map(({ path }) => path)
  }

  afterEach(() => server.close())

  it('answers /healthz by the workers (R30-46)', async () => {
    let healthy = true
    await serve({ healthy: () => healthy })
    expect(await ask('/healthz')).to.include({ status: 200, text: '{\n  "status": "ok"\n}\n' })
    healthy = false
    const reply = await ask('/healthz')
    expect(reply.status).to.equal(503)
    expect(reply.headers['content-type']).to.equal('application/problem+json')
  })

  it('names what /readyz waits for (R30-47)', async () => {
    await serve({ readiness: () => ({ isReady: false, waitsFor: ['worker 1: has no generation yet'] }) })
    const reply = await ask('/readyz')
    expect(reply.status).to.equal(503)
    expect(JSON.parse(reply.text)).to.deep.equal({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'waits for worker 1: has no generation yet',
      waitsFor: ['worker 1: has no generation yet'],
    })
  })

  it('lists workers and kinds for /readyz?verbose (R30-49)', async () => {
    const kind = { kind: 'Ingress', required: true, hasSynced: true, state: 'synced', problem: '' }
    await serve({
      kinds: () => [kind, { ...kind, kind: 'services', state: 'forbidden', problem: 'may not list services' }],
    })
    expect(await document('/readyz?verbose')).to.deep.equal({
      status: 'ready',
      workers: [{ worker: 0, state: 'serving', generation: 57, endpointsVersion: 2113 }],
      kinds: [
        { kind: 'Ingress', required: true, state: 'synced', problem: null },
        { kind: 'services', required: true, state: 'forbidden', problem: 'may not list services' },
      ],
    })
    expect(await document('/readyz')).to.deep.equal({ status: 'ready' })
  })

  for (const { accept, format, type } of [
    { accept: undefined, format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    { accept: '*/*', format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    { accept: 'text/plain', format: 'prometheus', type: 'text/plain; version=0.0.4; charset=utf-8' },
    {
      accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
      format: 'openmetrics',
      type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    },
    {
      accept: 'text/plain;q=0.9, application/openmetrics-text;q=0.5',
      format: 'prometheus',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
    {
      accept: 'application/openmetrics-text;q=0',
      format: 'prometheus',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
  ]) {
    it(`writes metrics as ${format} for Accept: ${accept}`, async () => {
      await serve()
      const reply = await ask('/metrics', { headers: accept === undefined ? {} : { accept } })
      expect(reply.text).to.equal(`# ${format}\n`)
      expect(reply.headers['content-type']).to.equal(type)
    })
  }

  it('gives the document of /admin/routes', async () => {
    const refused = route('/old', { action: { kind: 'refuse', reason: 'access-rule' } })
    const fromFile = route('(default)', {
      source: 'file',
      origin: { kind: 'File', namespace: '', name: 'r.yaml', rule: '3' },
    })
    const pair = pairOf({ 'b.example': [route('/')], 'a.example': [refused] }, fromFile)
    await serve({ routes: () => ({ pair, replica: 'ramjet-0', totalsOf: totalsOfOne }) })
    const rest = { canary: null, canary_stats: null, mirror: null }
    const none = { requests_total: 0, errors_5xx_total: 0, upstream_latency_count: 0, upstream_latency_ms_sum: 0 }
    expect(await document('/admin/routes')).to.deep.equal({
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
    expect(await document('/admin/routes')).to.include({ generation: 0, digest: null, continue: null })
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
      const part = await document(`/admin/routes${query}`)
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
      expect((await ask(`/admin/routes?${query}`)).status).to.equal(400)
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
    expect(await document('/admin/warnings')).to.deep.equal({
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

  for (const path of ['/healthz', '/readyz', '/metrics', '/admin/routes', '/admin/warnings']) {
    it(`${path} takes GET and HEAD alone, and nothing may keep its answer (R32-6)`, async () => {
      await serve()
      const got = await ask(path)
      const head = await ask(path, { method: 'HEAD' })
      expect(got.headers['cache-control']).to.equal('no-store')
      expect(head.text).to.equal('')
      expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(got.text)))
      const posted = await ask(path, { method: 'POST', body: '{}' })
      expect(posted.status).to.equal(405)
      expect(posted.headers).to.include({ allow: 'GET, HEAD', 'content-type': 'application/problem+json' })
    })
  }

  it('answers 404 with the paths there are', async () => {
    await serve()
    for (const path of ['/', '/admin', '/__proto__', '/constructor', '/admin/routes/']) {
      const reply = await ask(path)
      expect(reply.status).to.equal(404)
      expect((JSON.parse(reply.text) as { readonly paths: unknown }).paths).to.include('/admin/routes')
    }
  })

  it('answers 500 and logs where a source throws', async () => {
    await serve({
      warnings: () => {
        throw new Error('secret')
      },
    })
    const reply = await ask('/admin/warnings')
    expect(reply.status).to.equal(500)
    expect(reply.text).not.to.include('secret')
    expect(log.of('error').map(({ message }) => message)).to.include('admin request failed')
  })

  it('lets no crowd of idle connections keep a probe out', async () => {
    await serve()
    const idle = await Promise.all(Array.from({ length: 256 }, () => answeredConnection(port)))
    // The one that finds no room makes some for the next.
    const probes = [await ask('/healthz').catch(() => undefined), await ask('/healthz')]
    expect(probes[1]?.status).to.equal(200)
    for (const socket of idle) socket.destroy()
  })

  it('closes open connections when it is closed', async () => {
    await serve()
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await server.close()
    await closed
    expect(server.address()).to.equal(undefined)
  })
})

/** A connection on which one request was answered, and which stays. */
async function answeredConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}
