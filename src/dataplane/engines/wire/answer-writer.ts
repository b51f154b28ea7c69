import {
  type AnswerForm,
  type AnswerName,
  type AnswerUse,
  answerBytes,
  type OwnAnswer,
  ownAnswer,
} from '../../own-answers.ts'
import type { Output } from './output.ts'

/** One answer as bytes, in which the date alone is exchanged. */
interface Made {
  readonly bytes: Buffer
  readonly headEnd: number
  date: string
}

/** Writes answers of our own: made once for each form, with the date of now put in (R20-61). */
export class AnswerWriter {
  readonly #answers: Readonly<Record<AnswerForm, Map<AnswerName, OwnAnswer>>> = { text: new Map(), grpc: new Map() }
  /** By what an answer is used for (`placeOf`). */
  readonly #made = new Map<OwnAnswer, (Made | undefined)[]>()

  /** The answer of this name, always the same object. */
  of(name: AnswerName, form: AnswerForm): OwnAnswer {
    const answers = this.#answers[form]
    const known = answers.get(name)
    if (known) return known
    const answer = ownAnswer(name, form)
    answers.set(name, answer)
    return answer
  }

  /** Puts an answer that `of` gave into the output; `withoutBody`: the head alone, for HEAD. */
  write(answer: OwnAnswer, use: AnswerUse, output: Output, withoutBody: boolean): void {
    const made = this.#madeFor(answer, use)
    if (made.date !== use.date) {
      made.date = use.date
      made.bytes.write(use.date, dateAt(made), 'latin1')
    }
    output.append(made.bytes, 0, withoutBody ? made.headEnd : made.bytes.length)
  }

  #madeFor(answer: OwnAnswer, use: AnswerUse): Made {
    const forms = this.#made.get(answer) ?? []
    this.#made.set(answer, forms)
    const place = placeOf(use)
    const known = forms[place]
    if (known) return known
    const bytes = answerBytes(answer, use)
    const made = { bytes, headEnd: bytes.indexOf('\r\n\r\n') + 4, date: use.date }
    forms[place] = made
    return made
  }
}

function placeOf({ closes, clientMinorVersion }: AnswerUse): number {
  return (closes ? 2 : 0) + clientMinorVersion
}

// The date is what stands last in every head of ours.
function dateAt({ headEnd, date }: Made): number {
  return headEnd - '\r\n\r\n'.length - date.length
}
