import { type AnswerName, type AnswerUse, answerBytes, type OwnAnswer } from '../../own-answers.ts'
import type { WireContext } from './context.ts'
import type { LastResponse } from './last-response.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestFacts } from './request-facts.ts'

export interface OwnResponseParts {
  readonly context: WireContext
  readonly facts: Readonly<RequestFacts>
  readonly body: RequestBody
  readonly last: LastResponse
}

/** Puts answers of our own into the output, in the form that the request wants (R20-61). */
export class OwnResponse {
  readonly #parts: OwnResponseParts

  constructor(parts: OwnResponseParts) {
    this.#parts = parts
  }

  /** Writes the answer of this name; its status. */
  write(name: AnswerName): number {
    const { context, facts } = this.#parts
    const { answers, output } = context
    const answer = answers.of(name, facts.isGrpc ? 'grpc' : 'text')
    answers.write(answer, this.#useOf(answer), output, facts.isHead)
    return answer.status
  }

  /** Writes an answer that is made for this request alone; its status. */
  writeOnce(answer: OwnAnswer): number {
    const { context, facts } = this.#parts
    const bytes = answerBytes(answer, this.#useOf(answer))
    context.output.append(bytes, 0, facts.isHead ? bytes.length - answer.body.length : bytes.length)
    return answer.status
  }

  #useOf(answer: OwnAnswer): AnswerUse {
    const { context, facts, last } = this.#parts
    return {
      closes: last.decide(answer.closes || this.#hasMuchUnread()),
      clientMinorVersion: facts.minorVersion,
      date: context.date(),
    }
  }

  /** More than is read behind an early answer (R20-89). */
  #hasMuchUnread(): boolean {
    const { context, facts, body } = this.#parts
    return facts.bodyBytes > context.limits.drainBytes && !body.isEnded
  }
}
