import { performance } from 'node:perf_hooks'
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'

/** What is longer than 24 days fires at once in Node, so it fires early instead. */
const LONGEST_MS = 2 ** 31 - 1

/** The machine's clocks. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
}

/** The event loop's timers. They keep the process alive until they have run or were taken back. */
export const systemTimers: Timers = {
  after(ms: number, run: () => void): Cancel {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS))
    return () => clearTimeout(timer)
  },
}
