/** The line of a `Date` field as bytes, made anew when its value is another one. */
export class DateLine {
  readonly #date: () => string
  #text = ''
  #bytes = Buffer.alloc(0)

  /** `date`: the value now, the very same string as long as it stays the same. */
  constructor(date: () => string) {
    this.#date = date
  }

  /** The line now. Not to be written to. */
  bytes(): Buffer {
    const text = this.#date()
    if (text !== this.#text) {
      this.#text = text
      this.#bytes = Buffer.from(`Date: ${text}\r\n`, 'latin1')
    }
    return this.#bytes
  }
}
