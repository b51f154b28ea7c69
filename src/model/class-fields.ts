// What the operator's `defaults` and ClassParameters set for all routes of a class (R42-21, R50-13).
import type { ServicePortText } from '../lib/service-port.ts'
import type { HealthCheck } from './policy.ts'

/**
 * The fields that this build acts on; an absent one is not set. What an object's own annotations say is stronger
 * (R11-17).
 */
export interface ClassFields {
  readonly defaultBackend?: ServicePortText
  /** In place of `--response-timeout`. */
  readonly responseTimeoutMs?: number
  readonly retry?: ClassRetry
  readonly routingMode?: 'endpoint' | 'service'
  readonly healthMode?: 'provider' | 'probe'
  readonly healthCheck?: HealthCheck
  /** A policy as it may be written in `load-balance`; checked when it was read. */
  readonly loadBalancing?: string
  /** Key for the policy `hash`, as `header:NAME`. */
  readonly loadBalancingKey?: string
}

export interface ClassRetry {
  /** 0 to 10. */
  readonly attempts: number
  /** `connect` and statuses of 500 to 599. */
  readonly on: readonly ('connect' | number)[]
  readonly backoffMs: number
}

/** Nothing is set. */
export const NO_CLASS_FIELDS: ClassFields = {}
