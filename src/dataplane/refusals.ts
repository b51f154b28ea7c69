import type { ProcessField } from '../model/counters.ts'
import type { AnswerName } from './own-answers.ts'

const FIELDS: ReadonlyMap<AnswerName, ProcessField> = new Map([
  ['malformed', 'refusedMalformed'],
  ['head-too-large', 'refusedHeadSize'],
  ['target-too-long', 'refusedTargetSize'],
  ['too-many-fields', 'refusedFields'],
  ['body-too-large', 'refusedBodySize'],
  ['head-too-slow', 'refusedHeaderTimeout'],
  ['body-too-slow', 'refusedBodyTimeout'],
  ['over-budget', 'refusedBudget'],
  ['version-not-supported', 'refusedVersion'],
  ['coding-not-implemented', 'refusedOther'],
  ['protocol-not-implemented', 'refusedOther'],
  ['misdirected', 'refusedOther'],
  ['method-not-allowed', 'refusedOther'],
  ['connect-refused', 'refusedOther'],
  ['grpc-needs-http2', 'grpcUnsupported'],
])

/** The counter of an answer that refuses a request for what it is; `undefined` for any other answer. */
export function refusalField(name: AnswerName): ProcessField | undefined {
  return FIELDS.get(name)
}
