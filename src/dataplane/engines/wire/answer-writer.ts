import { type AnswerName, type AnswerUse, answerBytes, type OwnAnswer, ownAnswer } from '../../own-answers.ts'
import type { Output } from './output.ts'

/** One answer as bytes, in which the date alone is exchanged. */
interface Made {
  readonly bytes: Buffer
  readonly headEnd: number
  date: string
}

/** Writes answers of our own: made once for each form, with the date of now put in (R20-61). */
export class AnswerWriter {
  readonly #answers = new Map<AnswerName, OwnAnswer>()
  readonly #made = new Map<string, Made>()

  /** The answer of this name. */
  of(name: AnswerName): OwnAnswer {
    const known = this.#answers.get(name)
    if (known) return known
    const answer = ownAnswer(name)
    this.#answers.set(name, answer)
    return answer
  }

  /** Puts the answer into the output; `withoutBody`: the head alone, for HEAD. */
  write(name: AnswerName, use: AnswerUse, output: Output, withoutBody: boolean): void {
    const made = this.#madeFor(name, use)
    if (made.date !== use.date) {
      made.date = use.date
      made.bytes.write(use.date, dateAt(made), 'latin1')
    }
    output.append(made.bytes, 0, withoutBody ? made.headEnd : made.bytes.length)
  }

  #madeFor(name: AnswerName, use: AnswerUse): Made {
    const key = `${name} ${use.clientMinorVersion} ${use.closes}`
    const known = this.#made.get(key)
    if (known) return known
    const bytes = answerBytes(this.of(name), use)
    const made = { bytes, headEnd: bytes.indexOf('\r\n\r\n') + 4, date: use.date }
    this.#made.set(key, made)
    return made
  }
}

// The date is what stands last in every head of ours.
function dateAt({ headEnd, date }: Made): number {
  return headEnd - '\r\n\r\n'.length - date.length
}
