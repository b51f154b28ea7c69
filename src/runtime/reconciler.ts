import { RamjetError } from '../lib/errors.ts'

/** Which object to look at. It says nothing about what happened to it: that is read from the cache. */
export interface Request {
  /** Empty for what is cluster-scoped. */
  readonly namespace: string
  readonly name: string
}

export interface ReconcileResult {
  /** To be looked at again after so many milliseconds, though nothing happened; `undefined`: only when something does. */
  readonly requeueAfterMs?: number
}

export interface ReconcileContext {
  /** Aborted at the deadline of this reconcile and at shutdown. */
  readonly signal: AbortSignal
  /** When the oldest event behind this request was received (monotonic). */
  readonly receivedAtMs: number
}

/** Brings something in line with one object as the cache has it now. Running it twice changes nothing. */
export interface Reconciler {
  /** Throws to be tried again, `TerminalError` where only an edit of the object can help. */
  reconcile(request: Request, context: ReconcileContext): ReconcileResult | Promise<ReconcileResult>
}

/** Trying again is of no use: the object has to change first. */
export class TerminalError extends RamjetError {
  readonly code = 'RAMJET_RECONCILE_TERMINAL'
}

/** A reconcile took longer than it may. */
export class ReconcileTimeoutError extends RamjetError {
  readonly code = 'RAMJET_RECONCILE_TIMEOUT'
}

/** `namespace/name` or `name`: how requests are told apart in a queue. */
export function requestKey({ namespace, name }: Request): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** The request of a key. Neither names nor namespaces hold a slash. */
export function requestOf(key: string): Request {
  const slash = key.indexOf('/')
  return slash === -1 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
