import type { Clock } from '../lib/clock.ts'
import type { Warning } from '../model/warning.ts'

/** A warning that is there now, and since when. */
export interface CurrentWarning {
  readonly warning: Warning
  /** Milliseconds since the Unix epoch. */
  readonly sinceMs: number
}

/** The warnings there are now, each with the time at which it came, for `/admin/warnings` and `ramjet_warnings`. */
export class CurrentWarnings {
  readonly #clock: Clock
  #current: ReadonlyMap<string, CurrentWarning> = new Map()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes all warnings there are; what is the same as before keeps its time. */
  replace(warnings: readonly Warning[]): void {
    const next = new Map<string, CurrentWarning>()
    for (const warning of warnings) {
      const { reason, object, field, message } = warning
      const identity = JSON.stringify([reason, object.kind, object.namespace, object.name, field, message])
      next.set(identity, this.#current.get(identity) ?? { warning, sinceMs: this.#clock.wallMs() })
    }
    this.#current = next
  }

  all(): readonly CurrentWarning[] {
    return [...this.#current.values()]
  }

  /** How many there are of each reason; reasons without one are absent. */
  countsByReason(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { warning } of this.#current.values()) {
      counts.set(warning.reason, (counts.get(warning.reason) ?? 0) + 1)
    }
    return counts
  }
}
