import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import { afterCheck, type CheckVerdict, UNCHECKED } from '../router/check-verdict.ts'
import type { CheckEndpoint, EndpointCheck } from './check-endpoint.ts'
import type { CheckOutcome } from './check-exchange.ts'

/**
 * Checks of all endpoints together that may run at once: each has a socket, and endpoints that hang would otherwise take
 * more than the descriptors that are kept for what is no proxied connection. Beyond it a check waits for one that ends.
 */
const MAX_RUNNING = 128
/** Multiples of it, modulo 1, keep the greatest distance from one another: so do the starts of checks. */
const GOLDEN = 0.6180339887498949

/** What all checked endpoints share. */
export interface CheckTurns {
  running: number
  /** Those whose turn has come and who wait for another one to end, in order. */
  readonly waiting: Set<CheckedEndpoint>
  /** Where in its first interval the next endpoint begins, in [0, 1). */
  nextStart: number
}

export interface CheckedEndpointDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly check: CheckEndpoint
  readonly turns: CheckTurns
  /** `isHealthy` is another one now, by what was found last. */
  readonly onTurned: (found: string) => void
}

/** One endpoint as part of one backend: checked once an interval, never twice at once (R20-151). */
export class CheckedEndpoint {
  readonly #endpoint: Endpoint
  readonly #deps: CheckedEndpointDeps
  #check: EndpointCheck
  #verdict: CheckVerdict = UNCHECKED
  #isChecked = false
  #startedMs = 0
  /** Takes back what is next: a timer. */
  #cancelTimer: Cancel | undefined
  /** Takes back the check that runs. */
  #cancelCheck: Cancel | undefined

  constructor(endpoint: Endpoint, check: EndpointCheck, deps: CheckedEndpointDeps) {
    this.#endpoint = endpoint
    this.#check = check
    this.#deps = deps
  }

  get address(): string {
    return this.#endpoint.address
  }

  /** `undefined` before its first check has ended. */
  get isHealthy(): boolean | undefined {
    return this.#isChecked ? !this.#verdict.isFailed : undefined
  }

  /** Its first check begins somewhere in the interval, apart from the others. */
  start(): void {
    const { turns } = this.#deps
    turns.nextStart = (turns.nextStart + GOLDEN) % 1
    this.#startAfter(turns.nextStart * this.#check.intervalMs)
  }

  /** From its next check on it is checked like this; the verdict stays. */
  change(check: EndpointCheck): void {
    const isSooner = check.intervalMs < this.#check.intervalMs
    this.#check = check
    if (!isSooner || !this.#cancelTimer) return
    this.#cancelTimer()
    this.start()
  }

  /** No timer and no socket is left. */
  stop(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#deps.turns.waiting.delete(this)
    if (!this.#cancelCheck) return
    this.#cancelCheck()
    this.#cancelCheck = undefined
    this.#giveTurn()
  }

  #startAfter(ms: number): void {
    this.#cancelTimer = this.#deps.timers.after(ms, () => {
      this.#cancelTimer = undefined
      this.#run()
    })
  }

  #run(): void {
    const { turns, clock, check } = this.#deps
    if (turns.running >= MAX_RUNNING) {
      turns.waiting.add(this)
      return
    }
    turns.running += 1
    this.#startedMs = clock.monotonicMs()
    this.#cancelCheck = check(this.#endpoint, this.#check, (outcome) => this.#ended(outcome))
  }

  #ended({ isGood, found }: CheckOutcome): void {
    this.#cancelCheck = undefined
    const sinceMs = this.#deps.clock.monotonicMs() - this.#startedMs
    this.#startAfter(Math.max(0, this.#check.intervalMs - sinceMs))
    const before = this.#verdict
    this.#verdict = afterCheck(before, isGood, this.#check)
    this.#isChecked = true
    if (before.isFailed !== this.#verdict.isFailed) this.#deps.onTurned(found)
    this.#giveTurn()
  }

  #giveTurn(): void {
    const { turns } = this.#deps
    turns.running -= 1
    const [next] = turns.waiting
    if (!next) return
    turns.waiting.delete(next)
    next.#run()
  }
}
