// Every path of the admin listener that answers with a document (R32, "Paths").
import type { IncomingMessage } from 'node:http'
import type { PinOutcome } from '../generations/publish.ts'
import type { GenerationName } from '../generations/store.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Replica } from '../model/replica.ts'
import type { CurrentWarning } from '../observability/current-warnings.ts'
import { TEXT_TYPES, type TextFormat } from '../observability/metrics-text.ts'
import { metricsFormat } from './accept.ts'
import type { AdminPath, AdminRequest } from './admin-path.ts'
import { type Answer, json, problem } from './answer.ts'
import { type BackendsSource, backendsView } from './backends-view.ts'
import { type CertificatesSource, certificatesView } from './certificates-view.ts'
import { configView, type EffectiveSetting } from './config-view.ts'
import { type GenerationsSource, generationsView } from './generations-view.ts'
import { type MatchSource, matchView } from './match-view.ts'
import { type PageQuery, parsePageQuery } from './paging.ts'
import type { KindFacts, ReadinessReport, WorkerFacts } from './readiness.ts'
import { replicasView } from './replicas.ts'
import { deleteRollback, postRollback, type RollbackSources } from './rollback.ts'
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
  readonly generations: () => GenerationsSource
  readonly pin: (name: GenerationName) => Promise<PinOutcome>
  readonly release: () => Promise<void>
  readonly backends: () => BackendsSource
  readonly match: () => MatchSource
  readonly certificates: () => CertificatesSource
  readonly settings: () => readonly EffectiveSetting[]
  /** This one included. */
  readonly replicas: () => readonly Replica[]
}

/** The paths over `sources`. `turnAll` as in `RollbackSources`. */
export function adminPaths(
  sources: AdminSources,
  { turnAll }: Pick<RollbackSources, 'turnAll'>,
): ReadonlyMap<string, AdminPath> {
  const rollback: RollbackSources = {
    pin: sources.pin,
    release: sources.release,
    pair: () => sources.generations().pair,
    pinned: () => sources.generations().pinned,
    turnAll,
  }
  return new Map<string, AdminPath>([
    ['/healthz', { isProbe: true, query: undefined, methods: { GET: () => healthz(sources) } }],
    ['/readyz', { isProbe: true, query: undefined, methods: { GET: ({ query }) => readyz(sources, query) } }],
    ['/metrics', { query: undefined, methods: { GET: ({ incoming }) => metrics(sources, incoming) } }],
    ['/admin/routes', list((filter, page) => routesView(sources.routes(), filter, page))],
    ['/admin/generations', document([], () => ok(generationsView(sources.generations())))],
    ['/admin/backends', list((filter, page) => backendsView(sources.backends(), filter, page))],
    ['/admin/warnings', list((filter, page) => warningsView(sources.warnings(), filter, page))],
    ['/admin/match', document(['host', 'path', 'method', 'header'], ({ query }) => match(sources, query))],
    ['/admin/certificates', document([], () => ok(certificatesView(sources.certificates())))],
    ['/admin/config', document([], () => ok(configView(sources.settings())))],
    ['/admin/replicas', document([], () => ok(replicasView(sources.replicas())))],
    [
      '/admin/rollback',
      {
        query: ['all'],
        methods: {
          POST: ({ query, body }) =>
            query.has('all') ? problem(400, 'a pin takes "all" in its body') : postRollback(rollback, body),
          DELETE: ({ query }) => deleteRollback(rollback, query),
        },
      },
    ],
  ])
}

/** A path that is asked for one document; the error says what is wrong with the question. */
function document(query: readonly string[], view: (request: AdminRequest) => Result<unknown, string>): AdminPath {
  const get = (request: AdminRequest): Answer => {
    const shown = view(request)
    return shown.ok ? json(shown.value) : problem(400, shown.error)
  }
  return { query, methods: { GET: get } }
}

function list(view: (filter: ListFilter, page: PageQuery) => unknown): AdminPath {
  return document(['host', 'namespace', 'limit', 'continue'], ({ query }) => {
    const page = parsePageQuery(query)
    if (!page.ok) return page
    // Hosts stand in lower case everywhere (R10-11).
    const host = query.get('host')?.toLowerCase()
    return ok(view({ host, namespace: query.get('namespace') ?? undefined }, page.value))
  })
}

function match(sources: AdminSources, query: URLSearchParams): Result<unknown, string> {
  const path = query.get('path')
  if (path === null) return err('path is needed; host, method and header may be given too')
  const method = query.get('method') ?? 'GET'
  const asked = { host: query.get('host') ?? '', path, method, headers: query.getAll('header') }
  return matchView(sources.match(), asked)
}

function healthz({ healthy }: AdminSources): Answer {
  return healthy() ? json({ status: 'ok' }) : problem(503, 'a worker is dead and was restarted too often')
}

function readyz({ readiness, workers, kinds }: AdminSources, query: URLSearchParams): Answer {
  const { isReady, waitsFor } = readiness()
  const isVerbose = query.has('verbose')
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

async function metrics(sources: AdminSources, { headers }: IncomingMessage): Promise<Answer> {
  const format = metricsFormat(headers.accept)
  return { status: 200, contentType: TEXT_TYPES[format], body: await sources.metrics(format) }
}
