import type { Timers } from '../lib/timers.ts'

/** Resolves after `ms`, or at once when `signal` is or becomes aborted; look at the signal to know which. */
export function waitFor(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = timers.after(ms, finish)
    signal.addEventListener('abort', finish)
  })
}
