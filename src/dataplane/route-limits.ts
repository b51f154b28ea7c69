// The limits that a route may set for itself, over those of the process (R20-94, R20-119).
import type { Framing } from '../http/framing.ts'
import type { RoutePolicy } from '../model/policy.ts'
import { DEFAULT_RETRY } from '../router/retry-rule.ts'
import type { EngineLimits } from './engine-limits.ts'

export type RouteLimits = Required<Omit<RoutePolicy, 'rewrite' | 'forwardedPrefix'>>

/** What the process's own limits are, for routes that set none. */
export interface ProcessLimits extends EngineLimits {
  readonly connectTimeoutMs: number
}

/** One per engine: what policies come to is worked out once for each. */
export class RouteLimitBook {
  readonly #own: RouteLimits
  readonly #byPolicy = new WeakMap<RoutePolicy, RouteLimits>()

  constructor(limits: ProcessLimits) {
    this.#own = {
      connectTimeoutMs: limits.connectTimeoutMs,
      responseTimeoutMs: limits.responseTimeoutMs,
      upstreamSendTimeoutMs: limits.responseTimeoutMs,
      tunnelIdleTimeoutMs: limits.tunnelIdleTimeoutMs,
      maxBodyBytes: limits.maxBodyBytes,
      // 0: none is read before an endpoint is asked.
      requestBufferBytes: 0,
      maxResponseHeaderBytes: limits.maxResponseHeaderBytes,
      retry: DEFAULT_RETRY,
    }
  }

  /** The limits that hold for a route with this policy. */
  of(policy: RoutePolicy | undefined): RouteLimits {
    if (!policy) return this.#own
    const known = this.#byPolicy.get(policy)
    if (known) return known
    const limits = this.#over(policy)
    this.#byPolicy.set(policy, limits)
    return limits
  }

  #over(policy: RoutePolicy): RouteLimits {
    const { rewrite: _, forwardedPrefix: __, ...limits } = policy
    const own = this.#own
    // R11-72: a route may only take more of a response head than others.
    const maxResponseHeaderBytes = Math.max(own.maxResponseHeaderBytes, policy.maxResponseHeaderBytes ?? 0)
    return { ...own, ...limits, maxResponseHeaderBytes }
  }
}

/** Whether a head announces a larger body than the route takes (R20-95). */
export function isBodyTooLarge(framing: Framing, { maxBodyBytes }: Pick<RouteLimits, 'maxBodyBytes'>): boolean {
  return maxBodyBytes > 0 && framing.kind === 'length' && framing.bytes > maxBodyBytes
}
