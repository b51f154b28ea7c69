import { type BackendSources, resolveBackend } from './backends.ts'
import type { BackendRef, Contribution } from './contribution.ts'

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

function refsOf({ hosts, defaultBackend }: Contribution): readonly BackendRef[] {
  const refs = [...hosts.values()].flatMap((candidates) => candidates.map(({ backend }) => backend))
  return defaultBackend ? [...refs, defaultBackend.backend] : refs
}
