// What writes onto objects during one term of leading: Ingresses by a tenure, ClassParameters by a writer of their own.
import type { CompileResult } from '../compiler/result.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiWriter } from '../runtime/client.ts'
import type { Term } from '../runtime/leader-election.ts'
import type { TokenBucket } from '../runtime/token-bucket.ts'
import type { AddressSource } from './address-source.ts'
import type { ClusterCaches } from './cluster-source.ts'
import type { ObjectWriter } from './object-writer.ts'
import type { ObservedGenerationMode } from './observed-generations.ts'
import { createParametersWriter, type ServedGeneration } from './parameters-status.ts'
import type { StoredParameters } from './stored-parameters.ts'
import { type Numbering, Tenure, type TenureDeps } from './tenure.ts'
import type { Tunables } from './tunables.ts'
import { addressPart } from './written-parts.ts'

export interface TermWriters {
  readonly tenure: Tenure
  readonly parameters: ObjectWriter<StoredParameters>
}

export interface TermWritersDeps extends Pick<TenureDeps, 'note' | 'onWarnings' | 'check'> {
  readonly term: Term
  readonly client: Pick<ApiWriter, 'patch'>
  readonly caches: Pick<ClusterCaches, 'ingresses' | 'ingressClasses' | 'classParameters'>
  readonly addresses: Pick<AddressSource, 'current'>
  readonly numbering: Numbering
  readonly served: () => ServedGeneration | undefined
  /** `undefined`: nothing was compiled yet. */
  readonly compiled: () => CompileResult | undefined
  /** Whether the Ingress was ours at some time and is not any more. */
  readonly hasLeft: (key: string) => boolean
  /** Whether the last replica is about to go, and takes its addresses with it. */
  readonly isLeaving: () => boolean
  readonly mode: ObservedGenerationMode
  /** Whether permissions are granted by namespace. */
  readonly isNarrowed: boolean
  readonly tunables: Tunables
  /** One for everything that is written. */
  readonly bucket: TokenBucket
  /** Told of each write that the API server refused, by kind. */
  readonly onRefused: (kind: WrittenKind) => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

export type WrittenKind = 'Ingress' | 'ClassParameters'

/** They write nothing before they run. */
export function createTermWriters(deps: TermWritersDeps): TermWriters {
  return { tenure: createTenure(deps), parameters: createParameters(deps) }
}

function createTenure(deps: TermWritersDeps): Tenure {
  const { addresses, caches, compiled, hasLeft, isLeaving, isNarrowed, tunables, onRefused } = deps
  return new Tenure({
    ...deps,
    lister: caches.ingresses.lister,
    contestWindowMs: tunables.contestWindowMs,
    addresses: addressPart({
      addresses: () => addresses.current(),
      claimed: () => compiled()?.claimed,
      wasClaimed: hasLeft,
      classes: caches.ingressClasses.lister,
      isLeaving,
    }),
    settings: { ...tunables, isNarrowed },
    onRefused: () => onRefused('Ingress'),
  })
}

function createParameters(deps: TermWritersDeps): ObjectWriter<StoredParameters> {
  const { caches, numbering, isNarrowed, tunables, onRefused } = deps
  return createParametersWriter({
    ...deps,
    lister: caches.classParameters.lister,
    newest: () => numbering.newest(),
    settings: { ...tunables, isNarrowed },
    onRefused: () => onRefused('ClassParameters'),
  })
}
