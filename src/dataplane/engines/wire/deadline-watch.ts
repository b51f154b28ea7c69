import { ExchangeDeadlines } from '../../exchange-deadlines.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { WireContext } from './context.ts'
import type { Flow } from './flow.ts'
import type { Forwarding } from './forwarding.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestFacts } from './request-facts.ts'

export interface DeadlineWatchParts {
  readonly context: WireContext
  readonly facts: Readonly<RequestFacts>
  readonly body: RequestBody
  readonly forwarding: Forwarding
  readonly flow: Flow
}

/** The deadlines of an exchange, looked at with what it waits for at that moment. */
export class DeadlineWatch {
  readonly #parts: DeadlineWatchParts
  readonly #deadlines: ExchangeDeadlines

  constructor(parts: DeadlineWatchParts) {
    const { context, facts } = parts
    this.#parts = parts
    this.#deadlines = new ExchangeDeadlines(context.limits, facts.limits, 0)
  }

  /** Begins with another exchange. */
  begin(): void {
    const { routeLimits, time } = this.#parts.context
    this.#deadlines.begin(routeLimits.of(undefined), time.nowMs)
  }

  /** The request has a route: from now on its deadlines hold. */
  routed(limits: RouteLimits): void {
    this.#deadlines.routed(limits)
  }

  /** Something was read or taken. */
  moved(): void {
    this.#deadlines.moved(this.#parts.context.time.nowMs)
  }

  /** From now on the rest of the request is read for a moment only. */
  drains(): void {
    this.#deadlines.drains(this.#parts.context.time.nowMs)
  }

  isDrainOver(nowMs: number): boolean {
    return this.#deadlines.isDrainOver(nowMs)
  }

  /** Who lets an exchange without a response wait too long; `hasEndpoint`: an endpoint is being asked. */
  overdue(nowMs: number, hasEndpoint: boolean): 'client' | 'upstream' | undefined {
    const { facts, body, forwarding, flow } = this.#parts
    return this.#deadlines.overdue(nowMs, {
      // Who waits for a 100 owes nothing until it comes.
      forClient: !body.isEnded && !flow.isRequestHeld && !facts.awaitsContinue,
      isSending: !body.isEnded && flow.isRequestHeld,
      isConnecting: hasEndpoint && forwarding.isConnecting,
      isGrpc: facts.isGrpc,
      bodyBytes: body.bytes,
    })
  }

  /** Who lets a response stand still for too long; `isWhole`: all of it came. */
  stalled(nowMs: number, isWhole: boolean): 'client' | 'upstream' | undefined {
    const forClient = isWhole || this.#parts.flow.isResponseHeld
    if (!this.#deadlines.isStalled(nowMs, forClient)) return undefined
    return forClient ? 'client' : 'upstream'
  }
}
