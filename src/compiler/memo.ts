import { type BackendTermsState, emptyBackendTerms } from './backend-terms.ts'
import type { BackendUsers } from './backend-users.ts'
import type { ServiceCache } from './backends.ts'
import { type CertificateState, emptyCertificates } from './certificates.ts'
import type { DefaultState } from './default-route.ts'
import { type EndpointState, emptyEndpoints } from './endpoint-table.ts'
import { emptyGroups, type Groups } from './groups.ts'
import { emptyHosts, type HostState } from './host-table.ts'
import { PersistentMap } from './persistent-map.ts'
import { type FileReading, NO_FILE } from './read-file.ts'
import { emptyRouteTable, type RouteTableState } from './route-table.ts'
import { emptySelection, type ReadingCache, type Selection } from './select.ts'
import { emptyLedger, type Ledger } from './warnings.ts'

/**
 * What one compile hands to the next: the outcome of each stage together with the inputs it came from. A value: a
 * compile changes nothing in it but the weak caches, which hold what depends on their keys alone. Opaque to
 * everybody outside this folder.
 */
export interface Memo {
  readonly readings: ReadingCache
  readonly services: ServiceCache
  readonly selection: Selection
  readonly file: FileReading
  readonly groups: Groups
  readonly hosts: HostState
  readonly defaultRoute: DefaultState
  readonly users: BackendUsers
  readonly backendTerms: BackendTermsState
  readonly certificates: CertificateState
  readonly routes: RouteTableState
  readonly endpoints: EndpointState
  readonly ledger: Ledger
}

/** The memo of a first compile, which has nothing to use again. */
export function emptyMemo(): Memo {
  return {
    readings: new WeakMap(),
    services: new WeakMap(),
    selection: emptySelection(),
    file: NO_FILE,
    groups: emptyGroups(),
    hosts: emptyHosts(),
    defaultRoute: { route: undefined, uses: [] },
    users: new PersistentMap(),
    backendTerms: emptyBackendTerms(),
    certificates: emptyCertificates(),
    routes: emptyRouteTable(),
    endpoints: emptyEndpoints(),
    ledger: emptyLedger(),
  }
}
