// Certificates that expire: the warnings that need a clock, raised beside the compile (R13-6, R21-15).
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { type CertificateRecord, EXPIRING_MS, timeText } from '../model/certificate-record.ts'
import type { Warning } from '../model/warning.ts'

export interface ExpiryWatchDeps {
  readonly clock: Clock
  readonly timers: Timers
  /** `warnings()` says something else now. */
  readonly onChange: () => void
}

/** The longest wait of one timer: a clock that was set meanwhile is seen then. */
const MAX_WAIT_MS = 3_600_000

/** Tells whoever names a certificate that it expires, and that it has; by its own timer, without a compile. */
export class ExpiryWatch {
  readonly #deps: ExpiryWatchDeps
  #records: readonly CertificateRecord[] = []
  #warnings: readonly Warning[] = []
  #cancelTimer: Cancel | undefined

  constructor(deps: ExpiryWatchDeps) {
    this.#deps = deps
  }

  /** Makes these the certificates that are named. */
  update(records: readonly CertificateRecord[]): void {
    if (records === this.#records) return
    this.#records = records
    this.#look()
  }

  get records(): readonly CertificateRecord[] {
    return this.#records
  }

  warnings(): readonly Warning[] {
    return this.#warnings
  }

  stop(): void {
    this.#cancelTimer?.()
  }

  #look(): void {
    const nowMs = this.#deps.clock.wallMs()
    this.#warnings = this.#records.flatMap((record) => warningsOf(record, nowMs))
    this.#cancelTimer?.()
    const left = this.#records.flatMap((record) => waitsOf(record, nowMs))
    const waitMs = left.reduce((least, ms) => Math.min(least, ms), MAX_WAIT_MS)
    this.#cancelTimer = left.length === 0 ? undefined : this.#deps.timers.after(waitMs, () => this.#lookAgain())
  }

  #lookAgain(): void {
    const before = this.#warnings
    this.#look()
    const isSame =
      this.#warnings.length === before.length && this.#warnings.every((one, at) => one.message === before[at]?.message)
    if (!isSame) this.#deps.onChange()
  }
}

/** How long until something else is to be told of it. */
function waitsOf({ serving }: CertificateRecord, nowMs: number): readonly number[] {
  if (!serving) return []
  return [serving.notAfterMs - EXPIRING_MS, serving.notAfterMs].map((at) => at - nowMs).filter((left) => left > 0)
}

function warningsOf({ secret, serving, users }: CertificateRecord, nowMs: number): readonly Warning[] {
  if (!serving || serving.notAfterMs - nowMs > EXPIRING_MS) return []
  const hasExpired = serving.notAfterMs <= nowMs
  const reason = hasExpired ? 'CertificateExpired' : 'CertificateExpiring'
  const verb = hasExpired ? 'expired' : 'expires'
  const message = `the certificate of the Secret "${secret}" ${verb} at ${timeText(serving.notAfterMs)}; it serves on`
  return users.map(({ object, field }) => ({ reason, object, field, message }))
}
