import { BodyRate } from './body-rate.ts'
import type { EngineLimits } from './engine-limits.ts'
import type { RouteLimits } from './route-limits.ts'

/** What the exchange waits for, as long as no response head came. */
export interface Wait {
  /** Whether the client's next byte is awaited, and not the upstream. */
  readonly forClient: boolean
  /** Whether the upstream is to take bytes of the request before it can respond. */
  readonly isSending: boolean
  /** Whether no connection to the upstream stands yet: that wait has a deadline of its own. */
  readonly isConnecting: boolean
  /** Whether it lives as long as either direction moves, however slowly the client sends (R20-96). */
  readonly isGrpc: boolean
  /** Bytes of the request body that came so far. */
  readonly bodyBytes: number
}

/** The deadlines that a route may set for itself. */
export type UpstreamTimeouts = Pick<RouteLimits, 'responseTimeoutMs' | 'upstreamSendTimeoutMs'>

/** When an exchange has waited too long (R20-79, R20-80, R20-81, R20-89, R20-110, R20-111). */
export class ExchangeDeadlines {
  readonly #limits: EngineLimits
  readonly #rate: BodyRate
  #upstream: UpstreamTimeouts
  #movedMs = 0
  #drainUntilMs = Number.POSITIVE_INFINITY

  constructor(limits: EngineLimits, upstream: UpstreamTimeouts, nowMs: number) {
    this.#limits = limits
    this.#upstream = upstream
    this.#rate = new BodyRate(limits.minBodyRate, nowMs)
    this.#movedMs = nowMs
  }

  /** Another exchange begins; what was of the one before is forgotten. */
  begin(upstream: UpstreamTimeouts, nowMs: number): void {
    this.#upstream = upstream
    this.#movedMs = nowMs
    this.#drainUntilMs = Number.POSITIVE_INFINITY
    this.#rate.restart(nowMs, 0)
  }

  /** The request has a route: from now on its deadlines hold. */
  routed(upstream: UpstreamTimeouts): void {
    this.#upstream = upstream
  }

  /** Something was read or taken. */
  moved(nowMs: number): void {
    this.#movedMs = nowMs
  }

  /** From now on the rest of the request is read for a moment only. */
  drains(nowMs: number): void {
    this.#drainUntilMs = nowMs + this.#limits.drainMs
  }

  isDrainOver(nowMs: number): boolean {
    return nowMs >= this.#drainUntilMs
  }

  /** Who let an exchange without a response wait too long; `undefined`: nobody. */
  overdue(
    nowMs: number,
    { forClient, isSending, isConnecting, isGrpc, bodyBytes }: Wait,
  ): 'client' | 'upstream' | undefined {
    if (forClient && !isConnecting && !isGrpc) {
      const isSlow = this.#isStill(nowMs, this.#limits.bodyTimeoutMs) || this.#rate.isTooSlow(nowMs, bodyBytes)
      return isSlow ? 'client' : undefined
    }
    this.#rate.restart(nowMs, bodyBytes)
    const { responseTimeoutMs, upstreamSendTimeoutMs } = this.#upstream
    const limitMs = isSending && !isGrpc ? upstreamSendTimeoutMs : responseTimeoutMs
    return !isConnecting && this.#isStill(nowMs, limitMs) ? 'upstream' : undefined
  }

  /** Whether a response stands still for too long; `forClient`: it is the client that takes nothing. */
  isStalled(nowMs: number, forClient: boolean): boolean {
    return this.#isStill(nowMs, forClient ? this.#limits.sendTimeoutMs : this.#upstream.responseTimeoutMs)
  }

  #isStill(nowMs: number, limitMs: number): boolean {
    return nowMs - this.#movedMs >= limitMs
  }
}
