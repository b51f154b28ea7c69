// The tries of one request: which endpoint is next, and whether another try may follow one that failed.
import type { ProcessField } from '../model/counters.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { RetryPolicy } from '../model/policy.ts'
import { pickEndpoint } from '../router/health.ts'
import {
  afterFailedTry,
  DEFAULT_RETRY,
  isIgnored,
  mayAskAgain,
  type NextTry,
  type TryFailure,
} from '../router/retry-rule.ts'
import type { ServedPair } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'

/** What all tries of a request have in common (R20-130). */
export interface TryPlan {
  readonly pair: ServedPair
  readonly backend: string
  /** What endpoints are picked by. */
  readonly point: number
  readonly method: string
  readonly retry: RetryPolicy
}

const NONE: readonly Endpoint[] = []

/** An engine may keep one and begin it anew for every request. */
export class Tries {
  readonly #parts: Pick<EngineParts, 'deps' | 'health' | 'time'>
  /** What endpoints are picked by: one object for all tries of all requests. */
  readonly #pickBy = { backend: '', point: 0, tried: NONE, nowMs: 0 }
  #plan: TryPlan | undefined
  /** Those that were tried before the last one. */
  #tried: readonly Endpoint[] = NONE
  #last: Endpoint | undefined
  #count = 0
  #reusedRetries = 0
  #startedMs = 0
  /** Whether the last try was left aside by an endpoint that lives. */
  #wasIgnored = false

  constructor(parts: Pick<EngineParts, 'deps' | 'health' | 'time'>) {
    this.#parts = parts
  }

  begin(plan: TryPlan): void {
    this.#plan = plan
    this.#tried = NONE
    this.#last = undefined
    this.#count = 0
    this.#reusedRetries = 0
    this.#wasIgnored = false
    this.#startedMs = this.#parts.time.nowMs
  }

  /** How long the next try is to wait; 0: it may begin at once. */
  get waitMs(): number {
    return this.#count === 0 ? 0 : (this.#plan?.retry.backoffMs ?? 0)
  }

  /** The endpoint of the next try, which counts from here; `undefined`: none is left. */
  next(): Endpoint | undefined {
    // Only with a second try there is a list of those before: most requests have none.
    if (this.#last) this.#tried = [...this.#tried, this.#last]
    this.#last = undefined
    const endpoint = this.#pick() ?? this.#pickAgain()
    if (!endpoint) return undefined
    this.#count += 1
    this.#last = endpoint
    return endpoint
  }

  /** What follows the last try. `fresh-connection`: that try is made again with the same endpoint, and counts. */
  after(failure: TryFailure, canReplayBody: boolean): NextTry {
    const { deps } = this.#parts
    this.#wasIgnored = isIgnored(failure)
    const tried = {
      method: this.#plan?.method ?? '',
      failure,
      canReplayBody,
      tries: this.#count,
      reusedRetries: this.#reusedRetries,
      elapsedMs: this.#parts.time.nowMs - this.#startedMs,
    }
    const next = afterFailedTry(tried, this.#plan?.retry ?? DEFAULT_RETRY, deps.settings.maxConnectAttempts)
    if (next === 'fresh-connection') {
      this.#count += 1
      this.#reusedRetries += 1
    }
    return next
  }

  #pick(): Endpoint | undefined {
    const plan = this.#plan
    if (!plan) return undefined
    const { health, time } = this.#parts
    const pickBy = this.#pickBy
    pickBy.backend = plan.backend
    pickBy.point = plan.point
    pickBy.tried = this.#tried
    pickBy.nowMs = time.nowMs
    return pickEndpoint(plan.pair.balancers, health, pickBy)
  }

  /** Where none is left that was not asked, those that were: if the policy waits between tries, or the last was ignored. */
  #pickAgain(): Endpoint | undefined {
    const mayAsk = this.#wasIgnored || mayAskAgain(this.#plan?.retry ?? DEFAULT_RETRY)
    if (this.#tried.length === 0 || !mayAsk) return undefined
    this.#tried = NONE
    return this.#pick()
  }
}

/** The counter of a try that follows such a failure (R34-4). */
export function retryField(failure: TryFailure): ProcessField {
  if (typeof failure === 'number') return 'retriesStatus'
  switch (failure) {
    case 'connect':
    case 'connect-timeout':
      return 'retriesConnect'
    case 'reused':
      return 'retriesReused'
    case 'timeout':
      return 'retriesTimeout'
    case 'refused-stream':
      return 'retriesRefusedStream'
    case 'goaway':
      return 'retriesGoaway'
    // What came in place of a response says as much as a status does.
    case 'broken':
    case 'invalid':
      return 'retriesStatus'
  }
}
