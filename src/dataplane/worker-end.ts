// How a worker ends, and how it fails before.
import { messageOf } from '../lib/errors.ts'

/**
 * Why a worker is no more. By itself: `exception`, `memory`, `exit`. Ended by main: for a `stall` of its event loop,
 * `silence` after a question, a pair it could not catch up with (`publish`), an address it could not bind (`listen`),
 * or because its work is done (`stopped`).
 */
export type EndCause = 'exception' | 'memory' | 'exit' | 'stall' | 'silence' | 'publish' | 'listen' | 'stopped'

export interface WorkerEnd {
  readonly cause: EndCause
  readonly message: string
}

/** How a worker ended, and in the middle of what. */
export interface WorkerDeath extends WorkerEnd {
  /** Whether it was building a pair. */
  readonly isBuilding: boolean
}

/** What a worker threw. */
export interface WorkerFailure {
  readonly message: string
  readonly stack: string | undefined
  readonly isBuilding: boolean
}

/** The end that a thread's `error` event tells of. */
export function endByError(thrown: unknown): WorkerEnd {
  const isOutOfMemory = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return { cause: isOutOfMemory ? 'memory' : 'exception', message: messageOf(thrown) }
}
