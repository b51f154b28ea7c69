import type { LogFields, WorkerLog } from './engine.ts'

/**
 * Says of one kind of trouble at warn that it began, and at debug that it goes on (R32-24): whoever may connect could fill
 * the log otherwise. How often is for a metric to say.
 */
export class FirstWarning {
  readonly #log: WorkerLog
  #hasWarned = false

  constructor(log: WorkerLog) {
    this.#log = log
  }

  tell(fields: LogFields, message: string): void {
    if (this.#hasWarned) this.#log.debug(fields, message)
    else this.#log.warn(fields, `${message}; further ones are logged at debug`)
    this.#hasWarned = true
  }
}
