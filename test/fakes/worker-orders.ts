// What a test may order a worker of test/fakes/ordered-worker.ts to do, and what that tells. Both go over a channel of
// the process, so that the product's request path has no hook for it (R90-4).

export const ORDERS_CHANNEL = 'ramjet-test-orders'

/** Callbacks in which a worker may be made to throw. */
export const THROW_PLACES = [
  'request',
  'upgrade',
  'response',
  'connection',
  'timer',
  'rejection',
  'assignment',
] as const
export type ThrowPlace = (typeof THROW_PLACES)[number]

export type Order =
  /** Throws once, in the next callback of that kind. */
  | { readonly kind: 'throw'; readonly place: ThrowPlace }
  | { readonly kind: 'exit' | 'spin' | 'heap' }
  /** Does the same while it builds the next pair; `lose`: one element of that pair never arrives. */
  | { readonly kind: 'build'; readonly fault: 'throw' | 'exit' | 'spin' | 'heap' | 'lose' }
  /** Tells what it holds. */
  | { readonly kind: 'tell' }

export type ToOrdered = { readonly to: number | 'all'; readonly order: Order }

/** What a worker holds. */
export interface WorkerHoldings {
  readonly worker: number
  /** Names with rows of the counters. */
  readonly routeRows: readonly (readonly [name: string, row: number])[]
  readonly endpointRows: readonly (readonly [name: string, row: number])[]
  /** Pairs that a request may still read. */
  readonly heldPairs: number
  /** Handles and timers that are open, by kind. */
  readonly resources: Readonly<Record<string, number>>
}

export type FromOrdered =
  | { readonly kind: 'accepted'; readonly worker: number; readonly clientPort: number }
  | { readonly kind: 'obeying'; readonly worker: number }
  | { readonly kind: 'holds'; readonly holdings: WorkerHoldings }
