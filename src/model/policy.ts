// What a route asks for beyond "forward": limits of its own, retries, and how its path goes on (R20-94, R20-119).

/**
 * For which outcomes of a try another endpoint is asked: `connect` (no connection, whatever the reason), and the words
 * of `proxy-next-upstream` with their meaning there (R20-127 to R20-129).
 */
export type RetryCause = 'connect' | 'error' | 'timeout' | 'invalid_header' | 'non_idempotent' | `http_${number}`

/** Which tries may follow one that failed; judged by router/retry-rule.ts alone. */
export interface RetryPolicy {
  /** Empty: nothing is tried again at all. */
  readonly on: readonly RetryCause[]
  /** Tries in all; 0: each endpoint once; absent: as many as the process allows connects. */
  readonly tries?: number
  /** From the first try on no new one begins after this; absent or 0: no such limit. */
  readonly timeoutMs?: number
  /**
   * How long is waited before a try that is not the first. With it an endpoint may be asked again once all were; absent:
   * no wait, and no endpoint twice.
   */
  readonly backoffMs?: number
}

/**
 * Text and captures in turn: a string stands for itself, a number for that capture of the route's match. 0 is what
 * matched, and all that an Exact or Prefix route has; a capture that took no part is empty.
 */
export type Template = readonly (string | number)[]

/** How a path goes on to the upstream (R11-46, R11-154). */
export interface PathRewrite {
  /** `whole`: the template is the whole path. `matched`: it takes the place of what the route's match covered. */
  readonly replaces: 'whole' | 'matched'
  readonly template: Template
}

/** Where a client is sent (R11-46, R11-48). */
export interface RedirectTarget {
  /** `url`: the template is an absolute URL. `origin`: a path on the scheme and authority that were asked for. */
  readonly base: 'url' | 'origin'
  readonly template: Template
  /** Whether the request's query goes along. */
  readonly keepsQuery: boolean
}

/** An absent member: the process's own setting holds. */
export interface RoutePolicy {
  readonly connectTimeoutMs?: number
  /** Until the response head, and between two bytes of its body. */
  readonly responseTimeoutMs?: number
  /** Between two bytes that the upstream takes of a request. */
  readonly upstreamSendTimeoutMs?: number
  /** 0: none. */
  readonly tunnelIdleTimeoutMs?: number
  /** 0: none. */
  readonly maxBodyBytes?: number
  /** A request body that fits is read whole before an endpoint is dialled; absent: it streams (R11-71). */
  readonly requestBufferBytes?: number
  readonly maxResponseHeaderBytes?: number
  readonly retry?: RetryPolicy
  readonly rewrite?: PathRewrite
  /** The value of `X-Forwarded-Prefix`. */
  readonly forwardedPrefix?: Template
}

/** An active check of endpoints (R20-150, R42-19). */
export interface HealthCheck {
  readonly path: string
  /** The Host it asks for; absent: the endpoint's address. */
  readonly host?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Good checks in a row that make an endpoint healthy, and bad ones that fail it. */
  readonly healthy: number
  readonly unhealthy: number
  /** Ranges of statuses that are good, both ends included. */
  readonly statuses: readonly (readonly [from: number, to: number])[]
}
