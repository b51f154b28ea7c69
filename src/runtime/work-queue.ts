import type { Cancel, Timers } from '../lib/timers.ts'

/** A key that was taken from the queue, to be given back with `done`. */
export interface WorkItem {
  readonly key: string
  /** When the oldest event that it stands for was received (monotonic). */
  readonly receivedAtMs: number
}

/**
 * Keys to be worked on, each once however often it was added, and never by two workers at a time: a key that is added
 * while it is worked on comes again after `done`. So it holds no more entries than there are distinct keys.
 */
export class WorkQueue {
  readonly #timers: Timers
  /** In order of arrival. */
  readonly #waiting = new Map<string, number>()
  readonly #working = new Set<string>()
  /** Added while they are worked on. */
  readonly #again = new Map<string, number>()
  readonly #delayed = new Map<string, Cancel>()
  #takers: ((item: WorkItem | undefined) => void)[] = []
  #idle: (() => void)[] = []
  #isClosed = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Keys that wait, those whose delay runs included: `ramjet_workqueue_depth`. */
  get depth(): number {
    return this.#waiting.size + this.#again.size + this.#delayed.size
  }

  add(key: string, receivedAtMs: number): void {
    if (this.#isClosed) return
    if (this.#working.has(key)) {
      if (!this.#again.has(key)) this.#again.set(key, receivedAtMs)
      return
    }
    if (this.#waiting.has(key)) return
    this.#waiting.set(key, receivedAtMs)
    this.#hand()
  }

  /** Adds `key` after a delay. A delay that runs already is replaced. */
  addAfter(key: string, receivedAtMs: number, ms: number): void {
    if (this.#isClosed) return
    this.#delayed.get(key)?.()
    const add = (): void => {
      this.#delayed.delete(key)
      this.add(key, receivedAtMs)
      this.#checkIdle()
    }
    this.#delayed.set(key, this.#timers.after(ms, add))
  }

  /** The next key, as soon as there is one; `undefined`: the queue was closed. */
  take(): Promise<WorkItem | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#takers.push(resolve)
      this.#hand()
    })
  }

  /** Gives a key back that was taken. */
  done(key: string): void {
    this.#working.delete(key)
    const receivedAtMs = this.#again.get(key)
    this.#again.delete(key)
    if (receivedAtMs !== undefined) this.add(key, receivedAtMs)
    this.#checkIdle()
  }

  /** Resolves as soon as no key waits or is worked on, and when the queue is closed. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#checkIdle()
    })
  }

  /** Drops what waits; takers get `undefined`. */
  close(): void {
    this.#isClosed = true
    this.#waiting.clear()
    this.#again.clear()
    for (const cancel of this.#delayed.values()) cancel()
    this.#delayed.clear()
    const takers = this.#takers
    this.#takers = []
    for (const resolve of takers) resolve(undefined)
    this.#checkIdle()
  }

  #hand(): void {
    for (const [key, receivedAtMs] of this.#waiting) {
      const taker = this.#takers.shift()
      if (!taker) return
      this.#waiting.delete(key)
      this.#working.add(key)
      taker({ key, receivedAtMs })
    }
  }

  #checkIdle(): void {
    if (this.depth > 0 || (this.#working.size > 0 && !this.#isClosed)) return
    const idle = this.#idle
    this.#idle = []
    for (const resolve of idle) resolve()
  }
}
