// Every metric of this build, declared once (R34). Values are read from their owners at each scrape.
import { DURATION_BUCKETS, type HistogramTotals, type ProcessField, type ProcessTotals } from '../model/counters.ts'
import type { PublishFailure } from '../model/generation.ts'
import { WARNING_REASONS } from '../model/warning.ts'
import type { Family, Sample } from './metrics-text.ts'
import type { WritingFigures } from './writing-figures.ts'

/** What the control plane knows of a kind that it watches. */
export interface KindFigures {
  readonly kind: string
  readonly objects: number
  /** `undefined`: not listed yet. */
  readonly lastSyncAgeMs: number | undefined
  readonly watchRestarts: number
  readonly queueDepth: number
  readonly reconcileErrors: number
}

/** Where the values come from; each is asked once a scrape. */
export interface MetricSources {
  readonly totals: () => ProcessTotals
  readonly workerRestarts: () => Readonly<Record<string, number>>
  /** One for each worker; asking begins a new period. */
  readonly loopDelays: () => readonly LoopDelayFigures[]
  /** Current warnings by reason; those that are absent are none. */
  readonly warnings: () => ReadonlyMap<string, number>
  readonly publishing: () => PublishFigures
  /** `undefined`: there is no operator's configuration. */
  readonly config: () => ConfigFigures | undefined
  /** None in static mode. */
  readonly kinds: () => readonly KindFigures[]
  readonly writing: () => WritingFigures
  /** Requests to the admin listener that were refused, or cut while relayed, by reason. */
  readonly adminFailures: () => Readonly<Record<string, number>>
}

/** Where the operator's configuration stands. */
export interface ConfigFigures {
  /** Invalid readings so far. */
  readonly failures: number
  /** When what is in force was read, in Unix milliseconds. */
  readonly loadedAtMs: number
}

