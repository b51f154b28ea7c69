import type { LogFields, WorkerLog } from './engine.ts'
import type { WorkerLogRecord } from './worker-protocol.ts'

/** What has gathered since the last sending, and how many records were too many. */
export interface LogBatch {
  readonly records: readonly WorkerLogRecord[]
  readonly dropped: number
}

/** Records that may wait for one sending; a client must not be able to fill memory or log by what it sends (R70-5). */
const MAX_WAITING = 64

/** Gathers a worker's records until `flush`, which is called at each heartbeat. */
export class LogRelay implements WorkerLog {
  readonly #send: (batch: LogBatch) => void
  #records: WorkerLogRecord[] = []
  #dropped = 0

  constructor(send: (batch: LogBatch) => void) {
    this.#send = send
  }

  warn(fields: LogFields, message: string): void {
    this.#add({ level: 'warn', fields, message })
  }

  info(fields: LogFields, message: string): void {
    this.#add({ level: 'info', fields, message })
  }

  debug(fields: LogFields, message: string): void {
    this.#add({ level: 'debug', fields, message })
  }

  /** Sends what has gathered, if anything has. */
  flush(): void {
    if (this.#records.length === 0) return
    const batch = { records: this.#records, dropped: this.#dropped }
    this.#records = []
    this.#dropped = 0
    this.#send(batch)
  }

  #add(record: WorkerLogRecord): void {
    if (this.#records.length < MAX_WAITING) this.#records.push(record)
    else this.#dropped += 1
  }
}
