import { expect } from 'chai'
import { PROCESS_FIELDS } from '../../src/model/counters.ts'
import { DurationHistogram } from '../../src/observability/histogram.ts'
import type { MetricSources } from '../../src/observability/metric-sources.ts'
import { collectFamilies, METRICS } from '../../src/observability/metrics.ts'
import { metricsText } from '../../src/observability/metrics-text.ts'
import { watchProcess } from '../../src/observability/process-metrics.ts'
import { ADMIN_FAILURES, PUBLISHING, sourcesWith, totalsWith } from '../builders/metric-sources.ts'
import { PENDING_METRICS } from '../pending.ts'

// The metrics as they are specified, written down once more: name | type | labels and their closed sets.
const SPECIFIED = `
ramjet_requests_total | counter
ramjet_responses_total | counter | class: 1xx 2xx 3xx 4xx 5xx
ramjet_request_duration_seconds | histogram
ramjet_route_misses_total | counter
ramjet_refused_total | counter | reason: malformed head_size target_size fields body_size header_timeout body_timeout send_timeout version budget other
ramjet_dropped_fields_total | counter | reason: underscore dot trailer managed
ramjet_dispatch_total | counter | lane: h1 h2
ramjet_engine_unsupported_grpc_total | counter
ramjet_engine_unsupported_h2c_total | counter
ramjet_active_connections | gauge
ramjet_connections_dropped_total | counter | reason: limit
ramjet_tunnels | gauge
ramjet_udp_sessions | gauge
ramjet_udp_sessions_dropped_total | counter
ramjet_proxy_protocol_failures_total | counter | reason: missing malformed timeout peer
ramjet_h2_guard_closes_total | counter | guard: resets control bytes
ramjet_h3_requests_total | counter
ramjet_h3_connections_total | counter
ramjet_h3_handshake_failures_total | counter
ramjet_buffered_bytes | gauge
ramjet_buffer_shed_total | counter | action: refused closed paused
ramjet_upstream_latency_seconds | histogram
ramjet_upstream_connect_failures_total | counter | reason: refused timeout unreachable reset tls denied other
ramjet_upstream_timeouts_total | counter | phase: connect head body
ramjet_upstream_retries_total | counter | reason: connect reused refused_stream goaway status timeout
ramjet_tls_handshakes_total | counter
ramjet_tls_handshake_failures_total | counter | reason: no_certificate no_protocol client_certificate not_tls timeout callback protocol reset
ramjet_tls_contexts_built_total | counter
ramjet_certificate_expiry_seconds | gauge | namespace,secret: *
ramjet_mirrored_total | counter
ramjet_mirror_dropped_total | counter
ramjet_mirror_skipped_total | counter
ramjet_mirror_failures_total | counter
ramjet_cache_requests_total | counter | cache,status: *
ramjet_cache_objects | gauge | cache: *
ramjet_cache_bytes | gauge | cache: *
ramjet_cache_evictions_total | counter | cache: *
ramjet_cache_store_errors_total | counter | cache: *
ramjet_compile_seconds | histogram
ramjet_publish_seconds | histogram | what: generation endpoints
ramjet_publish_failures_total | counter | reason: tls_context limit port memory digest other
ramjet_route_table_generation | gauge
ramjet_endpoints_version | gauge
ramjet_pinned | gauge
ramjet_warnings | gauge | reason: *
ramjet_leader | gauge
ramjet_objects | gauge | kind: Ingress
ramjet_last_sync_age_seconds | gauge | kind: Ingress
ramjet_watch_restarts_total | counter | kind: Ingress
ramjet_workqueue_depth | gauge | kind: Ingress
ramjet_reconcile_errors_total | counter | kind: Ingress
ramjet_status_write_failures_total | counter | kind: Ingress
ramjet_events_dropped_total | counter
ramjet_audit_webhook_failures_total | counter
ramjet_config_reload_failures_total | counter
ramjet_config_loaded_timestamp_seconds | gauge
ramjet_admission_seconds | histogram
ramjet_admin_failures_total | counter | reason: relay_limit relay_timeout relay_connect relay_broken events_limit
ramjet_worker_restarts_total | counter | reason: exception stall memory exit publish
ramjet_event_loop_delay_seconds | gauge | worker,stat: *
ramjet_access_log_dropped_total | counter
ramjet_spans_dropped_total | counter
ramjet_route_requests_total | counter | kind,namespace,name,rule,host,path,backend,side,class: *
ramjet_route_upstream_latency_seconds | histogram | kind,namespace,name,rule,host,path,backend,side: *
ramjet_route_response_bytes_total | counter | kind,namespace,name,rule,host,path,backend,side: *
`

