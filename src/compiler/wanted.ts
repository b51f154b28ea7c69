import type { EndpointState } from './endpoint-table.ts'
import type { Wanted } from './result.ts'

/** What the caches must hold for the next compile. No feature of this build names a Secret or a ConfigMap yet. */
export function wantedFor({ names, externals }: EndpointState): Wanted {
  const externalNames = new Map([...externals.values()].map(({ service, name }) => [service, name] as const))
  return { objects: [], backends: names, externalNames }
}
