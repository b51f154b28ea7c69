import type { Cancel, Timers } from '../lib/timers.ts'

export interface WriteBlocksDeps {
  readonly blockMs: number
  readonly timers: Timers
  /** Told of each key that was held back, when its target may be tried again. */
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

  /** Whether `target` is left alone now; then `key` is told of when it is not any more. */
  holds(target: string, key: string): boolean {
    const block = this.#blocks.get(target)
    block?.held.add(key)
    return block !== undefined
  }

  /** Leaves `target` alone, for which `key` was forbidden. True: it was not forbidden the last time. */
  block(target: string, key: string): boolean {
    const isNews = !this.#known.has(target)
    this.#known.add(target)
    this.#blocks.get(target)?.cancel()
    const held = new Set([...(this.#blocks.get(target)?.held ?? []), key])
    const cancel = this.#deps.timers.after(this.#deps.blockMs, () => {
      this.#blocks.delete(target)
      for (const waiting of held) this.#deps.onOpen(waiting)
    })
    this.#blocks.set(target, { held, cancel })
    return isNews
  }

  /** A write to `target` was allowed. */
  allowed(target: string): void {
    this.#known.delete(target)
  }

  clear(): void {
    for (const { cancel } of this.#blocks.values()) cancel()
    this.#blocks.clear()
  }
}
