import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiReader } from './client.ts'
import { LEASES, type LeasePlace, type LeaseRecord, readLease } from './lease.ts'
import { Reflector, type ReflectorSettings } from './reflector.ts'

export interface LeaseWatchDeps {
  readonly client: ApiReader
  readonly place: LeasePlace
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
  readonly onLease: (lease: LeaseRecord) => void
  readonly onGone: () => void
}

const SETTINGS: ReflectorSettings = {
  pageSize: 1,
  watchTimeoutMs: 300_000,
  stallMarginMs: 30_000,
  resyncPeriodMs: 0,
  askAgainMs: 60_000,
}

/** Hears of each change of one Lease as it happens, where that is allowed (R30-42). */
export class LeaseWatch {
  readonly #reflector: Reflector

  constructor({ place, onLease, onGone, ...deps }: LeaseWatchDeps) {
    this.#reflector = new Reflector({
      ...deps,
      resource: LEASES,
      namespace: place.namespace,
      selection: { name: place.name },
      settings: SETTINGS,
      onState: () => {},
      sink: {
        startList: () => {
          const found: unknown[] = []
          return { add: (raw) => found.push(raw), commit: () => (found[0] ? onLease(readLease(found[0])) : onGone()) }
        },
        set: (raw) => onLease(readLease(raw)),
        delete: onGone,
      },
    })
  }

  /** Whether changes are told of; while they are not, somebody has to look. */
  get isLive(): boolean {
    return this.#reflector.state.kind === 'synced'
  }

  /** Watches until `signal` is aborted; no failure ends it. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal)
  }
}
