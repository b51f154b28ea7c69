import type { BackendTermsState } from './backend-terms.ts'
import type { CertificateState } from './certificates.ts'
import type { EndpointState } from './endpoint-table.ts'
import { compareText } from './order.ts'
import type { Wanted } from './result.ts'
import { refOfWanted } from './wanted-key.ts'

/** What the caches must hold for the next compile. */
export function wantedFor(
  { names, externals }: EndpointState,
  { secrets }: CertificateState,
  { bySecret }: BackendTermsState,
): Wanted {
  const keys = [...bySecret.entries()].map(([key]) => key)
  return {
    objects: keys.toSorted(compareText).map(refOfWanted),
    tlsSecrets: secrets,
    backends: names,
    externalNames: new Map([...externals.values()].map(({ service, name }) => [service, name] as const)),
  }
}
