/**
 * What the router reads of a request: ranges of bytes in a buffer of the engine's. The engine has brought both into
 * their one form (lib/host-name.ts, lib/request-path.ts) and may use the object again for the next request.
 */
export interface RequestView {
  readonly bytes: Uint8Array
  /** Lower case, no port, no trailing dot; an empty range where the request named no host. */
  readonly hostStart: number
  readonly hostEnd: number
  /** The canonical path without the query. */
  readonly pathStart: number
  readonly pathEnd: number
}
