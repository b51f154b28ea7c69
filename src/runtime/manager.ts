import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { waitFor } from './wait.ts'

/** A part that works until its signal is aborted. */
export interface Runnable {
  readonly name: string
  /** Resolves when the part has ended. One that ends or rejects before its signal is aborted is a fault. */
  run(signal: AbortSignal): Promise<void>
}

export interface ManagerDeps {
  readonly timers: Timers
  readonly log: Logger
  /** The longest that stopping waits for one part. */
  readonly stopMs: number
}

interface Running {
  readonly name: string
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** Starts parts in the order in which they were given, and stops them in reverse. */
export class Manager {
  readonly #deps: ManagerDeps
  readonly #running: Running[] = []
  #isStopping = false

  constructor(deps: ManagerDeps) {
    this.#deps = deps
  }

  /** Starts `runnable` after all that were started before it. */
  start(runnable: Runnable): void {
    if (this.#isStopping) return
    const controller = new AbortController()
    const ended = this.#watchOver(runnable, controller.signal)
    this.#running.push({ name: runnable.name, controller, ended })
  }

  /** Aborts one part after the other, the last one first, each when the one before has ended or its time is up. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (let part = this.#running.pop(); part; part = this.#running.pop()) {
      part.controller.abort(new Error('shutting down'))
      await this.#bounded(part)
    }
  }

  async #watchOver(runnable: Runnable, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    try {
      await runnable.run(signal)
      if (!signal.aborted) log.error({ part: runnable.name }, 'a part ended by itself')
    } catch (error) {
      if (!signal.aborted) log.error({ part: runnable.name, err: error }, 'a part failed')
    }
  }

  async #bounded({ name, ended }: Running): Promise<void> {
    const { timers, stopMs, log } = this.#deps
    const done = new AbortController()
    void ended.finally(() => done.abort())
    await waitFor(stopMs, timers, done.signal)
    if (!done.signal.aborted) log.warn({ part: name, stopMs }, 'a part did not stop in time')
  }
}
