import type { Route } from './route-table.ts'

/** A route that would have come before the one that takes a request, and why it does not take it. */
export interface PassedRoute {
  readonly route: Route
  /** Part of a sentence that begins with the path: `is not below "/api"`. */
  readonly why: string
}

/** Which route takes a request and how that is decided. */
export interface MatchExplanation {
  /** The virtual host that the name belongs to; `undefined`: no host claims it. */
  readonly host: string | undefined
  /** `undefined`: nothing takes it, and it is answered 404. */
  readonly route: Route | undefined
  /** `path`: by its path. `default`: by the default backend of the host or of all. `none`: by an answer of our own. */
  readonly by: 'path' | 'default' | 'none'
  /** In the order in which they were asked. */
  readonly passed: readonly PassedRoute[]
  /** Further routes of the host that were passed over and are not shown. */
  readonly leftOut: number
}
