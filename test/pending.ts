/** What rows of a table wait for: a feature that is not in this build, and how one sees that it is not. */
export interface PendingRows {
  /** The table's chapter. */
  readonly table: 71
  readonly feature: string
  /** A flag of the feature: as soon as it is built, its rows must stand. */
  readonly flag?: string
  /** The feature is being built, its flags first: its rows stand when it is done. */
  readonly underway?: true
  /** An annotation of the feature, without its prefix. */
  readonly annotation?: string
  readonly rows: readonly number[]
}

/**
 * The one list of rows whose feature is not built yet, of every table that a test holds complete (R71-17). A change may
 * only shorten it.
 */
export const PENDING: readonly PendingRows[] = []

/** The same of the table of metrics (R34-9): a scrape has none of them before its feature is there. */
export interface PendingMetrics {
  /** The table's chapter. */
  readonly table: 34
  readonly feature: string
  /** A flag of the feature, or a field of the operator's configuration. */
  readonly waitsFor: { readonly flag: string } | { readonly field: string }
  readonly metrics: readonly string[]
}

export const PENDING_METRICS: readonly PendingMetrics[] = [
  {
    table: 34,
    feature: 'UDP routes',
    waitsFor: { flag: '--max-udp-sessions' },
    metrics: ['ramjet_udp_sessions', 'ramjet_udp_sessions_dropped_total'],
  },
  {
    table: 34,
    feature: 'HTTP/3',
    waitsFor: { flag: '--http3' },
    metrics: ['ramjet_h3_requests_total', 'ramjet_h3_connections_total', 'ramjet_h3_handshake_failures_total'],
  },
  {
    table: 34,
    feature: 'mirrors',
    waitsFor: { flag: '--mirror-max-body' },
    metrics: [
      'ramjet_mirrored_total',
      'ramjet_mirror_dropped_total',
      'ramjet_mirror_skipped_total',
      'ramjet_mirror_failures_total',
    ],
  },
  {
    table: 34,
    feature: 'caches',
    waitsFor: { field: 'caches' },
    metrics: [
      'ramjet_cache_requests_total',
      'ramjet_cache_objects',
      'ramjet_cache_bytes',
      'ramjet_cache_evictions_total',
      'ramjet_cache_store_errors_total',
    ],
  },
  {
    table: 34,
    feature: 'the admission webhook',
    waitsFor: { flag: '--admission' },
    metrics: ['ramjet_admission_seconds'],
  },
  {
    table: 34,
    feature: 'access logs',
    waitsFor: { flag: '--access-log' },
    metrics: ['ramjet_access_log_dropped_total'],
  },
  { table: 34, feature: 'tracing', waitsFor: { field: 'tracers' }, metrics: ['ramjet_spans_dropped_total'] },
  {
    table: 34,
    feature: 'metrics by route',
    waitsFor: { flag: '--route-metrics' },
    metrics: [
      'ramjet_route_requests_total',
      'ramjet_route_upstream_latency_seconds',
      'ramjet_route_response_bytes_total',
    ],
  },
]
