import { httpDate } from '../http/date.ts'

/** The value of a `Date` field, made once a second. */
export class DateClock {
  readonly #wallMs: () => number
  #second = -1
  #text = ''

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs
  }

  /** The value now. The very same string for one second. */
  text(): string {
    const second = Math.floor(this.#wallMs() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = httpDate(second * 1000)
    }
    return this.#text
  }
}
