import type { Clock } from '../../src/lib/clock.ts'
import type { Cancel, Timers } from '../../src/lib/timers.ts'

interface Planned {
  readonly atMs: number
  readonly run: () => void
}

/** A clock that stands still until a test moves it, with the timers that hang on it. */
export class FakeClock implements Clock, Timers {
  #nowMs: number
  #planned: Planned[] = []

  constructor(nowMs = 1_000_000) {
    this.#nowMs = nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return Date.UTC(2026, 0, 1) + this.#nowMs
  }

  after(ms: number, run: () => void): Cancel {
    const planned = { atMs: this.#nowMs + ms, run }
    this.#planned.push(planned)
    return () => {
      this.#planned = this.#planned.filter((other) => other !== planned)
    }
  }

  /** Moves time on; timers run in their order, each at its own time. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    for (let next = this.#next(endMs); next; next = this.#next(endMs)) {
      this.#planned = this.#planned.filter((other) => other !== next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.run()
    }
    this.#nowMs = endMs
  }

  /** Waits until a timer of exactly `ms` is set, then moves time on by it. */
  async pass(ms: number): Promise<void> {
    await eventually(() => this.pending().includes(ms))
    this.advance(ms)
  }

  /** Moves time on like `advance`, and lets pending promises go on after each millisecond. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1) {
      this.advance(1)
      await settled()
    }
  }

  /** Delays of the timers that are set, shortest first, counted from now. */
  pending(): readonly number[] {
    return this.#planned.map(({ atMs }) => atMs - this.#nowMs).toSorted((a, b) => a - b)
  }

  #next(endMs: number): Planned | undefined {
    const [first] = this.#planned.filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)
    return first
  }
}

/** How long a real socket or file may take on a busy machine; less than a test has. */
const PATIENCE_MS = 20_000

/** Resolves as soon as `done` is true; rejects where the real time that anything could need does not make it so. */
export async function eventually(done: () => boolean): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (performance.now() < endMs) {
    if (done()) return
    await settled()
  }
  throw new Error(`never true: ${String(done)}`)
}

/** Lets everything that waits for promises alone go on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
