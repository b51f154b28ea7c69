import type { Timers } from '../lib/timers.ts'

/**
 * Resolves when `leaving` has ended and `delayMs` have passed since the call. Both count from the signal: who needs long
 * to give the lease back, because the API server is gone, has no later end for it (R20-123, R20-171).
 */
export async function leaveAndWait(leaving: Promise<void> | undefined, delayMs: number, timers: Timers): Promise<void> {
  const delayed = new Promise<void>((resolve) => timers.after(delayMs, resolve))
  await Promise.all([leaving, delayed])
}