const SPECIFIED_ROWS = SPECIFIED.trim()
  .split('\n')
  .map((line) => {
    const [name = '', type = '', labels = ''] = line.split(' | ')
    const [label = '', values = ''] = labels.split(': ')
    return { name, type, label, values: values.split(' ').filter(Boolean) }
  })
const PENDING = PENDING_METRICS.flatMap(({ metrics }) => metrics)
const ROWS = SPECIFIED_ROWS.filter(({ name }) => !PENDING.includes(name))

function textOf(over: Partial<MetricSources> = {}): string {
  return metricsText(collectFamilies(sourcesWith(over)), 'prometheus')
}

/** The lines that are not at zero. */
function movedBy(over: Partial<MetricSources>): readonly string[] {
  const before = new Set(textOf().split('\n'))
  return textOf(over)
    .split('\n')
    .filter((line) => !before.has(line))
}

describe('METRICS', () => {
  it('are those of the specification, with type and labels (R34-9)', () => {
    const declared = METRICS.map(({ name, type, labels }) => ({ name, type, label: labels.join() }))
    expect(declared).to.deep.equal(ROWS.map(({ name, type, label }) => ({ name, type, label })))
  })

  it('and those that wait for their feature are all that are specified (R34-9, R71-17)', () => {
    const specified = SPECIFIED_ROWS.map(({ name }) => name)
    expect([...METRICS.map(({ name }) => name), ...PENDING]).to.have.members(specified)
  })

  it('R21-15: every certificate that serves has the time of its end', () => {
    const certificates = [{ namespace: 'shop', secret: 'tls', notAfterMs: Date.UTC(2026, 0, 2) }]
    const line = 'ramjet_certificate_expiry_seconds{namespace="shop",secret="tls"} 1767312000'
    expect(movedBy({ certificates: () => certificates })).to.deep.equal([line])
  })

  for (const { name, label, values } of ROWS.filter((row) => row.values.length > 0 && row.values[0] !== '*')) {
    it(`${name} has every ${label} from the start, at zero (R34-3)`, () => {
      const found = [...textOf().matchAll(new RegExp(`^${name}(?:_count)?\\{${label}="(\\w+)"\\} 0$`, 'gm'))]
      expect(found.map(([, value]) => value)).to.deep.equal(values)
    })
  }

  it('have no series without a kind in static mode', () => {
    expect(textOf({ kinds: () => [] })).not.to.match(/^ramjet_objects/m)
  })
})

