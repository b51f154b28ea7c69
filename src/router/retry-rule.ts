/** What is known of a try towards an endpoint that failed before any byte of a response. */
export interface FailedTry {
  readonly method: string
  /** `connect`: no connection, so no byte of the request was sent. `reused`: a pooled connection that died. */
  readonly failure: 'connect' | 'reused' | 'broken'
  /** Whether the whole body can be sent (again): untouched, or still kept. */
  readonly canReplayBody: boolean
  /** Connects that were tried for this request, the failed one included. */
  readonly connects: number
  /** Tries that were made again because a pooled connection had died. */
  readonly reusedRetries: number
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/**
 * What follows a failed try (R20-127 to R20-129): `other-endpoint` and `fresh-connection` are tries that can do no harm;
 * `give-up` is everything else.
 */
export function afterFailedTry(
  tried: FailedTry,
  maxConnects: number,
): 'other-endpoint' | 'fresh-connection' | 'give-up' {
  if (!tried.canReplayBody) return 'give-up'
  if (tried.failure === 'connect') return tried.connects < maxConnects ? 'other-endpoint' : 'give-up'
  const mayRepeat = tried.failure === 'reused' && tried.reusedRetries === 0 && IDEMPOTENT.has(tried.method)
  return mayRepeat ? 'fresh-connection' : 'give-up'
}
