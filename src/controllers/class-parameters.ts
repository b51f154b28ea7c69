import { readClassFields } from '../compiler/read-class-fields.ts'
import type { ClassParametersReading } from '../compiler/snapshot.ts'
import { keepEqual } from '../lib/keep-equal.ts'
import type { Lister } from '../runtime/lister.ts'
import { type Reconciler, requestKey } from '../runtime/reconciler.ts'
import type { DirtyMarker } from './compile-loop.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { StoredParameters } from './stored-parameters.ts'
import { checkObject } from './validators/check-object.ts'
import { checkClassParameters } from './validators/class-parameters.generated.ts'
import { CLASS_PARAMETERS_RULES } from './validators/class-parameters-rules.ts'

export interface ClassParametersDeps {
  readonly lister: Lister<StoredParameters>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
}

/** Keeps the ClassParameters of the snapshot as the cache has them, each judged once for each version of it. */
export function createClassParametersReconciler({ lister, snapshots, loop }: ClassParametersDeps): Reconciler {
  return {
    reconcile(request, { receivedAtMs }) {
      const key = requestKey(request)
      const object = lister.get(key)
      const reading = object && judgeParameters(object.spec)
      // A write to the status, or to a field that nothing reads, compiles nothing.
      if (snapshots.classParameters.put(key, keepEqual(snapshots.classParameters.get(key), reading))) {
        loop.markDirty({ kind: 'all' }, receivedAtMs)
      }
      return {}
    },
  }
}

/** What a ClassParameters object with this spec sets, or the first thing that is wrong with it (R50-16). */
export function judgeParameters(spec: unknown): ClassParametersReading {
  const { fields, faults } = readClassFields(spec)
  // The reader's words are for people, those of the schema for machines: it speaks where the reader has no objection.
  const [fault] = faults
  if (fault)
    return { kind: 'invalid', field: fault.field === '' ? 'spec' : `spec.${fault.field}`, problem: fault.problem }
  const schemaFault = checkObject({ spec }, checkClassParameters, CLASS_PARAMETERS_RULES)
  return schemaFault ? { kind: 'invalid', ...schemaFault } : { kind: 'valid', fields }
}
