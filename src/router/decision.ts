import type { Captures } from '../lib/regex.ts'
import type { Route, RouteAction } from '../model/route-table.ts'

/** Why the router answers a request itself; own-answers of the data plane have the status and the text. */
export type AnswerReason =
  | 'no-route'
  | 'unresolved-service'
  | 'unsupported-backend'
  | 'external-name'
  | 'access-rule'
  | 'target-too-long'

/** Send the request to an endpoint of a backend. */
export interface Forward {
  readonly kind: 'forward'
  readonly route: Route
  /** What a template of the route's policy reads (rewrite.ts); `undefined` where none names a capture of a regex. */
  readonly captures: Captures | undefined
  /** False where a default backend answers because no host and path did: a route miss (34). */
  readonly matched: boolean
}

/** Answer it. */
export interface Respond {
  readonly kind: 'respond'
  readonly reason: AnswerReason
  readonly route: Route | undefined
}

/** Send the client elsewhere (redirect.ts). */
export interface Redirect {
  readonly kind: 'redirect'
  readonly route: Route
  readonly action: Extract<RouteAction, { kind: 'redirect' }>
  /** As in `Forward`. */
  readonly captures: Captures | undefined
  /** As in `Forward`. */
  readonly matched: boolean
}

/** Send a client that came by http to https; what `secured` says happens to one that came by https (R11-57). */
export interface HttpsFirst {
  readonly kind: 'https-first'
  readonly route: Route
  readonly secured: Forward | Redirect | Respond
  /** As in `Forward`. */
  readonly matched: boolean
}

/** What happens to a request. Made when the table is built and shared by all requests; never changed. */
export type Decision = Forward | Redirect | Respond | HttpsFirst
