// What receives a request has to work with, and whom it tells what becomes of it.
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName, OwnAnswer } from '../../own-answers.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { TryPlan } from '../../tries.ts'
import type { WireContext } from './context.ts'
import type { ExchangeHost } from './exchange-host.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestFacts } from './request-facts.ts'

export interface ReceptionOwner {
  /** The request is not forwarded, or not as it is; this is what the client is told. */
  answer(name: AnswerName): void
  redirect(answer: OwnAnswer): void
  /** It has a route. */
  routed(limits: RouteLimits): void
  /** Its body is read before an endpoint is asked. */
  gathering(): void
  /** Its head stands in the output, alone. */
  forward(plan: TryPlan): void
}

export interface ReceptionParts {
  readonly context: WireContext
  readonly client: ExchangeHost
  readonly record: ExchangeRecord
  readonly body: RequestBody
  readonly facts: RequestFacts
  readonly owner: ReceptionOwner
}
