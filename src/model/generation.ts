import type { EndpointTable } from './endpoint-table.ts'
import type { RouteTable } from './route-table.ts'
import type { Warning } from './warning.ts'

/** What one compile gives to be served. */
export interface Tables {
  readonly routes: RouteTable
  readonly endpoints: EndpointTable
}

/** A configuration with its number: immutable, kept, compared by digest. */
export interface Generation {
  /** Rises by one per changed compile; local to this process (R00-9). */
  readonly number: number
  /** The digest of `routes`. */
  readonly digest: string
  readonly routes: RouteTable
  readonly warnings: readonly Warning[]
}

/** The endpoints that go with a generation, at one instant. */
export interface LiveEndpoints {
  /** Rises by one per changed endpoint table. */
  readonly version: number
  readonly table: EndpointTable
}

/** What a worker serves, behind one reference. */
export interface Pair {
  readonly generation: Generation
  readonly endpoints: LiveEndpoints
}

/** Why a pair was refused, as the metric's label has it (34: `ramjet_publish_failures_total`). */
export type PublishFailure = 'tls_context' | 'limit' | 'port' | 'memory' | 'digest' | 'other'

/** What became of a pair that was handed to the data plane (R00-10, R00-11). */
export type ApplyOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly reason: PublishFailure; readonly message: string }
