// The operator's configuration, read again while the process runs; what was good last stays whole (R42-8, R42-9).
import type { Clock } from '../lib/clock.ts'
import { digestOf } from '../lib/digest.ts'
import { RamjetError } from '../lib/errors.ts'
import type { Result } from '../lib/result.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { type ConfigFault, formatConfigFault } from './config-faults.ts'
import { readConfigTexts } from './config-files.ts'
import {
  type ConfigText,
  type ConfigValue,
  NO_CONFIG,
  type OperatorConfig,
  parseOperatorConfig,
} from './operator-config.ts'

/** The configuration cannot be used; one line of the message for each fault. */
export class OperatorConfigError extends RamjetError {
  readonly code = 'RAMJET_OPERATOR_CONFIG'
}

export interface OperatorConfigWatchDeps {
  /** How often the files are looked at. */
  readonly pollMs: number
  /** The variables that secret-bearing fields may name; `undefined`: not set. */
  readonly lookUp: (name: string) => string | undefined
  readonly clock: Clock
  readonly timers: Timers
  /** The files changed and are good. */
  readonly onConfig: (config: OperatorConfig) => void
  /** The files changed and are not: `faults` is never empty. */
  readonly onFaults: (faults: readonly ConfigFault[]) => void
}

/** Where the configuration stands. */
export interface OperatorConfigStatus {
  /** What the flag says. */
  readonly path: string
  /** When what is in force was read, in Unix milliseconds. */
  readonly loadedAtMs: number
  /** Invalid readings so far. */
  readonly failures: number
  /** What is wrong with the files as they are now; empty when nothing is. */
  readonly faults: readonly ConfigFault[]
}

type Reading = Result<readonly ConfigText[], readonly ConfigFault[]>

/** A file that is swapped while it is read shows once more, so that no mixture of old and new files is used. */
const SETTLING_READS = 5

/** Reads the files at `path` and looks at them again for as long as it is not stopped. */
export class OperatorConfigWatch {
  readonly #path: string
  readonly #deps: OperatorConfigWatchDeps
  #cancel: Cancel | undefined
  #isStopped = true
  /** Of what was read last, good or not. */
  #digest = ''
  #config: OperatorConfig = NO_CONFIG
  #loadedAtMs = 0
  #failures = 0
  #faults: readonly ConfigFault[] = []
  #reading: Promise<void> = Promise.resolve()

  constructor(path: string, deps: OperatorConfigWatchDeps) {
    this.#path = path
    this.#deps = deps
  }

  /** What is in force. */
  get config(): OperatorConfig {
    return this.#config
  }

  /** The configuration to begin with, and from now on every change. Throws `OperatorConfigError`. */
  async start(): Promise<OperatorConfig> {
    const texts = await this.#readTexts()
    const config = this.#parse(texts)
    if (!config.ok) {
      const lines = config.error.map(formatConfigFault)
      throw new OperatorConfigError(lines.join('\n'), { context: { path: this.#path } })
    }
    this.#digest = identityOf(texts)
    this.#use(config.value)
    this.#isStopped = false
    this.#lookLater()
    return config.value
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  /** Reads the files now; what is good is told only if it is new, what is not each time. */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(true))
    return this.#reading
  }

  status(): OperatorConfigStatus {
    return { path: this.#path, loadedAtMs: this.#loadedAtMs, failures: this.#failures, faults: this.#faults }
  }

  /** Every value that is in force, with the file of its origin (R42-13). */
  effectiveConfig(): readonly ConfigValue[] {
    return this.#config.values
  }

  #lookLater(): void {
    if (this.#isStopped) return
    this.#cancel = this.#deps.timers.after(this.#deps.pollMs, () => {
      this.#reading = this.#reading.then(() => this.#read(false))
      void this.#reading.then(() => this.#lookLater())
    })
  }

  async #read(isAsked: boolean): Promise<void> {
    const texts = await this.#readTexts()
    const digest = identityOf(texts)
    const isSame = digest === this.#digest
    if (this.#isStopped || (isSame && !(isAsked && this.#faults.length > 0))) return
    this.#digest = digest
    const config = this.#parse(texts)
    if (!config.ok) {
      this.#failures += 1
      this.#faults = config.error
      this.#deps.onFaults(config.error)
      return
    }
    this.#use(config.value)
    this.#deps.onConfig(config.value)
  }

  /** Reads until two readings in a row are the same. */
  async #readTexts(): Promise<Reading> {
    let texts = await readConfigTexts(this.#path)
    for (let left = SETTLING_READS; left > 0; left -= 1) {
      const again = await readConfigTexts(this.#path)
      const isSettled = identityOf(again) === identityOf(texts)
      texts = again
      if (isSettled) break
    }
    return texts
  }

  #parse(texts: Reading): Result<OperatorConfig, readonly ConfigFault[]> {
    return texts.ok ? parseOperatorConfig(texts.value, this.#deps.lookUp) : texts
  }

  #use(config: OperatorConfig): void {
    this.#config = config
    this.#faults = []
    this.#loadedAtMs = this.#deps.clock.wallMs()
  }
}

function identityOf(texts: Reading): string {
  return digestOf(JSON.stringify(texts))
}
