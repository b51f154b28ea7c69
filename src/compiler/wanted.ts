import type { EndpointState } from './endpoint-table.ts'
import type { Wanted } from './result.ts'

/** What the caches must hold for the next compile. No feature of this build names a Secret or a ConfigMap yet. */
export function wantedFor({ names }: EndpointState): Wanted {
  return { objects: [], backends: names }
}