const MOVES: readonly {
  readonly by: string
  readonly over: Partial<MetricSources>
  readonly lines: readonly string[]
}[] = [
  ...(
    [
      ['requests', 'ramjet_requests_total'],
      ['responses1xx', 'ramjet_responses_total{class="1xx"}'],
      ['responses2xx', 'ramjet_responses_total{class="2xx"}'],
      ['responses3xx', 'ramjet_responses_total{class="3xx"}'],
      ['responses4xx', 'ramjet_responses_total{class="4xx"}'],
      ['responses5xx', 'ramjet_responses_total{class="5xx"}'],
      ['routeMisses', 'ramjet_route_misses_total'],
      ['refusedMalformed', 'ramjet_refused_total{reason="malformed"}'],
      ['refusedHeadSize', 'ramjet_refused_total{reason="head_size"}'],
      ['refusedTargetSize', 'ramjet_refused_total{reason="target_size"}'],
      ['refusedFields', 'ramjet_refused_total{reason="fields"}'],
      ['refusedBodySize', 'ramjet_refused_total{reason="body_size"}'],
      ['refusedHeaderTimeout', 'ramjet_refused_total{reason="header_timeout"}'],
      ['refusedBodyTimeout', 'ramjet_refused_total{reason="body_timeout"}'],
      ['refusedSendTimeout', 'ramjet_refused_total{reason="send_timeout"}'],
      ['refusedVersion', 'ramjet_refused_total{reason="version"}'],
      ['refusedBudget', 'ramjet_refused_total{reason="budget"}'],
      ['refusedOther', 'ramjet_refused_total{reason="other"}'],
      ['droppedUnderscore', 'ramjet_dropped_fields_total{reason="underscore"}'],
      ['droppedDot', 'ramjet_dropped_fields_total{reason="dot"}'],
      ['droppedTrailer', 'ramjet_dropped_fields_total{reason="trailer"}'],
      ['droppedManaged', 'ramjet_dropped_fields_total{reason="managed"}'],
      ['dispatchH1', 'ramjet_dispatch_total{lane="h1"}'],
      ['activeConnections', 'ramjet_active_connections'],
      ['connectionsDroppedLimit', 'ramjet_connections_dropped_total{reason="limit"}'],
      ['tunnels', 'ramjet_tunnels'],
      ['proxyHeaderMissing', 'ramjet_proxy_protocol_failures_total{reason="missing"}'],
      ['proxyHeaderMalformed', 'ramjet_proxy_protocol_failures_total{reason="malformed"}'],
      ['proxyHeaderTimeout', 'ramjet_proxy_protocol_failures_total{reason="timeout"}'],
      ['proxyHeaderPeer', 'ramjet_proxy_protocol_failures_total{reason="peer"}'],
      ['bufferedBytes', 'ramjet_buffered_bytes'],
      ['shedRefused', 'ramjet_buffer_shed_total{action="refused"}'],
      ['shedClosed', 'ramjet_buffer_shed_total{action="closed"}'],
      ['shedPaused', 'ramjet_buffer_shed_total{action="paused"}'],
      ['connectRefused', 'ramjet_upstream_connect_failures_total{reason="refused"}'],
      ['connectTimeout', 'ramjet_upstream_connect_failures_total{reason="timeout"}'],
      ['connectUnreachable', 'ramjet_upstream_connect_failures_total{reason="unreachable"}'],
      ['connectReset', 'ramjet_upstream_connect_failures_total{reason="reset"}'],
      ['connectDenied', 'ramjet_upstream_connect_failures_total{reason="denied"}'],
      ['connectOther', 'ramjet_upstream_connect_failures_total{reason="other"}'],
      ['timeoutConnect', 'ramjet_upstream_timeouts_total{phase="connect"}'],
      ['timeoutHead', 'ramjet_upstream_timeouts_total{phase="head"}'],
      ['timeoutBody', 'ramjet_upstream_timeouts_total{phase="body"}'],
      ['retriesConnect', 'ramjet_upstream_retries_total{reason="connect"}'],
      ['retriesReused', 'ramjet_upstream_retries_total{reason="reused"}'],
      ['dispatchH2', 'ramjet_dispatch_total{lane="h2"}'],
      ['grpcUnsupported', 'ramjet_engine_unsupported_grpc_total'],
      ['h2GuardResets', 'ramjet_h2_guard_closes_total{guard="resets"}'],
      ['h2GuardControl', 'ramjet_h2_guard_closes_total{guard="control"}'],
      ['h2GuardBytes', 'ramjet_h2_guard_closes_total{guard="bytes"}'],
      ['connectTls', 'ramjet_upstream_connect_failures_total{reason="tls"}'],
      ['retriesRefusedStream', 'ramjet_upstream_retries_total{reason="refused_stream"}'],
      ['retriesGoaway', 'ramjet_upstream_retries_total{reason="goaway"}'],
      ['tlsHandshakes', 'ramjet_tls_handshakes_total'],
      ['tlsNoCertificate', 'ramjet_tls_handshake_failures_total{reason="no_certificate"}'],
      ['tlsNoProtocol', 'ramjet_tls_handshake_failures_total{reason="no_protocol"}'],
      ['tlsClientCertificate', 'ramjet_tls_handshake_failures_total{reason="client_certificate"}'],
      ['tlsNotTls', 'ramjet_tls_handshake_failures_total{reason="not_tls"}'],
      ['tlsTimeout', 'ramjet_tls_handshake_failures_total{reason="timeout"}'],
      ['tlsCallback', 'ramjet_tls_handshake_failures_total{reason="callback"}'],
      ['tlsProtocol', 'ramjet_tls_handshake_failures_total{reason="protocol"}'],
      ['tlsReset', 'ramjet_tls_handshake_failures_total{reason="reset"}'],
      ['tlsContextsBuilt', 'ramjet_tls_contexts_built_total'],
      ['retriesStatus', 'ramjet_upstream_retries_total{reason="status"}'],
      ['retriesTimeout', 'ramjet_upstream_retries_total{reason="timeout"}'],
    ] as const
  ).map(([field, series]) => ({
    by: field,
    over: { totals: () => totalsWith({ [field]: 7 }) },
    lines: [`${series} 7`],
  })),
  {
    by: 'the generation',
    over: { publishing: () => ({ ...PUBLISHING, generation: 3, endpointsVersion: 9 }) },
    lines: ['ramjet_route_table_generation 3', 'ramjet_endpoints_version 9'],
  },
  {
    by: 'a configuration that was read',
    over: { config: () => ({ failures: 0, loadedAtMs: 1_500 }) },
    lines: ['ramjet_config_loaded_timestamp_seconds 1.5'],
  },
  {
    by: 'a configuration that was refused',
    over: { config: () => ({ failures: 2, loadedAtMs: 1_500 }) },
    lines: ['ramjet_config_reload_failures_total 2', 'ramjet_config_loaded_timestamp_seconds 1.5'],
  },
  {
    by: 'a pin and a webhook that is away',
    over: { publishing: () => ({ ...PUBLISHING, isPinned: true, webhookFailures: 3 }) },
    lines: ['ramjet_pinned 1', 'ramjet_audit_webhook_failures_total 3'],
  },
  {
    by: 'a request that the admin listener refused',
    over: { adminFailures: () => ({ ...ADMIN_FAILURES, events_limit: 2 }) },
    lines: ['ramjet_admin_failures_total{reason="events_limit"} 2'],
  },
  {
    by: 'a refused publish',
    over: { publishing: () => ({ ...PUBLISHING, failures: { ...PUBLISHING.failures, port: 2 } }) },
    lines: ['ramjet_publish_failures_total{reason="port"} 2'],
  },
  {
    by: 'a warning',
    over: { warnings: () => new Map([['InvalidHost', 2]]) },
    lines: ['ramjet_warnings{reason="InvalidHost"} 2'],
  },
  {
    by: 'a kind',
    over: {
      kinds: () => [
        { kind: 'Ingress', objects: 1, lastSyncAgeMs: 2500, watchRestarts: 3, queueDepth: 4, reconcileErrors: 5 },
      ],
    },
    lines: [
      'ramjet_objects{kind="Ingress"} 1',
      'ramjet_last_sync_age_seconds{kind="Ingress"} 2.5',
      'ramjet_watch_restarts_total{kind="Ingress"} 3',
      'ramjet_workqueue_depth{kind="Ingress"} 4',
      'ramjet_reconcile_errors_total{kind="Ingress"} 5',
    ],
  },
  {
    by: 'a worker that died',
    over: { workerRestarts: () => ({ exception: 0, stall: 0, memory: 1, exit: 0, publish: 0 }) },
    lines: ['ramjet_worker_restarts_total{reason="memory"} 1'],
  },
  {
    by: 'an event loop that was late',
    over: { loopDelays: () => [{ worker: 3, p50: 0.001, p99: 0.02, max: 1.5 }] },
    lines: [
      'ramjet_event_loop_delay_seconds{worker="3",stat="p50"} 0.001',
      'ramjet_event_loop_delay_seconds{worker="3",stat="p99"} 0.02',
      'ramjet_event_loop_delay_seconds{worker="3",stat="max"} 1.5',
    ],
  },
]

