import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { deadlineUnder, orAborted } from './deadline.ts'
import type { Source } from './handler.ts'
import type { Runnable } from './manager.ts'
import { RateLimiter, type RetrySettings } from './rate-limiter.ts'
import { type ReconcileResult, type Reconciler, ReconcileTimeoutError, requestOf, TerminalError } from './reconciler.ts'
import { type WorkItem, WorkQueue } from './work-queue.ts'

export interface ControllerSettings {
  /** Keys that are worked on at a time. */
  readonly workers: number
  /** The longest a reconcile may take; its signal is aborted then. */
  readonly deadlineMs: number
  readonly retry: RetrySettings
}

export const CONTROLLER_DEFAULTS: ControllerSettings = {
  workers: 1,
  deadlineMs: 30_000,
  retry: { minMs: 100, maxMs: 60_000 },
}

export interface ControllerDeps {
  /** For logs and metrics: the plural of its kind. */
  readonly name: string
  readonly sources: readonly Source[]
  readonly reconciler: Reconciler
  readonly settings?: ControllerSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
}

/** Has a reconciler look at every key that its sources name, one at a time per key, and again after a failure. */
export class Controller implements Runnable {
  readonly name: string
  readonly #deps: ControllerDeps
  readonly #settings: ControllerSettings
  readonly #queue: WorkQueue
  readonly #limiter: RateLimiter
  #errors = 0

  constructor(deps: ControllerDeps) {
    this.name = deps.name
    this.#deps = deps
    this.#settings = deps.settings ?? CONTROLLER_DEFAULTS
    this.#queue = new WorkQueue(deps.timers)
    this.#limiter = new RateLimiter(this.#settings.retry)
  }

  /** Reconciles that threw, ever. */
  get errors(): number {
    return this.#errors
  }

  get queueDepth(): number {
    return this.#queue.depth
  }

  /** Resolves when every key that was added up to now has been worked on. */
  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  /** Works until `signal` is aborted and what was begun then has ended or given up. */
  async run(signal: AbortSignal): Promise<void> {
    const close = (): void => this.#queue.close()
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
    for (const source of this.#deps.sources) source.connect((key, receivedAtMs) => this.#queue.add(key, receivedAtMs))
    await Promise.all(Array.from({ length: this.#settings.workers }, () => this.#work(signal)))
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let item = await this.#queue.take(); item; item = await this.#queue.take()) await this.#handle(item, signal)
  }

  async #handle(item: WorkItem, parent: AbortSignal): Promise<void> {
    const { clock, timers } = this.#deps
    const ms = this.#settings.deadlineMs
    const error = (): Error => new ReconcileTimeoutError(`not reconciled within ${ms} ms`)
    const deadline = deadlineUnder(parent, { ms, timers, error })
    const work = this.#reconcile(item, deadline.signal)
    try {
      const { requeueAfterMs } = await orAborted(work, deadline.signal)
      this.#limiter.forget(item.key)
      if (requeueAfterMs !== undefined) this.#queue.addAfter(item.key, clock.monotonicMs(), requeueAfterMs)
    } catch (failure) {
      if (!parent.aborted) this.#failed(item, failure)
    } finally {
      deadline.clear()
      // Past its deadline nobody waits for the reconciler, but its key stays taken until it has really ended.
      const ended = (): void => this.#queue.done(item.key)
      void work.then(ended, ended)
    }
  }

  /** What the reconciler throws at once rejects like what it throws later. */
  async #reconcile({ key, receivedAtMs }: WorkItem, signal: AbortSignal): Promise<ReconcileResult> {
    return this.#deps.reconciler.reconcile(requestOf(key), { signal, receivedAtMs })
  }

  #failed({ key, receivedAtMs }: WorkItem, error: unknown): void {
    this.#errors += 1
    const { log } = this.#deps
    if (error instanceof TerminalError) {
      this.#limiter.forget(key)
      log.warn({ object: key, err: error }, 'not reconciled, waiting for an edit')
      return
    }
    const retryMs = this.#limiter.next(key)
    log.warn({ object: key, retryMs, err: error }, 'not reconciled, trying again')
    this.#queue.addAfter(key, receivedAtMs, retryMs)
  }
}