/** How late the event loop of a worker ran since the last scrape, in seconds. */
export interface LoopDelayFigures {
  readonly worker: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface PublishFigures {
  /** Number of the generation that serves; 0: none yet. */
  readonly generation: number
  readonly endpointsVersion: number
  readonly failures: Readonly<Record<PublishFailure, number>>
  readonly isPinned: boolean
  /** Audit records that did not reach the webhook. */
  readonly webhookFailures: number
  readonly compile: HistogramTotals
  readonly publishGeneration: HistogramTotals
  readonly publishEndpoints: HistogramTotals
}

/** The name, type, help and labels of a metric: what docs/metrics.md is made from. */
export interface Declaration {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

interface Scrape {
  readonly config: ConfigFigures | undefined
  readonly totals: ProcessTotals
  readonly publishing: PublishFigures
  readonly writing: WritingFigures
  readonly kinds: readonly KindFigures[]
  readonly adminFailures: Readonly<Record<string, number>>
  readonly warnings: ReadonlyMap<string, number>
  readonly workerRestarts: Readonly<Record<string, number>>
  readonly loopDelays: readonly LoopDelayFigures[]
}

type Reader = (scrape: Scrape) => readonly Sample[]

interface Row extends Declaration {
  readonly read: Reader
}

const REQUESTS: readonly Row[] = [
  counter('ramjet_requests_total', 'Requests that were routed or answered by Ramjet', field('requests')),
  counter(
    'ramjet_responses_total',
    'Answers to clients by class; 1xx: interim ones',
    fields('class', {
      '1xx': 'responses1xx',
      '2xx': 'responses2xx',
      '3xx': 'responses3xx',
      '4xx': 'responses4xx',
      '5xx': 'responses5xx',
    }),
  ),
  histogram('ramjet_request_duration_seconds', 'Request head read to last byte of the answer, tunnels left out', [
    [[], ({ totals }) => totals.histograms.requestDuration],
  ]),
  counter('ramjet_route_misses_total', 'Requests that no host and no path took', field('routeMisses')),
  counter(
    'ramjet_refused_total',
    'Requests and connections refused or cut by a limit',
    fields('reason', {
      malformed: 'refusedMalformed',
      head_size: 'refusedHeadSize',
      target_size: 'refusedTargetSize',
      fields: 'refusedFields',
      body_size: 'refusedBodySize',
      header_timeout: 'refusedHeaderTimeout',
      body_timeout: 'refusedBodyTimeout',
      send_timeout: 'refusedSendTimeout',
      version: 'refusedVersion',
      budget: 'refusedBudget',
      other: 'refusedOther',
    }),
  ),
  counter(
    'ramjet_dropped_fields_total',
    'Fields of clients that were removed before use',
    fields('reason', {
      underscore: 'droppedUnderscore',
      dot: 'droppedDot',
      trailer: 'droppedTrailer',
      managed: 'droppedManaged',
    }),
  ),
  counter(
    'ramjet_dispatch_total',
    'Connections by the lane that took them',
    fields('lane', { h1: 'dispatchH1', h2: 'dispatchH2' }),
  ),
  counter(
    'ramjet_engine_unsupported_grpc_total',
    'gRPC requests to backends that do not speak HTTP/2',
    field('grpcUnsupported'),
  ),
  // Both engines dial HTTP/2: the line is there so that dashboards keep it (R22-25).
  counter('ramjet_engine_unsupported_h2c_total', 'Stays 0', { labels: [], read: () => [sample([], 0)] }),
]

const SHED = { refused: 'shedRefused', closed: 'shedClosed', paused: 'shedPaused' } as const

const CONNECTIONS: readonly Row[] = [
  gauge('ramjet_active_connections', 'Client connections open', field('activeConnections')),
  counter(
    'ramjet_connections_dropped_total',
    'Connections above the maximum, closed at once',
    fields('reason', { limit: 'connectionsDroppedLimit' }),
  ),
  gauge('ramjet_tunnels', 'Upgraded connections open', field('tunnels')),
  counter(
    'ramjet_proxy_protocol_failures_total',
    'Connections closed for their PROXY header',
    fields('reason', {
      missing: 'proxyHeaderMissing',
      malformed: 'proxyHeaderMalformed',
      timeout: 'proxyHeaderTimeout',
      peer: 'proxyHeaderPeer',
    }),
  ),
  counter(
    'ramjet_h2_guard_closes_total',
    'HTTP/2 connections closed by a flood guard',
    fields('guard', { resets: 'h2GuardResets', control: 'h2GuardControl', bytes: 'h2GuardBytes' }),
  ),
  gauge('ramjet_buffered_bytes', 'Bytes in use of --buffer-budget', field('bufferedBytes')),
  counter('ramjet_buffer_shed_total', 'What --buffer-budget made a worker do', fields('action', SHED)),
]

const UPSTREAM: readonly Row[] = [
  histogram('ramjet_upstream_latency_seconds', 'Request sent to response head', [
    [[], ({ totals }) => totals.histograms.upstreamLatency],
  ]),
  counter(
    'ramjet_upstream_connect_failures_total',
    'Connections to endpoints that failed',
    fields('reason', {
      refused: 'connectRefused',
      timeout: 'connectTimeout',
      unreachable: 'connectUnreachable',
      reset: 'connectReset',
      tls: 'connectTls',
      denied: 'connectDenied',
      other: 'connectOther',
    }),
  ),
  counter(
    'ramjet_upstream_timeouts_total',
    'Timers towards an endpoint that ran out',
    fields('phase', { connect: 'timeoutConnect', head: 'timeoutHead', body: 'timeoutBody' }),
  ),
  counter(
    'ramjet_upstream_retries_total',
    'Tries after the first',
    fields('reason', {
      connect: 'retriesConnect',
      reused: 'retriesReused',
      refused_stream: 'retriesRefusedStream',
      goaway: 'retriesGoaway',
      status: 'retriesStatus',
      timeout: 'retriesTimeout',
    }),
  ),
]

const TLS: readonly Row[] = [
  counter('ramjet_tls_handshakes_total', 'Handshakes completed, resumed ones included', field('tlsHandshakes')),
  counter(
    'ramjet_tls_handshake_failures_total',
    'Handshakes that failed',
    fields('reason', {
      no_certificate: 'tlsNoCertificate',
      no_protocol: 'tlsNoProtocol',
      client_certificate: 'tlsClientCertificate',
      not_tls: 'tlsNotTls',
      timeout: 'tlsTimeout',
      callback: 'tlsCallback',
      protocol: 'tlsProtocol',
      reset: 'tlsReset',
    }),
  ),
  counter('ramjet_tls_contexts_built_total', 'Secure contexts made', field('tlsContextsBuilt')),
]

const CONTROL_PLANE: readonly Row[] = [
  histogram('ramjet_compile_seconds', 'One compile', [[[], ({ publishing }) => publishing.compile]]),
  histogram(
    'ramjet_publish_seconds',
    'Event received to last worker serving',
    [
      [[['what', 'generation']], ({ publishing }) => publishing.publishGeneration],
      [[['what', 'endpoints']], ({ publishing }) => publishing.publishEndpoints],
    ],
    ['what'],
  ),
  counter(
    'ramjet_publish_failures_total',
    'Publishes that a worker refused',
    labelled('reason', ({ publishing }) => Object.entries(publishing.failures)),
  ),
  gauge('ramjet_route_table_generation', 'Number of the generation that serves', {
    labels: [],
    read: ({ publishing }) => [sample([], publishing.generation)],
  }),
  gauge('ramjet_endpoints_version', 'Version of the endpoints that serve', {
    labels: [],
    read: ({ publishing }) => [sample([], publishing.endpointsVersion)],
  }),
  gauge('ramjet_pinned', '1 while a pin is held', {
    labels: [],
    read: ({ publishing }) => [sample([], publishing.isPinned ? 1 : 0)],
  }),
  gauge(
    'ramjet_warnings',
    'Current warnings',
    labelled('reason', ({ warnings }) =>
      Object.keys(WARNING_REASONS).map((reason) => [reason, warnings.get(reason) ?? 0]),
    ),
  ),
  gauge('ramjet_leader', '1 while this replica leads and writes to the cluster', {
    labels: [],
    read: ({ writing }) => [sample([], writing.isLeading ? 1 : 0)],
  }),
  gauge(
    'ramjet_objects',
    'Objects in the cache',
    byKind(({ objects }) => objects),
  ),
  gauge(
    'ramjet_last_sync_age_seconds',
    'Since the watch of the kind last proved alive',
    byKind(({ lastSyncAgeMs }) => (lastSyncAgeMs === undefined ? undefined : lastSyncAgeMs / 1000)),
  ),
  counter(
    'ramjet_watch_restarts_total',
    'Watches begun again',
    byKind(({ watchRestarts }) => watchRestarts),
  ),
  gauge(
    'ramjet_workqueue_depth',
    'Keys waiting',
    byKind(({ queueDepth }) => queueDepth),
  ),
  counter(
    'ramjet_reconcile_errors_total',
    'Reconciles that threw',
    byKind(({ reconcileErrors }) => reconcileErrors),
  ),
  counter(
    'ramjet_status_write_failures_total',
    'Writes onto objects that the API server refused',
    labelled('kind', ({ writing }) => [...writing.writeFailures]),
  ),
  counter('ramjet_events_dropped_total', 'Events that were not written', {
    labels: [],
    read: ({ writing }) => [sample([], writing.eventsDropped)],
  }),
  counter('ramjet_audit_webhook_failures_total', 'Audit records that did not reach --audit-webhook', {
    labels: [],
    read: ({ publishing }) => [sample([], publishing.webhookFailures)],
  }),
  counter('ramjet_config_reload_failures_total', "Invalid readings of the operator's configuration", {
    labels: [],
    read: ({ config }) => [sample([], config?.failures ?? 0)],
  }),
  gauge('ramjet_config_loaded_timestamp_seconds', "When the operator's configuration that is in force was read", {
    labels: [],
    read: ({ config }) => (config ? [sample([], config.loadedAtMs / 1000)] : []),
  }),
  counter(
    'ramjet_admin_failures_total',
    'Requests to the admin listener that were refused, or cut while relayed',
    labelled('reason', ({ adminFailures }) => Object.entries(adminFailures)),
  ),
]

const PROCESS: readonly Row[] = [
  counter(
    'ramjet_worker_restarts_total',
    'Workers replaced',
    labelled('reason', ({ workerRestarts }) => Object.entries(workerRestarts)),
  ),
  gauge('ramjet_event_loop_delay_seconds', 'How much later than asked timers of a worker ran since the last scrape', {
    labels: ['worker', 'stat'],
    read: ({ loopDelays }) => loopDelays.flatMap(loopDelaySamples),
  }),
]

const ROWS: readonly Row[] = [...REQUESTS, ...CONNECTIONS, ...UPSTREAM, ...TLS, ...CONTROL_PLANE, ...PROCESS]

/** Every metric of ours, in the order in which they are written. */
export const METRICS: readonly Declaration[] = ROWS

/** What every metric of ours is at now. */
export function collectFamilies(sources: MetricSources): readonly Family[] {
  const scrape: Scrape = {
    totals: sources.totals(),
    publishing: sources.publishing(),
    config: sources.config(),
    kinds: sources.kinds(),
    writing: sources.writing(),
    adminFailures: sources.adminFailures(),
    warnings: sources.warnings(),
    workerRestarts: sources.workerRestarts(),
    loopDelays: sources.loopDelays(),
  }
  return ROWS.map(({ name, type, help, read }) => ({ name, type, help, samples: read(scrape) }))
}

interface Series {
  readonly labels: readonly string[]
  readonly read: Reader
}

function counter(name: string, help: string, series: Series): Row {
  return { name, type: 'counter', help, ...series }
}

function gauge(name: string, help: string, series: Series): Row {
  return { name, type: 'gauge', help, ...series }
}

type HistogramSource = readonly [labels: Sample['labels'], read: (scrape: Scrape) => HistogramTotals]

function histogram(
  name: string,
  help: string,
  sources: readonly HistogramSource[],
  labels: readonly string[] = [],
): Row {
  const read: Reader = (scrape) => sources.flatMap(([values, totals]) => histogramSamples(values, totals(scrape)))
  return { name, type: 'histogram', help, labels, read }
}

function histogramSamples(labels: Sample['labels'], totals: HistogramTotals): readonly Sample[] {
  const bounds = [...DURATION_BUCKETS.map(String), '+Inf']
  const buckets = bounds.map((le, index) => ({
    suffix: '_bucket',
    labels: [...labels, ['le', le] as const],
    value: totals.cumulative[index] ?? totals.count,
  }))
  return [
    ...buckets,
    { suffix: '_sum', labels, value: totals.sumSeconds },
    { suffix: '_count', labels, value: totals.count },
  ]
}

function loopDelaySamples({ worker, p50, p99, max }: LoopDelayFigures): readonly Sample[] {
  const stats = { p50, p99, max }
  return Object.entries(stats).map(([stat, value]) =>
    sample(
      [
        ['worker', String(worker)],
        ['stat', stat],
      ],
      value,
    ),
  )
}

/** A series of one field of the workers' counters. */
function field(name: ProcessField): Series {
  return { labels: [], read: ({ totals }) => [sample([], totals.fields[name])] }
}

/** A series for each value of a closed label; `undefined`: nothing in this build moves it, it stays 0 (R34-3). */
function fields(label: string, byValue: Readonly<Record<string, ProcessField | undefined>>): Series {
  const entries = Object.entries(byValue)
  return labelled(label, ({ totals }) =>
    entries.map(([value, name]) => [value, name === undefined ? 0 : totals.fields[name]]),
  )
}

function byKind(read: (kind: KindFigures) => number | undefined): Series {
  return labelled('kind', ({ kinds }) =>
    kinds.flatMap((kind) => {
      const value = read(kind)
      return value === undefined ? [] : [[kind.kind, value] as const]
    }),
  )
}

function labelled(label: string, read: (scrape: Scrape) => readonly (readonly [value: string, at: number])[]): Series {
  return { labels: [label], read: (scrape) => read(scrape).map(([value, at]) => sample([[label, value]], at)) }
}

function sample(labels: Sample['labels'], value: number): Sample {
  return { suffix: '', labels, value }
}
