// The status of ClassParameters: what became of them, and of whatever is served by them (R50-15).
import { isDeepStrictEqual } from 'node:util'
import type { ClassParametersCondition, ClassParametersStatus } from '../api/v1alpha1/class-parameters.ts'
import { type ParametersUse, parametersUse } from '../compiler/parameters-use.ts'
import type { CompileResult } from '../compiler/result.ts'
import type { Clock } from '../lib/clock.ts'
import { recordOf } from '../lib/json-record.ts'
import type { Generation } from '../model/generation.ts'
import { judgeParameters } from './class-parameters.ts'
import { CLASS_PARAMETERS } from './kinds.ts'
import { ObjectWriter, type ObjectWriterDeps, type WrittenPart } from './object-writer.ts'
import { decodeClassParameters, type StoredParameters } from './stored-parameters.ts'

/** The generation that every worker serves. */
export interface ServedGeneration {
  readonly number: number
  /** When it was published, in Unix milliseconds. */
  readonly atMs: number
}

export interface ParametersStatusDeps {
  /** `undefined`: nothing was compiled yet. */
  readonly compiled: () => CompileResult | undefined
  /** Compiled last, served or not. */
  readonly newest: () => Generation | undefined
  readonly served: () => ServedGeneration | undefined
  readonly clock: Clock
}

type WriterDeps = Omit<ObjectWriterDeps<StoredParameters>, 'resource' | 'decode' | 'parts' | 'onIdle'>

/** The one writer of the status of ClassParameters. */
export function createParametersWriter(deps: WriterDeps & ParametersStatusDeps): ObjectWriter<StoredParameters> {
  return new ObjectWriter({
    ...deps,
    resource: CLASS_PARAMETERS,
    decode: decodeClassParameters,
    parts: [parametersStatusPart(deps)],
    onIdle: () => {},
  })
}

/** Writes `.status` whole, conditions of others kept, whenever it says something else than it would. */
export function parametersStatusPart(deps: ParametersStatusDeps): WrittenPart<StoredParameters> {
  let last: { readonly result: CompileResult; readonly uses: ReadonlyMap<string, ParametersUse> } | undefined
  const usesOf = (result: CompileResult): ReadonlyMap<string, ParametersUse> => {
    if (last?.result !== result) last = { result, uses: parametersUse(result) }
    return last.uses
  }
  return {
    target: 'status',
    plan(key, object) {
      const [result, newest] = [deps.compiled(), deps.newest()]
      const use = result && usesOf(result).get(key)
      // What was compiled with another version of it says nothing about this one.
      if (!use || !newest || !isDeepStrictEqual(use.reading, judgeParameters(object.spec))) return undefined
      const wanted = statusOf(object, use, { newest, served: deps.served(), nowMs: deps.clock.wallMs() })
      // What a merge patch would leave as it is, is no reason to write.
      const isWritten = isDeepStrictEqual(object.status, { ...object.status, ...wanted })
      return isWritten ? undefined : { target: 'status', body: { status: wanted } }
    },
  }
}

interface Moment {
  readonly newest: Generation
  readonly served: ServedGeneration | undefined
  readonly nowMs: number
}

function statusOf(
  object: StoredParameters,
  use: ParametersUse,
  { newest, served, nowMs }: Moment,
): ClassParametersStatus {
  const { generation = 0 } = object.metadata
  const verdicts = [accepted(use), programmed(use, newest, served)]
  const written = conditionsOf(object)
  const others = written.filter(({ type }) => !verdicts.some((verdict) => verdict.type === type))
  const conditions = verdicts.map((verdict): ClassParametersCondition => {
    const before = written.find(({ type }) => type === verdict.type)
    const isSame = before?.status === verdict.status && typeof before.lastTransitionTime === 'string'
    const lastTransitionTime = isSame ? before.lastTransitionTime : timeText(nowMs)
    return { ...verdict, observedGeneration: generation, lastTransitionTime }
  })
  return {
    conditions: [...conditions, ...others],
    observedGeneration: generation,
    generation: newest.number,
    digest: newest.digest,
    routes: use.routes,
    hosts: use.hosts,
    certificates: use.certificates,
    warnings: use.warnings,
    ...(served ? { lastPublishTime: timeText(served.atMs) } : {}),
  }
}

type Verdict = Pick<ClassParametersCondition, 'type' | 'status' | 'reason' | 'message'>

function accepted({ reading }: ParametersUse): Verdict {
  const type = 'Accepted'
  if (reading.kind === 'valid')
    return { type, status: 'True', reason: 'Accepted', message: 'the parameters can be used' }
  return { type, status: 'False', reason: 'InvalidObject', message: `${reading.field} ${reading.problem}` }
}

function programmed(
  { reading, classes }: ParametersUse,
  newest: Generation,
  served: ServedGeneration | undefined,
): Verdict {
  const type = 'Programmed'
  const no = { type, status: 'False' } as const
  if (reading.kind === 'invalid') return { ...no, reason: 'Invalid', message: 'the parameters cannot be used' }
  if (classes.length === 0) return { ...no, reason: 'Unused', message: 'no class of ours names the parameters' }
  if ((served?.number ?? 0) < newest.number) {
    return { ...no, reason: 'Pending', message: `generation ${newest.number} is compiled and does not serve` }
  }
  return { type, status: 'True', reason: 'Programmed', message: `served: ${listed(classes)}` }
}

const NAMED = 3

function listed(classes: readonly string[]): string {
  const more = classes.length > NAMED ? ` and ${classes.length - NAMED} more` : ''
  return `${classes.slice(0, NAMED).join(', ')}${more}`
}

/** The conditions as they are written, by whomever. */
function conditionsOf({ status }: StoredParameters): readonly ClassParametersCondition[] {
  const list: readonly unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server holds the status to its schema
  return list.filter((each) => typeof recordOf(each)['type'] === 'string') as readonly ClassParametersCondition[]
}

/** RFC 3339, to the second. */
function timeText(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, -5)}Z`
}
