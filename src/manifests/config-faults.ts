// What is wrong with the operator's configuration.
import type { Place } from './config-tree.ts'

/** What is wrong, and where. */
export interface ConfigFault extends Place {
  /** Empty for the file as a whole. */
  readonly field: string
  readonly message: string
  /** How many faults this one stands for; one where it is absent. */
  readonly count?: number
}

/** Nobody reads more, and each is a line of the log. */
const MAX_TOLD = 20

/** The line for people: `defaults.yaml:12: healthcheck.path: must begin with /`. */
export function formatConfigFault({ file, line, field, message }: ConfigFault): string {
  return field === '' ? `${file}:${line}: ${message}` : `${file}:${line}: ${field}: ${message}`
}

/** The first faults that are found, and how many there were. */
export class FoundFaults {
  readonly #told: ConfigFault[] = []
  #firstLeft: Place | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Whether what is found now is only counted, so that nobody need find words for it. */
  get isFull(): boolean {
    return this.#told.length >= MAX_TOLD
  }

  add(fault: ConfigFault): void {
    if (this.isFull) {
      this.skip(fault)
      return
    }
    this.#count += 1
    this.#told.push(fault)
  }

  /** Counts a fault of which nothing is told but where the first one is. */
  skip({ file, line }: Place): void {
    this.#count += 1
    this.#firstLeft ??= { file, line }
  }

  /** Each by itself, and the last one for all that are left out. */
  list(): readonly ConfigFault[] {
    const count = this.#count - this.#told.length
    if (!this.#firstLeft) return this.#told
    return [...this.#told, { ...this.#firstLeft, field: '', message: `and ${count} more from here on`, count }]
  }
}
