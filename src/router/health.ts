// Passive health: an endpoint that took no connection is left alone for a while (R20-149).
import type { Endpoint } from '../model/endpoint-table.ts'
import type { Balancers } from './balance/balancers.ts'

/** Which endpoints one worker leaves alone, and until when. Time is handed in, in milliseconds. */
export class PassiveHealth {
  readonly #skipMs: number
  /** When an endpoint is tried again, by address. Empty as long as nothing fails. */
  readonly #untilMs = new Map<string, number>()

  /** `skipMs`: for how long a failed endpoint is skipped. */
  constructor(skipMs: number) {
    this.#skipMs = skipMs
  }

  /** The endpoint refused a connection or did not take it in time. */
  failed(address: string, nowMs: number): void {
    this.#untilMs.set(address, nowMs + this.#skipMs)
  }

  /** It took one: whatever was before counts no more. */
  succeeded(address: string): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(address)
  }

  isSkipped(address: string, nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false
    const untilMs = this.#untilMs.get(address)
    return untilMs !== undefined && nowMs < untilMs
  }

  /** Forgets every address that is not in `addresses`. */
  retain(addresses: { has(address: string): boolean }): void {
    for (const address of this.#untilMs.keys()) if (!addresses.has(address)) this.#untilMs.delete(address)
  }
}

/** What an endpoint is picked for. */
export interface PickRequest {
  readonly backend: string
  /** In [0, 1). */
  readonly point: number
  readonly tried: readonly Endpoint[]
  readonly nowMs: number
}

/**
 * An endpoint that was not tried yet; where all that are left are skipped, any of them (R20-152). `undefined`: none.
 * Allocates nothing while the first choice is a good one.
 */
export function pickEndpoint(balancers: Balancers, health: PassiveHealth, request: PickRequest): Endpoint | undefined {
  const { backend, point, tried, nowMs } = request
  const first = balancers.pick(backend, point, tried)
  if (!first || !health.isSkipped(first.address, nowMs)) return first
  const passed = [...tried, first]
  for (;;) {
    const next = balancers.pick(backend, point, passed)
    if (!next) return passed[tried.length + indexBy(point, passed.length - tried.length)]
    if (!health.isSkipped(next.address, nowMs)) return next
    passed.push(next)
  }
}

/** An index below `length` by the low digits of `point`: the high ones have chosen the order already. */
function indexBy(point: number, length: number): number {
  return Math.floor(((point * LOW_DIGITS) % 1) * length)
}

const LOW_DIGITS = 2 ** 20
