// Which endpoints are left alone: those that took no connection for a while (R20-149), and those that failed their
// active checks (R20-151).
import type { Endpoint } from '../model/endpoint-table.ts'
import type { Balancers } from './balance/balancers.ts'

/** Endpoints that failed their active checks, as the one that checks told last. */
export interface FailedChecks {
  has(backend: string, address: string): boolean
}

/** What one worker knows of its endpoints' health. Time is handed in, in milliseconds. */
export class EndpointHealth {
  readonly #skipMs: number
  readonly #failedChecks: FailedChecks
  /** When an endpoint is tried again, by address. Empty as long as nothing fails. */
  readonly #untilMs = new Map<string, number>()

  /** `skipMs`: for how long an endpoint that took no connection is skipped. */
  constructor(skipMs: number, failedChecks: FailedChecks) {
    this.#skipMs = skipMs
    this.#failedChecks = failedChecks
  }

  /** The endpoint refused a connection or did not take it in time. */
  failed(address: string, nowMs: number): void {
    this.#untilMs.set(address, nowMs + this.#skipMs)
  }

  /** It took one: whatever was before counts no more. */
  succeeded(address: string): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(address)
  }

  isSkipped(backend: string, address: string, nowMs: number): boolean {
    return this.#tookNone(address, nowMs) || this.#failedChecks.has(backend, address)
  }

  /** Forgets every address that is not in `addresses`. */
  retain(addresses: { has(address: string): boolean }): void {
    for (const address of this.#untilMs.keys()) if (!addresses.has(address)) this.#untilMs.delete(address)
  }

  #tookNone(address: string, nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false
    const untilMs = this.#untilMs.get(address)
    return untilMs !== undefined && nowMs < untilMs
  }
}

/** What an endpoint is picked for. */
export interface PickRequest {
  readonly backend: string
  /** In [0, 1), the same for all tries of a request: that of its key where `Balancers.keyOf` has one, else random. */
  readonly point: number
  readonly tried: readonly Endpoint[]
  readonly nowMs: number
}

/**
 * An endpoint that was not tried yet; where all that are left are skipped, any of them (R20-152). `undefined`: none.
 * Allocates nothing while the first choice is a good one.
 */
export function pickEndpoint(balancers: Balancers, health: EndpointHealth, request: PickRequest): Endpoint | undefined {
  const { backend, point, tried, nowMs } = request
  const first = balancers.pick(backend, point, tried, nowMs)
  if (!first || !health.isSkipped(backend, first.address, nowMs)) return first
  const passed = [...tried, first]
  for (;;) {
    const next = balancers.pick(backend, point, passed, nowMs)
    if (!next) return passed[tried.length + indexBy(point, passed.length - tried.length)]
    if (!health.isSkipped(backend, next.address, nowMs)) return next
    passed.push(next)
  }
}

/** An index below `length` by the low digits of `point`: the high ones have chosen the order already. */
function indexBy(point: number, length: number): number {
  return Math.floor(((point * LOW_DIGITS) % 1) * length)
}

const LOW_DIGITS = 2 ** 20
