// Long work in a thread that serves meanwhile.
import type { Clock } from '../lib/clock.ts'
import type { Steps } from '../lib/steps.ts'

/** What a request may have to wait for it. */
export const SLICE_MS = 2

export interface SliceDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Resolves when everything else that waits has had its turn. */
  readonly turn: () => Promise<void>
}

/** What `steps` come to. The event loop turns once before each slice of time: reading what is to be done was long too. */
export async function runInSlices<T>(steps: Steps<T>, { clock, turn }: SliceDeps): Promise<T> {
  for (;;) {
    await turn()
    const endMs = clock.monotonicMs() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (clock.monotonicMs() < endMs)
  }
}
