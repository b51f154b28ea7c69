/** The limits and timers that every engine keeps, in milliseconds and bytes; 0 turns one off only where it says so. */
export interface EngineLimits {
  /** From the first byte of a request, or from the accept, to the end of its head (R20-74). */
  readonly headerTimeoutMs: number
  /** A connection without a request (R20-77). */
  readonly keepAliveTimeoutMs: number
  /** Requests on one connection (R20-78). */
  readonly keepAliveRequests: number
  /** No byte of a request body that is awaited (R20-79). */
  readonly bodyTimeoutMs: number
  /** Bytes per second that an awaited request body must make on average over `RATE_WINDOW_MS`; 0: any (R20-80). */
  readonly minBodyRate: number
  /** The client takes no byte of a response that waits for it (R20-81). */
  readonly sendTimeoutMs: number
  /** R20-82. */
  readonly maxTargetBytes: number
  /** Head size, target included (R20-83). */
  readonly maxHeaderBytes: number
  /** Fields of a head or a trailer section (R20-84). */
  readonly maxHeaders: number
  /** 0: none (R20-88). */
  readonly maxBodyBytes: number
  /** What is still read of a request body after an early answer, and of a connection that we close (R20-89). */
  readonly drainBytes: number
  readonly drainMs: number
  /** 0: none (R20-91). */
  readonly tunnelIdleTimeoutMs: number
  /** From the request's last byte to the response head, and between two bytes of the body (R20-110, R20-111). */
  readonly responseTimeoutMs: number
  /** R20-112. */
  readonly maxResponseHeaderBytes: number
  /** R20-113. */
  readonly maxResponseHeaders: number
  /** Idle sockets kept for one endpoint (R20-114). */
  readonly upstreamPoolIdle: number
  /** R20-115. */
  readonly upstreamIdleTimeoutMs: number
  /** HTTP/2 sessions to one endpoint (R20-116). */
  readonly upstreamH2Sessions: number
  /** How long an endpoint that took no connection is skipped (R20-118, R20-149). */
  readonly failTimeoutMs: number
  /** Request body kept for a second try (R20-117). */
  readonly retryBufferBytes: number
  /** How often deadlines are looked at: none is acted on later than this after it passed (R20-74). */
  readonly checkIntervalMs: number
  /** Requests that may wait on one connection behind the one that is being answered. */
  readonly maxPipelined: number
}

/** Over how long the rate of a request body is looked at (R20-80). */
export const RATE_WINDOW_MS = 60_000

const KIB = 1024
const SECOND = 1000

/** The defaults of the flags, and what has no flag. */
export const DEFAULT_LIMITS: EngineLimits = {
  headerTimeoutMs: 10 * SECOND,
  keepAliveTimeoutMs: 75 * SECOND,
  keepAliveRequests: 10_000,
  bodyTimeoutMs: 60 * SECOND,
  minBodyRate: 16,
  sendTimeoutMs: 60 * SECOND,
  maxTargetBytes: 16 * KIB,
  maxHeaderBytes: 64 * KIB,
  maxHeaders: 200,
  maxBodyBytes: 0,
  drainBytes: 256 * KIB,
  drainMs: 2 * SECOND,
  tunnelIdleTimeoutMs: 3600 * SECOND,
  responseTimeoutMs: 60 * SECOND,
  maxResponseHeaderBytes: 32 * KIB,
  maxResponseHeaders: 1000,
  upstreamPoolIdle: 128,
  upstreamIdleTimeoutMs: 60 * SECOND,
  upstreamH2Sessions: 8,
  failTimeoutMs: 10 * SECOND,
  retryBufferBytes: 64 * KIB,
  checkIntervalMs: SECOND / 2,
  maxPipelined: 100,
}
