// Whether a request may be tried again, and where (R20-127 to R20-130, R11-67 to R11-73).
import type { RetryCause, RetryPolicy } from '../model/policy.ts'

/**
 * How a try ended before any byte of its response went to the client. `connect`, `connect-timeout`: no connection, so no
 * byte of the request was sent. `reused`: a pooled connection that died without a byte of a response. `broken`: another
 * one that died. `invalid`: what came is no response. `timeout`: none came in time. `refused-stream`, `goaway`: an HTTP/2
 * endpoint took no notice of it (R22-19). A number: the status of the response.
 */
export type TryFailure =
  | 'connect'
  | 'connect-timeout'
  | 'reused'
  | 'broken'
  | 'invalid'
  | 'timeout'
  | 'refused-stream'
  | 'goaway'
  | number

/** What is known of a try that failed. */
export interface FailedTry {
  readonly method: string
  readonly failure: TryFailure
  /** Whether the whole body can be sent (again): untouched, or still kept. */
  readonly canReplayBody: boolean
  /** Tries that were made for this request, the failed one included. */
  readonly tries: number
  /** Tries that were made again because a pooled connection had died. */
  readonly reusedRetries: number
  /** Since the first try began. */
  readonly elapsedMs: number
}

export type NextTry = 'other-endpoint' | 'fresh-connection' | 'give-up'

/** Where a route says nothing: only what can do no harm (R20-127 to R20-129). */
export const DEFAULT_RETRY: RetryPolicy = { on: ['connect'] }

/** nginx calls POST, LOCK and PATCH the others; of a method that is not known nobody can say. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** What follows a failed try; `maxConnects` is the process's own number of tries. */
export function afterFailedTry(tried: FailedTry, policy: RetryPolicy, maxConnects: number): NextTry {
  const { on, timeoutMs = 0 } = policy
  if (!tried.canReplayBody || on.length === 0) return 'give-up'
  // That a connection of our own pool was closed says nothing about the endpoint.
  if (tried.failure === 'reused' && tried.reusedRetries === 0 && IDEMPOTENT.has(tried.method)) return 'fresh-connection'
  if (!isCovered(tried.failure, on) || !isHarmless(tried, on)) return 'give-up'
  if (tried.tries >= maxTries(policy, maxConnects)) return 'give-up'
  return timeoutMs > 0 && tried.elapsedMs >= timeoutMs ? 'give-up' : 'other-endpoint'
}

/** Whether an endpoint may be asked again once all were: with a wait between (R11-73). */
export function mayAskAgain({ tries, backoffMs }: RetryPolicy): boolean {
  return backoffMs !== undefined && tries !== 0
}

function maxTries({ tries }: RetryPolicy, maxConnects: number): number {
  if (tries === undefined) return maxConnects
  return tries === 0 ? Number.POSITIVE_INFINITY : tries
}

/** Whether the endpoint is known to have acted on nothing of the request: another try is harmless, whatever its method. */
function isUnseen(failure: TryFailure): boolean {
  return failure === 'connect' || failure === 'connect-timeout' || isIgnored(failure)
}

/** Whether the endpoint lives and has left this one try aside: it may well take the next (R22-19). */
export function isIgnored(failure: TryFailure): boolean {
  return failure === 'refused-stream' || failure === 'goaway'
}

function isHarmless({ failure, method }: FailedTry, on: readonly RetryCause[]): boolean {
  if (isUnseen(failure)) return true
  return IDEMPOTENT.has(method) || on.includes('non_idempotent')
}

function isCovered(failure: TryFailure, on: readonly RetryCause[]): boolean {
  switch (failure) {
    case 'connect':
    case 'refused-stream':
    case 'goaway':
      return on.includes('connect') || on.includes('error')
    case 'connect-timeout':
      return on.includes('connect') || on.includes('timeout')
    case 'reused':
    case 'broken':
      return on.includes('error')
    case 'invalid':
      return on.includes('invalid_header')
    case 'timeout':
      return on.includes('timeout')
    default:
      return on.includes(`http_${failure}`)
  }
}
