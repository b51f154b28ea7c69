// What holds for a whole Service port, whichever route leads to it: balancing (R11-30, R11-31, R11-33) and health
// (R11-141 to R11-145).
import { err, ok } from '../lib/result.ts'
import { parseStatusRanges } from '../lib/status-ranges.ts'
import { withoutAbsent } from '../lib/without-absent.ts'
import { parseBalancingPolicy, parseHashText } from '../model/balancing-policy.ts'
import type { HealthCheck } from '../model/policy.ts'
import type { BalancingPolicy, HashKey } from '../model/route-table.ts'
import type { AnnotationReader } from './annotation-reader.ts'
import { NGINX_PREFIX, RAMJET_PREFIX } from './registry.ts'
import { duration, integer, oneOf, type Parser, readBool } from './values.ts'

/** What the keys of scope `backend` say; an absent member is not set. */
export interface BackendSettings {
  readonly policy: BalancingPolicy | undefined
  /** Whether the cluster IP is dialled in place of the endpoints. */
  readonly dialsService: boolean | undefined
  readonly slowStartMs: number | undefined
  readonly health: HealthSettings
}

export interface HealthSettings {
  readonly mode: 'provider' | 'probe' | undefined
  /** A check with a path of its own is made whatever the mode. */
  readonly check: Partial<HealthCheck>
}

const HASH_BY = `${NGINX_PREFIX}upstream-hash-by`
const CHECK_PATH = `${RAMJET_PREFIX}health-check-path`
const MODE = `${RAMJET_PREFIX}health-mode`
const CHECK_KEYS = ['interval', 'timeout', 'healthy', 'unhealthy', 'status'] as const
const MODES = ['provider', 'probe'] as const
const MIN_INTERVAL_MS = 100
const MAX_IN_A_ROW = 100

/** `hashKey`: what `load-balance: hash` goes by where it says no key. */
export function readBackendSettings(reader: AnnotationReader, hashKey?: HashKey): BackendSettings {
  const balancing = reader.nginx('load-balance', (text) => parseBalancingPolicy(text, hashKey))
  const dialsService = reader.nginx('service-upstream', readBool)
  const key = readHashBy(reader, dialsService ?? false)
  return {
    policy: key ? { kind: 'hash', key } : balancing,
    dialsService,
    slowStartMs: reader.ramjet('slow-start', duration()),
    health: readHealth(reader),
  }
}

// A cluster IP is one endpoint: there is nothing to choose by a key (R11-38).
function readHashBy(reader: AnnotationReader, dialsService: boolean): HashKey | undefined {
  const key = reader.read(HASH_BY, parseHashText)
  if (key === undefined || !dialsService) return key
  reader.reject(HASH_BY, 'has nothing to choose from beside service-upstream')
  return undefined
}

function readHealth(reader: AnnotationReader): HealthSettings {
  const path = reader.read(CHECK_PATH, readCheckPath)
  const mode = reader.read(MODE, oneOf(MODES))
  const rest = {
    intervalMs: reader.ramjet('health-check-interval', duration(MIN_INTERVAL_MS)),
    timeoutMs: reader.ramjet('health-check-timeout', duration()),
    healthy: reader.ramjet('health-check-healthy', integer({ min: 1, max: MAX_IN_A_ROW })),
    unhealthy: reader.ramjet('health-check-unhealthy', integer({ min: 1, max: MAX_IN_A_ROW })),
    statuses: reader.ramjet('health-check-status', readStatuses),
  }
  if (path === undefined && mode !== 'probe') {
    rejectCheck(reader)
    return { mode, check: {} }
  }
  return { mode, check: withoutAbsent({ path, ...rest }) }
}

/** Where nothing is checked, how it is checked means nothing (R11-12, R11-142). */
function rejectCheck(reader: AnnotationReader): void {
  for (const name of CHECK_KEYS) {
    const key = `${RAMJET_PREFIX}health-check-${name}`
    if (reader.isSet(key)) reader.reject(key, `means nothing without ${CHECK_PATH} or ${MODE}: probe`)
  }
}

const readCheckPath: Parser<string> = (text) =>
  /^\/[!-"$-~]{0,1023}$/.test(text) ? ok(text) : err('is no path that begins with "/"')

const readStatuses: Parser<HealthCheck['statuses']> = (text) => {
  const ranges = parseStatusRanges(text.replaceAll(/\s*,\s*/g, ','))
  return ranges.ok ? ranges : err(`is not ${ranges.error}`)
}
