// What was refused and when it is tried again (R30-12).
import type { Cancel, Timers } from '../lib/timers.ts'
import type { ApplyOutcome, PublishFailure } from '../model/generation.ts'
import type { RouteTable } from '../model/route-table.ts'

export type Refusal = Extract<ApplyOutcome, { readonly kind: 'refused' }>

/** What was refused is tried again after `retryMinMs`, then after twice as long each time, at most after `retryMaxMs`. */
export interface RetryWaits {
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

export interface RefusalsDeps extends RetryWaits {
  readonly timers: Timers
  /** Called when something that was refused may be tried again. */
  readonly onRetry: () => void
}

/** A generation that was refused and is not tried for now: until it changes, or its resources may be there. */
interface Blocked {
  /** The very table that was compiled. */
  readonly routes: RouteTable
  readonly refusal: Refusal
}

/** At most one generation and one timer: what is compiled later takes their place. */
export class Refusals {
  readonly #deps: RefusalsDeps
  readonly #counts = new Map<PublishFailure, number>()
  #blocked: Blocked | undefined
  #cancelRetry: Cancel | undefined
  #retryMs: number

  constructor(deps: RefusalsDeps) {
    this.#deps = deps
    this.#retryMs = deps.retryMinMs
  }

  /** Why the generation of `routes` is not tried now; `undefined`: it may be, and what was refused before is given up. */
  of(routes: RouteTable): Refusal | undefined {
    if (this.#blocked && !isSameConfiguration(this.#blocked, routes)) this.settle()
    return this.#blocked?.refusal
  }

  /** Something was refused, whatever comes of it. */
  count({ reason }: Refusal): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  /** The generation of `routes` was refused. */
  generationRefused(routes: RouteTable, refusal: Refusal): void {
    this.#blocked = { routes, refusal }
    if (isResource(refusal.reason)) this.#retryLater()
  }

  /** Endpoints were refused beside a generation that serves: they are tried again, whatever the reason. */
  endpointsRefused(): void {
    this.#retryLater()
  }

  /** All that was offered serves. What is still blocked waits for its own turn. */
  applied(): void {
    if (!this.#blocked) this.settle()
  }

  /** Nothing is refused any more, and nothing is tried again. */
  settle(): void {
    this.#blocked = undefined
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    this.#retryMs = this.#deps.retryMinMs
  }

  /** Since the start, by reason. */
  counts(): Readonly<Record<PublishFailure, number>> {
    const of = (reason: PublishFailure): number => this.#counts.get(reason) ?? 0
    return {
      tls_context: of('tls_context'),
      limit: of('limit'),
      port: of('port'),
      memory: of('memory'),
      digest: of('digest'),
      other: of('other'),
    }
  }

  #retryLater(): void {
    if (this.#cancelRetry) return
    this.#cancelRetry = this.#deps.timers.after(this.#retryMs, () => this.#retry())
    this.#retryMs = Math.min(this.#retryMs * 2, this.#deps.retryMaxMs)
  }

  #retry(): void {
    this.#cancelRetry = undefined
    if (this.#blocked && isResource(this.#blocked.refusal.reason)) this.#blocked = undefined
    this.#deps.onRetry()
  }
}

// A lack that may end without a change of the configuration (R30-12).
function isResource(reason: PublishFailure): boolean {
  return reason === 'port' || reason === 'memory'
}

// Refused for what it is: tried again once something was compiled anew, be it to the same digest. Refused for want of
// something: the same digest waits for its next turn.
function isSameConfiguration({ routes, refusal }: Blocked, compiled: RouteTable): boolean {
  return isResource(refusal.reason) ? routes.digest === compiled.digest : routes === compiled
}
