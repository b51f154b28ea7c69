// An active check as the operator's `healthcheck` and the `healthCheck` of a class spell it (R42-19).
import { err, ok, type Result } from '../lib/result.ts'
import { parseStatusRanges } from '../lib/status-ranges.ts'
import type { HealthCheck } from '../model/policy.ts'
import { durationBetween } from './duration-between.ts'
import type { RecordReader } from './record-reader.ts'

/** The names that a check may have. */
export const HEALTH_CHECK_NAMES: readonly string[] = [
  'path',
  'host',
  'headers',
  'interval',
  'timeout',
  'healthy',
  'unhealthy',
  'status',
]

const PATH = /^\/[!-"$-~]*$/
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/
const FIELD_NAME = /^[A-Za-z0-9!#$%&*+.^_`|~-]{1,128}$/
const FIELD_VALUE = /^([!-~]([ -~]*[!-~])?)?$/
const MAX_PATH = 1024
const MAX_HOST = 259
const MAX_FIELDS = 16
const MAX_VALUE = 4096
const MAX_IN_A_ROW = 100

/** What a check cannot name: the Host has a field of its own, and the connection is ours. */
export const OWN_CHECK_FIELDS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** The check that `reader` is about; what it leaves out has the defaults of R42-19. */
export function readHealthCheck(reader: RecordReader): HealthCheck {
  const host = reader.text('host', matching(HOST, MAX_HOST, 'a host name'))
  const headers = reader.record('headers', readFields)
  return {
    path: reader.text('path', matching(PATH, MAX_PATH, 'a path that begins with /')) ?? '/',
    ...(host === undefined ? {} : { host }),
    ...(headers === undefined ? {} : { headers }),
    intervalMs: reader.text('interval', durationBetween('100ms', '576h')) ?? 5000,
    timeoutMs: reader.text('timeout', durationBetween('1ms', '576h')) ?? 1000,
    healthy: reader.integer('healthy', 1, MAX_IN_A_ROW) ?? 1,
    unhealthy: reader.integer('unhealthy', 1, MAX_IN_A_ROW) ?? 3,
    statuses: reader.text('status', parseStatusRanges) ?? [[200, 399]],
  }
}

function readFields(reader: RecordReader): readonly (readonly [string, string])[] {
  const entries = reader.entries()
  if (entries.length > MAX_FIELDS) reader.reject('', `must have at most ${MAX_FIELDS} fields`)
  const seen = new Set<string>()
  return entries.flatMap(([name]) => {
    const lower = name.toLowerCase()
    const isTwin = seen.has(lower)
    seen.add(lower)
    if (!FIELD_NAME.test(name)) return reader.reject(name, 'must be the name of a header field') ?? []
    if (OWN_CHECK_FIELDS.includes(lower))
      return reader.reject(name, 'must not be host or a field of the connection') ?? []
    if (isTwin) return reader.reject(name, 'is named twice') ?? []
    const value = reader.text(name, matching(FIELD_VALUE, MAX_VALUE, 'visible ASCII without blanks at its ends'))
    return value === undefined ? [] : [[name, value] as const]
  })
}

function matching(pattern: RegExp, max: number, words: string): (text: string) => Result<string, string> {
  return (text) => (text.length <= max && pattern.test(text) ? ok(text) : err(words))
}
