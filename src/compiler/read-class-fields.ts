// The fields of ClassParameters and of the operator's `defaults`, which are spelled the same way (R42-21, R50-12).
import { err, ok, type Result } from '../lib/result.ts'
import { parseServicePort } from '../lib/service-port.ts'
import { withoutAbsent } from '../lib/without-absent.ts'
import type { ClassFields, ClassRetry } from '../model/class-fields.ts'
import { durationBetween } from './duration-between.ts'
import { readHealthCheck } from './read-health-check.ts'
import { RecordReader, type ValueFault } from './record-reader.ts'

/** The names that this build acts on. */
export const CLASS_FIELD_NAMES: readonly string[] = [
  'defaultBackend',
  'timeout',
  'retry',
  'routingMode',
  'healthMode',
  'healthCheck',
  'loadBalancing',
  'loadBalancingKey',
]

/** The names of `retry`. */
export const RETRY_FIELD_NAMES: readonly string[] = ['attempts', 'on', 'backoff']

/** The policies of R20-131 to R20-135, with the short names of other programs (R20-139). */
export const BALANCING_NAMES: readonly string[] = [
  'roundRobin',
  'round_robin',
  'rr',
  'leastConn',
  'lc',
  'random',
  'p2c',
  'ewma',
  'lt',
  'hash',
  'hrw',
]

const BALANCING_KEY = /^(client_ip|host|(header|cookie|query):[A-Za-z0-9!#$%&'*+.^_`|~-]+)$/
const MAX_KEY = 128
const MAX_ATTEMPTS = 10
const MAX_CAUSES = 20

/** The fields of `value`, and what is wrong with others. Members with unknown names are not looked at (R50-54). */
export function readClassFields(value: unknown): {
  readonly fields: ClassFields
  readonly faults: readonly ValueFault[]
} {
  const faults: ValueFault[] = []
  const reader = new RecordReader(value, '', faults)
  const read = {
    defaultBackend: reader.text('defaultBackend', parseServicePort),
    responseTimeoutMs: reader.text('timeout', durationBetween('1ms', '576h')),
    retry: reader.record('retry', readRetry),
    routingMode: reader.word('routingMode', ['endpoint', 'service']),
    healthMode: reader.word('healthMode', ['provider', 'probe']),
    healthCheck: reader.record('healthCheck', readHealthCheck),
    loadBalancing: reader.word('loadBalancing', BALANCING_NAMES),
    loadBalancingKey: reader.text('loadBalancingKey', parseBalancingKey),
  }
  return { fields: withoutAbsent(read), faults }
}

function readRetry(reader: RecordReader): ClassRetry {
  if (reader.value('attempts') === undefined) reader.reject('attempts', 'is missing')
  const on = reader.items('on', MAX_CAUSES)?.flatMap(({ value, name }) => {
    return isRetryCause(value) ? [value] : (reader.reject(name, 'must be connect or a status from 500 to 599') ?? [])
  })
  return {
    attempts: reader.integer('attempts', 0, MAX_ATTEMPTS) ?? 0,
    on: on ?? ['connect'],
    backoffMs: reader.text('backoff', durationBetween('0ms', '60s')) ?? 0,
  }
}

function isRetryCause(value: unknown): value is ClassRetry['on'][number] {
  return value === 'connect' || (Number.isInteger(value) && Number(value) >= 500 && Number(value) <= 599)
}

function parseBalancingKey(text: string): Result<string, string> {
  return BALANCING_KEY.test(text) && text.length <= MAX_KEY
    ? ok(text)
    : err('client_ip, host, header:NAME, cookie:NAME or query:NAME')
}
