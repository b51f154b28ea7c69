import type { Cancel, Timers } from '../lib/timers.ts'
import { Wake } from '../runtime/wake.ts'

export interface WriteQueueDeps {
  /** How long a key is left alone after a write to it. */
  readonly restMs: number
  readonly timers: Timers
}

/**
 * Keys of objects that something may have to be written to, each once however often it was added: those added as first
 * before all others, and none sooner after a write than it may (R30-31). What is written is decided when its turn comes,
 * so a newer state replaces an older one by itself.
 */
export class WriteQueue {
  readonly #deps: WriteQueueDeps
  readonly #first = new Set<string>()
  readonly #others = new Set<string>()
  /** Left alone for now. */
  readonly #resting = new Map<string, Cancel>()
  /** Added while they were left alone; true: as first. */
  readonly #again = new Map<string, boolean>()
  readonly #wake = new Wake()

  constructor(deps: WriteQueueDeps) {
    this.#deps = deps
  }

  /** Keys that wait, those that are left alone for now included. */
  get size(): number {
    return this.#first.size + this.#others.size + this.#again.size
  }

  add(key: string, isFirst: boolean): void {
    if (this.#resting.has(key)) {
      this.#again.set(key, isFirst || this.#again.get(key) === true)
      return
    }
    if (isFirst) this.#others.delete(key)
    if (isFirst) this.#first.add(key)
    else if (!this.#first.has(key)) this.#others.add(key)
    this.#wake.call()
  }

  /** The next key, as soon as there is one; `undefined`: `signal` was aborted. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const key = nextOf(this.#first) ?? nextOf(this.#others)
      if (key !== undefined) return key
      await this.#wake.wait(signal)
    }
    return undefined
  }

  /** Leaves `key` alone for a while: it was written to, or must not be tried again at once. */
  rest(key: string, ms: number = this.#deps.restMs): void {
    this.#resting.get(key)?.()
    const wakeUp = (): void => {
      this.#resting.delete(key)
      const isFirst = this.#again.get(key)
      this.#again.delete(key)
      if (isFirst !== undefined) this.add(key, isFirst)
    }
    this.#resting.set(key, this.#deps.timers.after(ms, wakeUp))
  }

  /** Drops what waits. */
  clear(): void {
    for (const cancel of this.#resting.values()) cancel()
    for (const keys of [this.#first, this.#others, this.#resting, this.#again]) keys.clear()
  }
}

function nextOf(keys: Set<string>): string | undefined {
  const [key] = keys
  if (key !== undefined) keys.delete(key)
  return key
}
