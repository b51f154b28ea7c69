// Metrics of what goes to endpoints.
import { counter, fields, histogram, type Row } from './metric-series.ts'

export const UPSTREAM: readonly Row[] = [
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
