import { noteEndpoints } from './endpoint-findings.ts'
import { recompileServices } from './endpoint-table.ts'
import type { CompileResult } from './result.ts'
import type { ClusterSnapshot } from './snapshot.ts'
import { changeLedger } from './warnings.ts'

/**
 * `last` with the endpoints of the given Services (`namespace/name`) as `snapshot` has them: the short way of R80-15.
 * Equals a compile from nothing where no other part of the snapshot differs from what `last` was compiled from.
 */
export function recompileEndpoints(
  snapshot: ClusterSnapshot,
  last: CompileResult,
  services: ReadonlySet<string>,
): CompileResult {
  const { memo } = last
  const { state, changed } = recompileServices(snapshot, services, last.tables.routes.backends, memo.endpoints)
  const ledger = changeLedger(memo.ledger, noteEndpoints(changed, state, memo))
  return {
    ...last,
    tables: { routes: last.tables.routes, endpoints: state.table },
    warnings: ledger.warnings,
    memo: { ...memo, endpoints: state, ledger },
  }
}
