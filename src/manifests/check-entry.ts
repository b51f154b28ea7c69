import { parseDuration } from '../lib/duration.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { parseStatusRanges } from '../lib/status-ranges.ts'
import type { HealthCheck } from '../model/policy.ts'
import type { FieldNames, MappingReader } from './mapping-reader.ts'

/** The fields of a health check (R20-150). */
export const CHECK_FIELDS: FieldNames = {
  known: ['path', 'interval', 'timeout', 'healthy', 'unhealthy', 'status'],
  later: [],
}

const PATH = /^\/[!-"$-~]{0,1023}$/
const MAX_IN_A_ROW = 100

/** Reads the fields of a health check, each with its default; `undefined`: told. */
export function readCheck(reader: MappingReader): HealthCheck | undefined {
  const path = reader.parsed('path', '/', parsePath)
  const intervalMs = reader.parsed('interval', 5000, durationFrom(100))
  const timeoutMs = reader.parsed('timeout', 1000, durationFrom(1))
  const healthy = reader.wholeNumber('healthy', 1, MAX_IN_A_ROW, 1)
  const unhealthy = reader.wholeNumber('unhealthy', 3, MAX_IN_A_ROW, 1)
  const statuses = reader.scalar('status', [[200, 399]], parseStatuses)
  if (path === undefined || intervalMs === undefined || timeoutMs === undefined) return undefined
  if (healthy === undefined || unhealthy === undefined || statuses === undefined) return undefined
  return { path, intervalMs, timeoutMs, healthy, unhealthy, statuses }
}

/** Milliseconds of a duration of at least `minMs`. */
export function durationFrom(minMs: number): (text: string) => Result<number, string> {
  return (text) => {
    const ms = parseDuration(text)
    if (!ms.ok) return err(`must be ${ms.error}`)
    return ms.value < minMs ? err(`must be at least ${minMs}ms`) : ms
  }
}

function parsePath(text: string): Result<string, string> {
  return PATH.test(text) ? ok(text) : err('must be a path that begins with /')
}

function parseStatuses(text: string): Result<HealthCheck['statuses'], string> {
  const ranges = parseStatusRanges(text)
  return ranges.ok ? ranges : err(`must be ${ranges.error}`)
}
