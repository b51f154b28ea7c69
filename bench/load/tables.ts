// From a snapshot to what is published, as the control plane does it.
import { compile } from '../../src/compiler/compile.ts'
import type { Memo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { ClusterSnapshot } from '../../src/compiler/snapshot.ts'
import type { Pair } from '../../src/model/generation.ts'
import { SETTINGS } from './population.ts'

/** Compiles and wants every route there: a warning in a benchmark's cluster is a mistake of the benchmark. */
export function compileCleanly(snapshot: ClusterSnapshot, memo: Memo): CompileResult {
  const result = compile(snapshot, SETTINGS, memo)
  const [first] = result.warnings
  if (first) throw new Error(`the benchmark's cluster is not clean: ${first.reason}: ${first.message}`)
  return result
}

/** The pair that these tables make as generation `number`. */
export function pairOf({ tables, warnings }: CompileResult, number: number): Pair {
  const { routes, endpoints } = tables
  return {
    generation: { number, digest: routes.digest, routes, warnings },
    endpoints: { version: number, table: endpoints },
  }
}
