import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 10
/** A machine that is busy with something else takes several times as long as a quiet one. */
const WITHIN_MS = 45_000

/**
 * Runs `check` until it does not throw, and resolves with its value. What a cluster does takes its time, and there is
 * no event to wait for from outside. Past `withinMs` the last error is thrown.
 */
export async function eventually<T>(check: () => Promise<T> | T, withinMs: number = WITHIN_MS): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await sleep(EVERY_MS)
  }
}
