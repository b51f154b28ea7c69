import type { Timers } from '../lib/timers.ts'

export interface Deadline {
  /** Aborted with the parent's reason, or with `error()` when time is up. */
  readonly signal: AbortSignal
  /** Ends the work now, with this reason. */
  abort(reason: Error): void
  /** To be called when the work is done: lets go of timer and parent. */
  clear(): void
}

export interface DeadlineSettings {
  readonly ms: number
  readonly timers: Timers
  /** What the work fails with when it took too long. */
  readonly error: () => Error
}

/** A signal that follows `parent` and ends by itself after a time. */
export function deadlineUnder(parent: AbortSignal, { ms, timers, error }: DeadlineSettings): Deadline {
  const controller = new AbortController()
  const follow = (): void => controller.abort(parent.reason)
  if (parent.aborted) follow()
  else parent.addEventListener('abort', follow)
  const cancel = timers.after(ms, () => controller.abort(error()))
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    clear(): void {
      cancel()
      parent.removeEventListener('abort', follow)
    },
  }
}

/** Why `signal` was aborted, as an error. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** `work`, or a rejection with the signal's reason as soon as it is aborted, whichever is first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(reasonOf(signal))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
