import { keyOf } from '../model/object-ref.ts'
import { WARNING_REASONS, type Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'

/** Logs the warnings that were not there before, each once for as long as it lasts (R32-23). */
export class WarningLog {
  readonly #log: Logger
  #known: ReadonlySet<string> = new Set()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Takes all warnings there are now. */
  update(warnings: readonly Warning[]): void {
    const now = new Set<string>()
    for (const warning of warnings) {
      const identity = identityOf(warning)
      if (!this.#known.has(identity) && !now.has(identity)) this.#write(warning)
      now.add(identity)
    }
    this.#known = now
  }

  /** The warning's own sentence is the record's message: R32-23 wants both, and there is one place for them. */
  #write({ reason, object, field, message }: Warning): void {
    const fields = { reason, kind: object.kind, namespace: object.namespace, name: object.name, field }
    if (WARNING_REASONS[reason].severity === 'Warning') this.#log.warn(fields, message)
    else this.#log.info(fields, message)
  }
}

function identityOf({ reason, object, field, message }: Warning): string {
  return JSON.stringify([reason, object.kind, keyOf(object), field, message])
}
