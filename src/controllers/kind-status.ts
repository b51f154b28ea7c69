import type { KubernetesObject } from '../api/meta.ts'
import type { Warning } from '../model/warning.ts'
import type { Informer, InformerStatus } from '../runtime/informer.ts'
import { resourceName } from '../runtime/resource.ts'
import { PROCESS } from './process-ref.ts'

/** Where one kind stands: for `/readyz`, metrics and the log. */
export interface KindStatus {
  /** Spelled as in its API: `Ingress`. */
  readonly kind: string
  /** Whether the process is not ready before it was listed (R30-48). */
  readonly required: boolean
  /** Whether it was listed once. Stays true, whatever `state` says later. */
  readonly hasSynced: boolean
  readonly state: 'synced' | 'syncing' | 'forbidden' | 'absent'
  /** What keeps it from being read, as a sentence part that names verb and kind; empty when nothing does. */
  readonly problem: string
  readonly objects: number
  /** Since its watch last proved alive; `undefined`: never. */
  readonly lastSyncAgeMs: number | undefined
  readonly watchRestarts: number
  readonly queueDepth: number
  readonly reconcileErrors: number
}

/** What keeps something from being read. */
export interface ReadingTrouble {
  warnings(): readonly Warning[]
  /** Calls `listener` whenever `warnings` may say something else. */
  onStatus(listener: () => void): void
}

export function troubleOf<T extends KubernetesObject>(informer: Informer<T>): ReadingTrouble {
  return {
    warnings: () => warningsOf(informer.status()),
    onStatus: (listener) => informer.onStatus(listener),
  }
}

/** What is in the way of a kind; empty when nothing is. */
export function problemOf(status: InformerStatus): string {
  const name = resourceName(status.resource)
  const place = status.namespace === undefined ? '' : ` in namespace ${status.namespace}`
  const { state } = status
  switch (state.kind) {
    case 'synced':
      return ''
    case 'syncing':
      return state.problem === '' ? `listing ${name}${place}` : `listing ${name}${place}: ${state.problem}`
    case 'forbidden':
      return `may not ${state.verb} ${name}${place}`
    case 'absent':
      return `the API server does not serve ${name}`
  }
}

/** The warnings that the reading of a kind gives rise to: objects that could not be read, and a missing permission. */
export function warningsOf(status: InformerStatus): readonly Warning[] {
  const { resource, state, malformed } = status
  const warnings: Warning[] = malformed.map(({ namespace, name, fault }) => ({
    reason: 'UndecodableObject',
    object: { kind: resource.kind, namespace, name },
    field: fault.field,
    message: `${fault.field} ${fault.message}; the object is left out`,
  }))
  if (state.kind === 'absent' && status.objects > 0) return [...warnings, kindRemoved(status)]
  if (state.kind !== 'forbidden') return warnings
  const field = `${state.verb} ${resource.plural}`
  const message = `${problemOf(status)}; asked again until it is granted`
  return [...warnings, { reason: 'KindForbidden', object: PROCESS, field, message }]
}

/** R50-5: said for as long as there are objects of it. */
function kindRemoved(status: InformerStatus): Warning {
  const message = `${problemOf(status)} any more; what was read of it serves until it has been gone for 5 minutes`
  return { reason: 'KindRemoved', object: PROCESS, field: status.resource.kind, message }
}
