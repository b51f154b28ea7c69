import { messageOf, RamjetError } from '../lib/errors.ts'
import type { Logger } from '../observability/log.ts'
import { ApiStatusError } from './api-errors.ts'

/** What a record of a reflector says about where it came from. */
export type ReadingFields = {
  /** The plural, as metrics have it. */
  readonly kind: string
  readonly namespace?: string
}

/** Tells of each trouble once when it begins and once when it is over, so that an hour of it is no flood (R70-80). */
export class ReadingLog {
  readonly #log: Logger
  readonly #fields: ReadingFields
  /** The kind of trouble that was told last; empty while reading works. */
  #trouble = ''

  constructor(log: Logger, fields: ReadingFields) {
    this.#log = log
    this.#fields = fields
  }

  works(): void {
    if (this.#trouble === '') return
    this.#trouble = ''
    this.#log.info(this.#fields, 'reading again')
  }

  listed(resourceVersion: string): void {
    this.#log.debug({ ...this.#fields, resourceVersion }, 'listed')
  }

  failed(error: unknown, verb: string): void {
    const trouble = kindOf(error)
    const fields = { ...this.#fields, verb, ...factsOf(error) }
    if (trouble === this.#trouble) this.#log.debug(fields, 'reading failed again')
    else this.#log.warn(fields, 'reading failed, trying again')
    this.#trouble = trouble
  }

  /** `isNews`: false where it was told a moment ago. */
  unavailable(error: unknown, verb: string, isNews: boolean): void {
    this.#trouble = 'unavailable'
    const fields = { ...this.#fields, verb, ...factsOf(error) }
    if (isNews) this.#log.warn(fields, 'kind cannot be read, asking again')
    else this.#log.debug(fields, 'kind cannot be read, asking again')
  }

  expired(error: unknown, isBehind: boolean): void {
    const fields = { ...this.#fields, ...factsOf(error) }
    if (isBehind) this.#log.warn(fields, 'the API server is behind our version, listing anew')
    else this.#log.info(fields, 'version expired, listing anew')
  }

  wasSilent(): void {
    this.#log.info(this.#fields, 'a whole watch without a sign of life, listing anew')
  }

  wentBack(from: string, to: string): void {
    this.#log.warn({ ...this.#fields, from, to }, 'the API server went back to an older state, which is taken')
  }
}

function kindOf(error: unknown): string {
  if (error instanceof ApiStatusError) return `status ${error.status}`
  return error instanceof RamjetError ? error.code : messageOf(error)
}

/** What the API server did wrong has no stack worth reading; a fault of ours has. */
function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof RamjetError ? { code: error.code, detail: error.message } : { err: error }
}
