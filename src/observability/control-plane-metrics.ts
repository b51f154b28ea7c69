// Metrics of compiling, publishing, watching and writing.
import { WARNING_REASONS } from '../model/warning.ts'
import { byKind, counter, gauge, histogram, labelled, type Row, sample } from './metric-series.ts'

export const CONTROL_PLANE: readonly Row[] = [
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
