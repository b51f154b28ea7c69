import type { EndpointState } from './endpoint-table.ts'
import { compareText } from './order.ts'
import type { Wanted } from './result.ts'
import { refOfWanted } from './wanted-key.ts'

/** What the caches must hold for the next compile; `keys` are those of the objects that are named. */
export function wantedFor({ names, externals }: EndpointState, keys: Iterable<string>): Wanted {
  const externalNames = new Map([...externals.values()].map(({ service, name }) => [service, name] as const))
  return { objects: [...new Set(keys)].toSorted(compareText).map(refOfWanted), backends: names, externalNames }
}
