import { type BackendSources, resolveBackend } from './backends.ts'
import type { Contribution } from './contribution.ts'
import { refsOf } from './groups.ts'

/** Names of the backends that the Ingresses with an unbuilt guard of that scope name: closed for everybody (R11-163). */
export function closedBackends(closing: readonly Contribution[], sources: BackendSources): ReadonlySet<string> {
  const names = new Set<string>()
  for (const contribution of closing) {
    for (const ref of refsOf(contribution)) {
      const target = resolveBackend(ref, sources)
      if (target.kind === 'backend') names.add(target.name)
    }
  }
  return names
}
