import type { LogFields, WorkerLog } from './engine.ts'
import type { WorkerLogRecord } from './worker-protocol.ts'

/** What has gathered since the last sending, and how many records were too many. */
export interface LogBatch {
  readonly records: readonly WorkerLogRecord[]
  /** At `warn` and `info`. */
  readonly dropped: number
  readonly droppedDebug: number
}

/**
 * Records that may wait for one sending; a client must not be able to fill memory or log by what it sends (R70-5). As many
 * again at `debug`: what a client can repeat is told there (R32-24), and must not push out what is told once.
 */
const MAX_WAITING = 64

/** Gathers a worker's records until `flush`, which is called at each heartbeat. */
export class LogRelay implements WorkerLog {
  readonly #send: (batch: LogBatch) => void
  #records: WorkerLogRecord[] = []
  /** Of the records: those at `debug`. */
  #debugs = 0
  #dropped = 0
  #droppedDebug = 0

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
    if (this.#debugs >= MAX_WAITING) {
      this.#droppedDebug += 1
      return
    }
    this.#debugs += 1
    this.#records.push({ level: 'debug', fields, message })
  }

  /** Sends what has gathered, if anything has. */
  flush(): void {
    if (this.#records.length === 0) return
    const batch = { records: this.#records, dropped: this.#dropped, droppedDebug: this.#droppedDebug }
    this.#records = []
    this.#debugs = 0
    this.#dropped = 0
    this.#droppedDebug = 0
    this.#send(batch)
  }

  #add(record: WorkerLogRecord): void {
    if (this.#records.length - this.#debugs < MAX_WAITING) this.#records.push(record)
    else this.#dropped += 1
  }
}
