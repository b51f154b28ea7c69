// Names of what the data plane counts in shared memory and the control plane reads (R00-15, R34-7).

/** Fields of one slot: of a route or of an endpoint, which alone has ejections. */
export const SLOT_FIELDS = ['requests', 'errors5xx', 'latencyCount', 'latencyMsSum', 'inFlight', 'ejections'] as const
export type SlotField = (typeof SLOT_FIELDS)[number]

/** Counters and gauges of the whole process, one cell per worker. Those in `PROCESS_GAUGES` also fall. */
export const PROCESS_FIELDS = [
  'requests',
  'responses1xx',
  'responses2xx',
  'responses3xx',
  'responses4xx',
  'responses5xx',
  'routeMisses',
  'refusedMalformed',
  'refusedHeadSize',
  'refusedTargetSize',
  'refusedFields',
  'refusedBodySize',
  'refusedHeaderTimeout',
  'refusedBodyTimeout',
  'refusedSendTimeout',
  'refusedVersion',
  'refusedBudget',
  'refusedOther',
  'droppedUnderscore',
  'droppedDot',
  'droppedTrailer',
  'droppedManaged',
  'dispatchH1',
  'dispatchH2',
  'grpcUnsupported',
  'activeConnections',
  'connectionsDroppedLimit',
  'tunnels',
  'proxyHeaderMissing',
  'proxyHeaderMalformed',
  'proxyHeaderTimeout',
  'proxyHeaderPeer',
  'connectRefused',
  'connectTimeout',
  'connectUnreachable',
  'connectReset',
  'connectTls',
  'connectDenied',
  'connectOther',
  'timeoutConnect',
  'timeoutHead',
  'timeoutBody',
  'retriesConnect',
  'retriesReused',
  'retriesRefusedStream',
  'retriesGoaway',
  'retriesStatus',
  'retriesTimeout',
  'untrustedForwardedFor',
  'requestsInFlight',
  'bufferedBytes',
  'shedRefused',
  'shedClosed',
  'shedPaused',
  'h2GuardResets',
  'h2GuardControl',
  'h2GuardBytes',
  'tlsHandshakes',
  'tlsNoCertificate',
  'tlsNoProtocol',
  'tlsClientCertificate',
  'tlsNotTls',
  'tlsTimeout',
  'tlsCallback',
  'tlsProtocol',
  'tlsReset',
  'tlsContextsBuilt',
] as const
export type ProcessField = (typeof PROCESS_FIELDS)[number]

/** Fields that go down as well, so that what a dead worker left in them must be cleared. */
export const PROCESS_GAUGES: readonly ProcessField[] = [
  'activeConnections',
  'tunnels',
  'requestsInFlight',
  'bufferedBytes',
]

/** Histograms of durations, in seconds. */
export const HISTOGRAMS = ['requestDuration', 'upstreamLatency'] as const
export type HistogramName = (typeof HISTOGRAMS)[number]

/** Upper bounds of the buckets of every duration histogram, in seconds (R34-8). */
export const DURATION_BUCKETS: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The sums over all workers, those that died included. */
export interface ProcessTotals {
  readonly fields: Readonly<Record<ProcessField, number>>
  readonly histograms: Readonly<Record<HistogramName, HistogramTotals>>
}

export interface HistogramTotals {
  /** Observations at or below each bound of `DURATION_BUCKETS`, cumulative; the last entry counts all. */
  readonly cumulative: readonly number[]
  readonly sumSeconds: number
  readonly count: number
}

/** The sums of one slot over all workers. */
export type SlotTotals = Readonly<Record<SlotField, number>>
