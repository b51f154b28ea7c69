import { destination } from 'pino'
import type { LineSink } from './log.ts'

/** More than a turn of the event loop usually writes, so that its lines go out together, or at once when the process ends. */
const TURN_BYTES = 8 * 1024
/** What waits at most for a reader that does not read; lines beyond it are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Lines to stderr, written without waiting for whoever reads them. */
export class LogOutput implements LineSink {
  readonly #stream: ReturnType<typeof destination>
  #isScheduled = false
  /** Whether a line came since the stream last was idle: it may have come too late for the write under way. */
  #hasNews = false
  /** What was written before `begin`; `undefined` since. */
  #held: string[] | undefined = []
  /** Lines that were dropped and that nobody was told of. */
  #dropped = 0
  readonly #onDropped: (lines: number) => void

  /** `onDropped`: how many lines were dropped, told as soon as there is room for a line that says so. */
  constructor(onDropped: (lines: number) => void, fd = 2) {
    this.#onDropped = onDropped
    this.#stream = destination({ fd, sync: false, minLength: TURN_BYTES, maxLength: MAX_WAITING_BYTES })
    // A reader that went away is no reason to end: there is nobody left to tell.
    this.#stream.on('error', () => {})
    this.#stream.on('drop', () => {
      this.#dropped += 1
    })
    this.#stream.on('drain', () => {
      if (this.#hasNews) this.#flushLater()
      this.#hasNews = false
      this.#tellDropped()
    })
  }

  write(line: string): void {
    if (this.#held !== undefined) {
      this.#held.push(line)
      return
    }
    this.#stream.write(line)
    this.#hasNews = true
    this.#flushLater()
  }

  /** Lets `writeFirst` write the first lines of all; those that came before it follow (R20-24). */
  begin(writeFirst: () => void): void {
    const held = this.#held
    this.#held = undefined
    writeFirst()
    for (const line of held ?? []) this.write(line)
  }

  /** Writes everything out before it returns: what comes next is the end of the process. */
  flush(): void {
    this.begin(() => {})
    this.#writeOut()
    if (this.#tellDropped()) this.#writeOut()
  }

  #writeOut(): void {
    try {
      this.#stream.flushSync()
    } catch {
      // Not open yet, or its reader is gone.
    }
  }

  /** Whether there was something to tell. */
  #tellDropped(): boolean {
    const lines = this.#dropped
    this.#dropped = 0
    if (lines > 0) this.#onDropped(lines)
    return lines > 0
  }

  // A write that has begun cannot be waited for: what this turn wrote stays here until the turn is over, so that
  // `flush` has all of it and keeps its order.
  #flushLater(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#stream.flush()
    })
  }
}
