import type { CompileResult } from '../../src/compiler/result.ts'

/** Everything that a compile gives, without the memo and in an order of its own: equal for equal outcomes. */
export function contentOf({ tables, warnings, wanted, claimed }: CompileResult): unknown {
  const { routes, endpoints } = tables
  return {
    hosts: sortedEntries(routes.hosts),
    backends: sortedEntries(routes.backends),
    defaultRoute: routes.defaultRoute,
    certificates: sortedEntries(routes.certificates?.certificates ?? new Map()),
    serverNames: sortedEntries(routes.certificates?.serverNames ?? new Map()),
    digest: routes.digest,
    endpoints: sortedEntries(endpoints.byBackend),
    endpointsDigest: endpoints.digest,
    warnings,
    wanted: {
      objects: wanted.objects,
      tlsSecrets: [...wanted.tlsSecrets].toSorted(),
      backends: [...wanted.backends].toSorted(),
      externalNames: sortedEntries(wanted.externalNames),
    },
    claimed: [...claimed].toSorted(),
  }
}

function sortedEntries<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
