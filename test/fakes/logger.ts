import type { LogFields, Logger, LogLevel } from '../../src/observability/log.ts'

export interface LogRecord {
  readonly level: LogLevel
  readonly target: string
  readonly fields: LogFields
  readonly message: string
}

/** Keeps every record; those of children too. */
export class FakeLogger implements Logger {
  readonly records: LogRecord[]
  readonly #target: string

  constructor(target = '', records: LogRecord[] = []) {
    this.#target = target
    this.records = records
  }

  error(fields: LogFields, message: string): void {
    this.#keep('error', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#keep('warn', fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#keep('info', fields, message)
  }

  debug(fields: LogFields, message: string): void {
    this.#keep('debug', fields, message)
  }

  child(target: string): FakeLogger {
    return new FakeLogger(this.#target === '' ? target : `${this.#target}.${target}`, this.records)
  }

  /** The records of one level, or all of them. */
  of(level: LogLevel): readonly LogRecord[] {
    return this.records.filter((record) => record.level === level)
  }

  #keep(level: LogLevel, fields: LogFields, message: string): void {
    this.records.push({ level, target: this.#target, fields, message })
  }
}
