/** What an error tells about its circumstances: flat, small, and free of secrets. */
export type ErrorContext = Readonly<Record<string, string | number | boolean>>

export interface ErrorOptions {
  readonly cause?: unknown
  readonly context?: ErrorContext
}

/**
 * The base of every error of ours. `code` is public and stable: it is listed in docs/errors.md and never used for
 * something else. `context` may be logged as it is.
 */
export abstract class RamjetError extends Error {
  abstract readonly code: string
  readonly context: ErrorContext

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.context = options.context ?? {}
  }
}

/** The text of whatever was thrown, for a log line or a message of ours. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  // A connection that failed at every address of a name says so in the errors within, and nothing itself.
  const saysNothing = thrown instanceof AggregateError && thrown.message === ''
  return saysNothing ? thrown.errors.map(messageOf).join(', ') : thrown.message
}
