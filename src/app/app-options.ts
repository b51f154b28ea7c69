// What the composition is given from outside: by main.ts, or by a test.
import type { Tunables } from '../controllers/tunables.ts'
import type { Clock } from '../lib/clock.ts'
import { RamjetError } from '../lib/errors.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { BannerFacts } from '../observability/banner.ts'
import type { Logger } from '../observability/log.ts'
import type { Family } from '../observability/metrics-text.ts'
import type { EffectiveFlag } from '../settings/effective.ts'
import type { Environment } from '../settings/env.ts'
import type { Settings } from '../settings/settings.ts'

export interface AppOptions {
  readonly settings: Settings
  /** Every flag with its value and origin, for `/admin/config`. */
  readonly effective: readonly EffectiveFlag[]
  /** Of the build. */
  readonly version: string
  readonly nodeVersion: string
  /** `POD_NAME`, `POD_IP`, `HOST_IP`, and what the way to the cluster reads. */
  readonly env: Environment
  readonly tunables: Tunables
}

export interface AppDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
  /** Takes the facts of the banner, once, before anything else is shown (R20-24). */
  readonly announce: (facts: BannerFacts) => void
  /** `process_*` and `nodejs_*` as they are now. */
  readonly processFamilies: () => Promise<readonly Family[]>
  /** The process must end with an error. */
  readonly onFatal: (error: RamjetError) => void
}

/** Listeners cannot be bound; one line of the message for each. */
export class StartError extends RamjetError {
  readonly code = 'RAMJET_START_FAILED'
}
