import { ApiAnswerError } from './api-errors.ts'

const LINE_FEED = 0x0a

/** Cuts a stream of bytes into lines; sans-io. Bytes become text only when their line is whole. */
export class JsonLines {
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  #waiting = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that `chunk` completes, without line feed and without empty ones. Throws when a line exceeds the bound. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end))
      if (this.#waiting > 0) lines.push(this.#take())
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return
    this.#waiting += part.length
    if (this.#waiting > this.#maxBytes) throw new ApiAnswerError(`a line of the watch exceeds ${this.#maxBytes} bytes`)
    this.#parts.push(part)
  }

  #take(): string {
    const [first] = this.#parts
    const bytes =
      this.#parts.length === 1 && first
        ? Buffer.from(first.buffer, first.byteOffset, first.length)
        : Buffer.concat(this.#parts)
    this.#parts = []
    this.#waiting = 0
    return bytes.toString('utf8')
  }
}
