import { ApiStatusError } from './api-errors.ts'

/** What a failed list or watch means for what comes next. */
export type Trouble =
  /** The version we hold is of no use any more: list. `backwards`: the server's state is older than ours. */
  | { readonly kind: 'expired'; readonly backwards: boolean }
  /** We may not read the kind. */
  | { readonly kind: 'forbidden' }
  /** The API server does not serve the kind. */
  | { readonly kind: 'absent' }
  /** Everything else passes: try again where we were. */
  | { readonly kind: 'passing'; readonly retryAfterMs: number }

export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof ApiStatusError)) return { kind: 'passing', retryAfterMs: 0 }
  const backwards = error.causes.includes('ResourceVersionTooLarge')
  // 400: a version that the server cannot even read, as after a move to another etcd.
  if (backwards || error.status === 410 || error.status === 400) return { kind: 'expired', backwards }
  if (error.status === 403) return { kind: 'forbidden' }
  if (error.status === 404) return { kind: 'absent' }
  return { kind: 'passing', retryAfterMs: error.retryAfterMs }
}

/** Whether `version` is older than `newest`, where both are numbers, as those of etcd are. */
export function isOlderVersion(version: string, newest: string): boolean {
  const number = /^\d+$/
  return number.test(version) && number.test(newest) && BigInt(version) < BigInt(newest)
}
