// What holds for a whole Service port, whichever route leads to it: balancing and health.
import type { AnnotationReader } from './annotation-reader.ts'

/** What the keys of scope `backend` say; an absent member is not set. */
export interface BackendSettings {
  /** The policy as it was written. */
  readonly loadBalance?: string
}

export function readBackendSettings(_reader: AnnotationReader): BackendSettings {
  return {}
}
