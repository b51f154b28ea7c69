// The admin listener: probes, metrics and what this replica serves (R32). It is handed functions and owns no state.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CurrentWarning } from '../observability/current-warnings.ts'
import type { Logger } from '../observability/log.ts'
import { TEXT_TYPES, type TextFormat } from '../observability/metrics-text.ts'
import { metricsFormat } from './accept.ts'
import { type Answer, json, problem } from './answer.ts'
import { type PageQuery, parsePageQuery } from './paging.ts'
import type { KindFacts, ReadinessReport, WorkerFacts } from './readiness.ts'
import { type ListFilter, type RoutesSource, routesView, warningsView } from './views.ts'

export interface AdminSources {
  /** False when a worker is dead past its restart budget (R30-46). */
  readonly healthy: () => boolean
  readonly readiness: () => ReadinessReport
  readonly workers: () => readonly WorkerFacts[]
  readonly kinds: () => readonly KindFacts[]
  readonly metrics: (format: TextFormat) => Promise<string>
  readonly routes: () => RoutesSource
  readonly warnings: () => readonly CurrentWarning[]
}

export interface AdminServer {
  /** Begins to listen; rejects with the system's error. `host` `undefined`: every address of both families. */
  listen(address: { readonly host: string | undefined; readonly port: number }): Promise<void>
  /** Where it listens; `undefined`: it does not. */
  address(): { readonly host: string; readonly port: number } | undefined
  /** Ends it, open connections included. */
  close(): Promise<void>
}

/** A path that can be asked for with GET and HEAD. */
type Endpoint = (query: URLSearchParams, request: IncomingMessage) => Answer | Promise<Answer>

const ALLOWED = 'GET, HEAD'
const MAX_CONNECTIONS = 256

/** The admin listener over `sources`, not listening yet. */
export function createAdminServer(sources: AdminSources, deps: { readonly log: Logger }): AdminServer {
  const endpoints = endpointsOf(sources)
  const server = createServer({ maxHeaderSize: 16_384, connectionsCheckingInterval: 1000 }, (request, response) => {
    void answer(endpoints, request, deps.log).then((found) => send(response, request, found))
  })
  // None of node's defaults is relied on (R70-130).
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 75_000
  server.maxConnections = MAX_CONNECTIONS
  return {
    listen: (address) => listen(server, address),
    address: () => addressOf(server),
    close: () => close(server),
  }
}

function endpointsOf(sources: AdminSources): ReadonlyMap<string, Endpoint> {
  return new Map<string, Endpoint>([
    ['/healthz', () => healthz(sources)],
    ['/readyz', (query) => readyz(sources, query.has('verbose'))],
    ['/metrics', (_query, request) => metrics(sources, request)],
    ['/admin/routes', (query) => list(query, (filter, page) => routesView(sources.routes(), filter, page))],
    ['/admin/warnings', (query) => list(query, (filter, page) => warningsView(sources.warnings(), filter, page))],
  ])
}

async function answer(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  log: Logger,
): Promise<Answer> {
  const url = URL.parse(request.url ?? '', 'http://admin')
  if (url === null) return problem(400, 'the request target is no URL')
  const endpoint = endpoints.get(url.pathname)
  if (endpoint === undefined) return problem(404, 'no such path', { paths: [...endpoints.keys()] })
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...problem(405, `${url.pathname} takes ${ALLOWED}`), headers: { Allow: ALLOWED, Connection: 'close' } }
  }
  try {
    return await endpoint(url.searchParams, request)
  } catch (error) {
    log.error({ err: error, path: url.pathname }, 'admin request failed')
    return problem(500, 'see the log')
  }
}

function send(
  response: ServerResponse,
  request: IncomingMessage,
  { status, contentType, body, headers }: Answer,
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function healthz({ healthy }: AdminSources): Answer {
  return healthy() ? json({ status: 'ok' }) : problem(503, 'a worker is dead and was restarted too often')
}

function readyz({ readiness, workers, kinds }: AdminSources, isVerbose: boolean): Answer {
  const { isReady, waitsFor } = readiness()
  const details = isVerbose ? { workers: workers().map(workerView), kinds: kinds().map(kindView) } : {}
  if (isReady) return json({ status: 'ready', ...details })
  return problem(503, `waits for ${waitsFor.join('; ')}`, { waitsFor, ...details })
}

function workerView({ index, state, generation, endpointsVersion }: WorkerFacts): unknown {
  return { worker: index, state, generation, endpointsVersion }
}

function kindView({ kind, required, state, problem: inTheWay }: KindFacts): unknown {
  return { kind, required, state, problem: inTheWay === '' ? null : inTheWay }
}

async function metrics(sources: AdminSources, request: IncomingMessage): Promise<Answer> {
  const format = metricsFormat(request.headers.accept)
  return { status: 200, contentType: TEXT_TYPES[format], body: await sources.metrics(format) }
}

function list(query: URLSearchParams, view: (filter: ListFilter, page: PageQuery) => unknown): Answer {
  const page = parsePageQuery(query)
  if (!page.ok) return problem(400, page.error)
  const filter = { host: query.get('host') ?? undefined, namespace: query.get('namespace') ?? undefined }
  return json(view(filter, page.value))
}

async function listen(server: Server, { host, port }: { readonly host: string | undefined; readonly port: number }) {
  if (host !== undefined) return bind(server, host, port)
  try {
    await bind(server, '::', port)
  } catch (error) {
    if (!isFamilyMissing(error)) throw error
    await bind(server, '0.0.0.0', port)
  }
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isFamilyMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' || code === 'EINVAL'
}

function addressOf(server: Server): { readonly host: string; readonly port: number } | undefined {
  const address: AddressInfo | string | null = server.address()
  return address === null || typeof address === 'string' ? undefined : { host: address.address, port: address.port }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
