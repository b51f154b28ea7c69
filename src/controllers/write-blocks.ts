import type { Cancel, Timers } from '../lib/timers.ts'

export interface WriteBlocksDeps {
  readonly blockMs: number
  readonly timers: Timers
  /** Told of each key that was held back, when its kind of write may be tried again. */
  readonly onOpen: (key: string) => void
}

interface Block {
  readonly held: Set<string>
  readonly cancel: Cancel
}

/** Kinds of writes that were forbidden, each left alone for a while, and what waits for them (R30-30). */
export class WriteBlocks {
  readonly #deps: WriteBlocksDeps
  readonly #blocks = new Map<string, Block>()
  /** Forbidden the last time as well. */
  readonly #known = new Set<string>()

  constructor(deps: WriteBlocksDeps) {
    this.#deps = deps
  }

  /** Whether writes of `scope` are left alone now; then `key` is told of when they are not any more. */
  holds(scope: string, key: string): boolean {
    const block = this.#blocks.get(scope)
    block?.held.add(key)
    return block !== undefined
  }

  /** Leaves writes of `scope` alone, of which one to `key` was forbidden. True: none was the last time. */
  block(scope: string, key: string): boolean {
    const isNews = !this.#known.has(scope)
    this.#known.add(scope)
    this.#blocks.get(scope)?.cancel()
    const held = new Set([...(this.#blocks.get(scope)?.held ?? []), key])
    const cancel = this.#deps.timers.after(this.#deps.blockMs, () => {
      this.#blocks.delete(scope)
      for (const waiting of held) this.#deps.onOpen(waiting)
    })
    this.#blocks.set(scope, { held, cancel })
    return isNews
  }

  /** A write of `scope` was allowed. */
  allowed(scope: string): void {
    this.#known.delete(scope)
  }

  clear(): void {
    for (const { cancel } of this.#blocks.values()) cancel()
    this.#blocks.clear()
  }
}
