// Metrics of requests: what came, what was answered, what was refused.
import { counter, field, fields, histogram, type Row, sample } from './metric-series.ts'

export const REQUESTS: readonly Row[] = [
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
