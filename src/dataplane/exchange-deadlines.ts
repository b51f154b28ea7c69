import { BodyRate } from './body-rate.ts'
import type { EngineLimits } from './engine-limits.ts'

/** What the exchange waits for, as long as no response head came. */
export interface Wait {
  /** Whether the client's next byte is awaited, and not the upstream. */
  readonly forClient: boolean
  /** Whether no connection to the upstream stands yet: that wait has a deadline of its own. */
  readonly isConnecting: boolean
  /** Bytes of the request body that came so far. */
  readonly bodyBytes: number
}

/** When an exchange has waited too long (R20-79, R20-80, R20-81, R20-89, R20-110, R20-111). */
export class ExchangeDeadlines {
  readonly #limits: EngineLimits
  readonly #rate: BodyRate
  #movedMs: number
  #drainUntilMs = Number.POSITIVE_INFINITY

  constructor(limits: EngineLimits, nowMs: number) {
    this.#limits = limits
    this.#rate = new BodyRate(limits.minBodyRate, nowMs)
    this.#movedMs = nowMs
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
  overdue(nowMs: number, { forClient, isConnecting, bodyBytes }: Wait): 'client' | 'upstream' | undefined {
    if (forClient && !isConnecting) {
      const isSlow = this.#isStill(nowMs, this.#limits.bodyTimeoutMs) || this.#rate.isTooSlow(nowMs, bodyBytes)
      return isSlow ? 'client' : undefined
    }
    this.#rate.restart(nowMs, bodyBytes)
    return !isConnecting && this.#isStill(nowMs, this.#limits.responseTimeoutMs) ? 'upstream' : undefined
  }

  /** Whether a response stands still for too long; `forClient`: it is the client that takes nothing. */
  isStalled(nowMs: number, forClient: boolean): boolean {
    return this.#isStill(nowMs, forClient ? this.#limits.sendTimeoutMs : this.#limits.responseTimeoutMs)
  }

  #isStill(nowMs: number, limitMs: number): boolean {
    return nowMs - this.#movedMs >= limitMs
  }
}