describe('a scrape', () => {
  for (const { by, over, lines } of MOVES) {
    it(`is moved by ${by}`, () => expect(movedBy(over)).to.deep.equal(lines))
  }

  it('has a case for every field that a worker counts, but those that no metric shows', () => {
    const cased = MOVES.map(({ by }) => by).filter((by) => PROCESS_FIELDS.some((name) => name === by))
    expect([...cased, 'untrustedForwardedFor', 'requestsInFlight']).to.have.members(PROCESS_FIELDS)
  })

  for (const [name, source] of [
    ['ramjet_request_duration_seconds', 'requestDuration'],
    ['ramjet_upstream_latency_seconds', 'upstreamLatency'],
  ] as const) {
    it(`writes ${name} with the buckets of R34-8`, () => {
      const seen = new DurationHistogram()
      for (const seconds of [0.001, 0.002, 0.3, 11]) seen.observe(seconds)
      const lines = textOf({ totals: () => totalsWith({}, { [source]: seen.totals() }) })
        .split('\n')
        .filter((line) => line.startsWith(`${name}_`))
      expect(lines).to.deep.equal([
        ...['0.001', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'].map(
          (le, index) => `${name}_bucket{le="${le}"} ${[1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4][index]}`,
        ),
        `${name}_sum 11.303`,
        `${name}_count 4`,
      ])
    })
  }

  it('tells publishes of generations from those of endpoints', () => {
    const seen = new DurationHistogram()
    seen.observe(20)
    expect(movedBy({ publishing: () => ({ ...PUBLISHING, publishEndpoints: seen.totals() }) })).to.deep.equal([
      'ramjet_publish_seconds_bucket{what="endpoints",le="+Inf"} 1',
      'ramjet_publish_seconds_sum{what="endpoints"} 20',
      'ramjet_publish_seconds_count{what="endpoints"} 1',
    ])
  })
})

