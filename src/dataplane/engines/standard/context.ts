import { httpDate } from '../../../http/date.ts'
import { PRIVATE_RANGES } from '../../../http/forwarded.ts'
import type { RequestLimits } from '../../../http/request-check.ts'
import type { RequestRules } from '../../../http/request-head.ts'
import { buildCidrSet, type CidrSet } from '../../../lib/ip.ts'
import { PassiveHealth } from '../../../router/health.ts'
import { BufferBudget } from '../../buffer-budget.ts'
import { idleRoom } from '../../descriptors.ts'
import type { EngineDeps } from '../../engine.ts'
import { DEFAULT_LIMITS, type EngineLimits } from '../../engine-limits.ts'
import { UpstreamPool } from '../../upstream/pool.ts'
import { RouteReader } from './route-reader.ts'

/** What every connection and exchange of one engine shares. */
export interface EngineContext {
  readonly deps: EngineDeps
  readonly limits: EngineLimits
  readonly requestLimits: RequestLimits
  readonly requestRules: RequestRules
  /** Where a load balancer that was not named may stand (R20-52). */
  readonly privateRanges: CidrSet
  readonly pool: UpstreamPool
  readonly health: PassiveHealth
  readonly budget: BufferBudget
  readonly reader: RouteReader
  /** The value of a `Date` field now; made once a second. */
  date(): string
  /** Whether every answer ends its connection (R20-166). */
  isDraining(): boolean
}

/** `connections`: how many clients are connected now. */
export function createContext(deps: EngineDeps, isDraining: () => boolean, connections: () => number): EngineContext {
  const { settings, clock } = deps
  const limits = { ...DEFAULT_LIMITS, ...settings.limits }
  const dates = new DateClock(() => clock.wallMs())
  return {
    deps,
    limits,
    requestLimits: { ...limits, encodedSlash: settings.encodedSlash },
    requestRules: {
      trustedProxies: buildCidrSet(settings.trustedProxies),
      underscoreHeaders: settings.underscoreHeaders,
    },
    privateRanges: buildCidrSet(PRIVATE_RANGES),
    pool: new UpstreamPool({
      timeoutMs: settings.connectTimeoutMs,
      bufferBytes: settings.connectionBufferBytes,
      maxIdle: limits.upstreamPoolIdle,
      idleTimeoutMs: limits.upstreamIdleTimeoutMs,
      room: () => idleRoom(settings.maxSockets ?? Number.POSITIVE_INFINITY, connections()),
    }),
    health: new PassiveHealth(limits.failTimeoutMs),
    budget: new BufferBudget(settings.bufferBudgetBytes ?? Number.POSITIVE_INFINITY, deps.counters),
    reader: new RouteReader(),
    date: () => dates.text(),
    isDraining,
  }
}

class DateClock {
  readonly #wallMs: () => number
  #second = -1
  #text = ''

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs
  }

  text(): string {
    const second = Math.floor(this.#wallMs() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = httpDate(second * 1000)
    }
    return this.#text
  }
}
