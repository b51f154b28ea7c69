// The trailer section of one body as it comes, cut anywhere.
import { LF } from './h1-bytes.ts'
import { NO_RULES } from './h1-field-rules.ts'
import { FieldSection } from './h1-field-section.ts'
import type { HeaderList } from './header-list.ts'

export interface TrailerLimits {
  /** R20-84. */
  readonly maxHeaders: number
  /** R20-85. */
  readonly maxHeaderBytes: number
}

/** Why a section is refused, named as the answer to it. */
export type TrailerFault = 'malformed' | 'too-many-fields' | 'head-too-large'

const FIRST_BYTES = 256

/** The lines of a trailer section, gathered: they are few, and come cut like everything else. */
export class TrailerSection {
  readonly #limits: TrailerLimits
  readonly #fields = new FieldSection(NO_RULES)
  #bytes = new Uint8Array(FIRST_BYTES)
  #length = 0
  #line = 0

  constructor(limits: TrailerLimits) {
    this.#limits = limits
    this.#fields.reset(0)
  }

  /** What is wrong with the section, now that it has this byte too; `undefined`: nothing. */
  add(byte: number): TrailerFault | undefined {
    if (this.#length === this.#limits.maxHeaderBytes) return 'head-too-large'
    if (this.#length === this.#line && this.#fields.count === this.#limits.maxHeaders) return 'too-many-fields'
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length] = byte
    this.#length += 1
    return byte === LF ? this.#endLine() : undefined
  }

  /** The fields of the lines that came whole. */
  list(): HeaderList {
    return this.#fields.list(this.#bytes)
  }

  #endLine(): TrailerFault | undefined {
    const next = this.#fields.line(this.#bytes, this.#line, this.#length)
    if (next < 0) return 'malformed'
    this.#line = next
    return undefined
  }
}