describe('metricsText', () => {
  const family = {
    name: 'x_total',
    type: 'counter',
    help: 'a "b" \\ c\nd',
    samples: [{ suffix: '', labels: [['l', 'a"b\\c\nd']], value: Number.POSITIVE_INFINITY }],
  } as const

  it('writes the Prometheus text format', () => {
    expect(metricsText([family], 'prometheus')).to.equal(
      '# HELP x_total a "b" \\\\ c\\nd\n# TYPE x_total counter\nx_total{l="a\\"b\\\\c\\nd"} +Inf\n',
    )
  })

  it('writes OpenMetrics, where a counter loses _total from its name and its lines keep it', () => {
    expect(metricsText([family], 'openmetrics')).to.equal(
      '# HELP x a \\"b\\" \\\\ c\\nd\n# TYPE x counter\nx_total{l="a\\"b\\\\c\\nd"} +Inf\n# EOF\n',
    )
  })
})

describe('watchProcess', () => {
  it('gives process_* and nodejs_* with types and lines of one name each', async () => {
    const families = await watchProcess()()
    const byName = new Map(families.map((entry) => [entry.name, entry]))
    expect(byName.get('process_cpu_seconds_total')?.type).to.equal('counter')
    expect(byName.get('nodejs_eventloop_lag_seconds')?.type).to.equal('gauge')
    expect(byName.get('nodejs_gc_duration_seconds')?.type).to.equal('histogram')
    const suffixes = new Set(families.flatMap(({ samples }) => samples.map(({ suffix }) => suffix)))
    expect([...suffixes].filter((suffix) => !['', '_bucket', '_sum', '_count'].includes(suffix))).to.deep.equal([])
  })
})
