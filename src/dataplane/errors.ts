import { type ErrorOptions, RamjetError } from '../lib/errors.ts'

/** What became of an attempt to connect: the label of `ramjet_upstream_connect_failures_total`. */
export type ConnectFailure = 'refused' | 'timeout' | 'unreachable' | 'reset' | 'tls' | 'other'

/** An error inside an exchange: which side failed, what the client is answered, and whether another try is harmless. */
export abstract class ExchangeError extends RamjetError {
  abstract readonly side: 'client' | 'upstream'
  /** The status of our answer, as long as no response head went out. */
  abstract readonly status: number
  /** True where no byte of the request can have reached the upstream. */
  abstract readonly safeToRetry: boolean
}

/** No connection to an endpoint; no byte of the request was sent. */
export class UpstreamConnectError extends ExchangeError {
  readonly code = 'RAMJET_UPSTREAM_CONNECT'
  readonly side = 'upstream'
  readonly status = 502
  readonly safeToRetry = true
  readonly failure: ConnectFailure

  constructor(endpoint: string, failure: ConnectFailure, options: ErrorOptions = {}) {
    super(`no connection to ${endpoint}: ${failure}`, { ...options, context: { endpoint, failure } })
    this.failure = failure
  }
}

/** An endpoint did not take the connection in time. */
export class UpstreamConnectTimeoutError extends ExchangeError {
  readonly code = 'RAMJET_UPSTREAM_CONNECT_TIMEOUT'
  readonly side = 'upstream'
  readonly status = 504
  readonly safeToRetry = true
  readonly failure = 'timeout'

  constructor(endpoint: string, timeoutMs: number, options: ErrorOptions = {}) {
    super(`no connection to ${endpoint} within ${timeoutMs} ms`, { ...options, context: { endpoint, timeoutMs } })
  }
}

/** Past its restart budget, every worker is dead (R70-123). */
export class WorkersLostError extends RamjetError {
  readonly code = 'RAMJET_WORKERS_LOST'

  constructor(workers: number) {
    super(`none of ${workers} data-plane workers is left within its restart budget`, { context: { workers } })
  }
}
