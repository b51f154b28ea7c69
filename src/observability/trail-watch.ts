import type { Cancel, Timers } from '../lib/timers.ts'
import type { Warning } from '../model/warning.ts'

/** Requests until somebody is told (R20-52). */
const MANY = 100
const LOOK_MS = 2_000

const WARNING: Warning = {
  reason: 'UntrustedForwardedFor',
  object: { kind: 'Process', namespace: '', name: '' },
  field: '--trusted-proxies',
  message:
    'more than 100 requests with X-Forwarded-For came from private addresses that are not trusted, and what they say ' +
    'about the client is replaced; if a load balancer stands in front, name its range with --trusted-proxies',
}

export interface TrailWatchDeps {
  readonly timers: Timers
  /** Requests with `X-Forwarded-For` from peers in private ranges that are not trusted, so far. */
  readonly count: () => number
  /** Called once, when there were many. */
  readonly onFound: () => void
}

/** Notices that a load balancer stands in front which nobody said to trust; once per process. */
export class TrailWatch {
  readonly #deps: TrailWatchDeps
  #isFound = false
  #cancel: Cancel = () => undefined

  constructor(deps: TrailWatchDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#cancel = this.#deps.timers.after(LOOK_MS, () => this.#look())
  }

  stop(): void {
    this.#cancel()
  }

  /** The one warning, once there is reason for it. */
  warnings(): readonly Warning[] {
    return this.#isFound ? [WARNING] : []
  }

  #look(): void {
    if (this.#deps.count() <= MANY) {
      this.start()
      return
    }
    this.#isFound = true
    this.#deps.onFound()
  }
}
