import { destination } from 'pino'
import type { LineSink } from './log.ts'

/** Lines to stderr, written without waiting for whoever reads them. */
export class LogOutput implements LineSink {
  readonly #stream: ReturnType<typeof destination>
  /** What was written before `begin`; `undefined` since. */
  #held: string[] | undefined = []

  constructor(fd = 2) {
    this.#stream = destination({ fd, sync: false })
    // A reader that went away is no reason to end: there is nobody left to tell.
    this.#stream.on('error', () => {})
  }

  write(line: string): void {
    if (this.#held === undefined) this.#stream.write(line)
    else this.#held.push(line)
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
    try {
      this.#stream.flushSync()
    } catch {
      // Not open yet, or its reader is gone.
    }
  }
}
