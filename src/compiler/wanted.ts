import { keyOf, type ObjectRef } from '../model/object-ref.ts'
import type { EndpointState } from './endpoint-table.ts'
import type { Wanted } from './result.ts'

/** What the caches must hold for the next compile. Nothing that is built names a Secret or a ConfigMap. */
export function wantedFor({ names, externals }: EndpointState): Wanted {
  const externalNames = new Map([...externals.values()].map(({ service, name }) => [service, name] as const))
  return { objects: [], backends: names, externalNames }
}

/** The key of a wanted object in a snapshot: `Secret shop/ca`. */
export function wantedKey(ref: ObjectRef): string {
  return `${ref.kind} ${keyOf(ref)}`
}
