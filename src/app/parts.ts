// The parts of a process that others look at: the admin API and a scrape read them, and change nothing but a pin.
import type { AdminServer } from '../admin/api.ts'
import type { Readiness } from '../admin/readiness.ts'
import type { ExpiryWatch } from '../controllers/expiry-watch.ts'
import type { KindStatus } from '../controllers/kind-status.ts'
import type { DataPlane } from '../dataplane/data-plane.ts'
import type { AuditTrail } from '../generations/audit-trail.ts'
import type { Publishing } from '../generations/publish.ts'
import type { OperatorConfigWatch } from '../manifests/operator-config-watch.ts'
import type { ControlPlaneFigures } from '../observability/control-plane-figures.ts'
import type { CurrentWarnings } from '../observability/current-warnings.ts'
import type { ClusterParts } from './cluster-parts.ts'

/** Parts that exist from the beginning, and as functions those that come later or not at all. */
export interface Parts {
  /** Name of this pod. */
  readonly replica: string
  readonly dataPlane: DataPlane
  readonly publishing: Publishing
  readonly audit: AuditTrail
  readonly readiness: Readiness
  readonly warnings: CurrentWarnings
  readonly figures: ControlPlaneFigures
  readonly expiry: ExpiryWatch
  readonly admin: () => AdminServer
  readonly config: () => OperatorConfigWatch | undefined
  readonly cluster: () => ClusterParts | undefined
}

/** None in static mode. */
export function kindsOf({ cluster }: Pick<Parts, 'cluster'>): readonly KindStatus[] {
  return cluster()?.source.kinds() ?? []
}
