import { PRIVATE_RANGES } from '../http/forwarded.ts'
import type { RequestLimits } from '../http/request-check.ts'
import type { RequestRules } from '../http/request-head.ts'
import { buildCidrSet, type CidrSet } from '../lib/ip.ts'
import { EndpointHealth } from '../router/health.ts'
import type { SendLimits } from '../router/send-on.ts'
import { BufferBudget } from './buffer-budget.ts'
import { DateClock } from './date-clock.ts'
import { DroppedFieldLog } from './dropped-fields.ts'
import type { EngineDeps } from './engine.ts'
import { DEFAULT_LIMITS, type EngineLimits } from './engine-limits.ts'
import { RouteLimitBook } from './route-limits.ts'
import { RouteReader } from './route-reader.ts'

const HTTPS_PORT = 443

/** The time that counts for what is being done, in milliseconds of the monotonic clock. */
export interface PresentTime {
  readonly nowMs: number
}

/** What every connection and exchange of one engine shares, whatever the engine. */
export interface EngineParts {
  readonly deps: EngineDeps
  readonly time: PresentTime
  readonly limits: EngineLimits
  readonly requestLimits: RequestLimits & SendLimits
  /** Of messages whose fields were counted where they came from (R20-99). */
  readonly streamRequestLimits: RequestLimits
  readonly routeLimits: RouteLimitBook
  readonly requestRules: RequestRules
  /** Where a load balancer that was not named may stand (R20-52). */
  readonly privateRanges: CidrSet
  readonly health: EndpointHealth
  readonly budget: BufferBudget
  readonly reader: RouteReader
  readonly droppedFields: DroppedFieldLog
  /** The value of a `Date` field now; made once a second. */
  date(): string
}

/** The parts for one engine, from what it was given. */
export function createEngineParts(deps: EngineDeps, time: PresentTime): EngineParts {
  const { settings, clock } = deps
  const limits = { ...DEFAULT_LIMITS, ...settings.limits }
  const dates = new DateClock(() => clock.wallMs())
  return {
    deps,
    time,
    limits,
    requestLimits: { ...limits, encodedSlash: settings.encodedSlash, httpsPort: settings.redirectPort ?? HTTPS_PORT },
    streamRequestLimits: { ...limits, encodedSlash: settings.encodedSlash, maxHeaders: Number.MAX_SAFE_INTEGER },
    routeLimits: new RouteLimitBook({ ...limits, connectTimeoutMs: settings.connectTimeoutMs }),
    requestRules: {
      trustedProxies: buildCidrSet(settings.trustedProxies),
      underscoreHeaders: settings.underscoreHeaders,
    },
    privateRanges: buildCidrSet(PRIVATE_RANGES),
    health: new EndpointHealth(limits.failTimeoutMs, deps.failedChecks),
    budget: deps.budget ?? new BufferBudget(settings.bufferBudgetBytes ?? Number.POSITIVE_INFINITY, deps.counters),
    reader: new RouteReader(),
    droppedFields: new DroppedFieldLog(deps.log),
    date: () => dates.text(),
  }
}
