import { type ErrorOptions, RamjetError } from '../lib/errors.ts'

export interface ApiStatus {
  /** The status code, of the answer or of a `Status` object in a watch. */
  readonly status: number
  /** `Status.reason`, such as `Expired`; empty where there was no such object. */
  readonly reason: string
  /** What the server asked us to wait; 0 where it did not. */
  readonly retryAfterMs: number
  /** Reasons of `Status.details.causes`. */
  readonly causes: readonly string[]
}

/** The API server answered, and with a refusal. */
export class ApiStatusError extends RamjetError {
  readonly code = 'RAMJET_API_STATUS'
  readonly status: number
  readonly reason: string
  readonly retryAfterMs: number
  readonly causes: readonly string[]

  constructor(message: string, answer: ApiStatus, options: ErrorOptions = {}) {
    super(message, { ...options, context: { status: answer.status, reason: answer.reason } })
    this.status = answer.status
    this.reason = answer.reason
    this.retryAfterMs = answer.retryAfterMs
    this.causes = answer.causes
  }
}

/** The API server could not be reached, broke off, or said nothing in time. */
export class ApiUnreachableError extends RamjetError {
  readonly code = 'RAMJET_API_UNREACHABLE'
}

/** The API server answered with what is no answer: not JSON, or not of the shape that was asked for. */
export class ApiAnswerError extends RamjetError {
  readonly code = 'RAMJET_API_ANSWER'
}

/** No identity or no address for the API server: nothing that waiting would mend. */
export class ClusterAccessError extends RamjetError {
  readonly code = 'RAMJET_CLUSTER_ACCESS'
}
