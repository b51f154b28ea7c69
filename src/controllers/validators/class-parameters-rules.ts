// The CEL rules of crds/ramjet.dev_classparameters.yaml, written by hand once more (R50-16). A test holds both to the
// same list, and gives both the same objects.
import { parseDuration } from '../../lib/duration.ts'
import { recordOf } from '../../lib/json-record.ts'

/** One CEL rule, and what it says in this language. */
export interface RuleTwin {
  /** Where it stands: `spec.retry.on[]` for each item of that list. */
  readonly at: string
  readonly rule: string
  readonly message: string
  /** Given a value that the schema at that place allows. */
  readonly holds: (value: unknown) => boolean
}

const OWN_FIELDS = new Set([
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
])

/** Every rule of ClassParameters. */
export const CLASS_PARAMETERS_RULES: readonly RuleTwin[] = [
  {
    at: 'spec.defaultBackend',
    rule: "self.matches(':[0-9]+$') ? self.matches(':[0-9]{1,5}$') && int(self.split(':')[1]) >= 1 && int(self.split(':')[1]) <= 65535 : true",
    message: 'must be NAMESPACE/NAME:PORT, the port by number or by name',
    holds: (value) => {
      const [, port = ''] = String(value).split(':')
      return !/^[0-9]+$/.test(port) || (port.length <= 5 && Number(port) >= 1 && Number(port) <= 65_535)
    },
  },
  durationRule('spec.timeout', '1ms', '576h'),
  {
    at: 'spec.retry.on[]',
    rule: "type(self) == int ? self >= 500 && self <= 599 : self == 'connect'",
    message: 'must be connect or a status from 500 to 599',
    holds: (value) => (typeof value === 'number' ? value >= 500 && value <= 599 : value === 'connect'),
  },
  {
    at: 'spec.retry.backoff',
    rule: "duration(self) <= duration('60s')",
    message: 'must be at most 60s',
    holds: (value) => msOf(value) <= 60_000,
  },
  {
    at: 'spec.healthCheck.headers',
    rule: "self.all(name, name.size() <= 128 && name.matches('^[A-Za-z0-9!#$%&*+.^_`|~-]+$'))",
    message: 'must have names of header fields',
    holds: (value) => namesOf(value).every((name) => name.length <= 128 && /^[A-Za-z0-9!#$%&*+.^_`|~-]+$/.test(name)),
  },
  {
    at: 'spec.healthCheck.headers',
    rule: `self.all(name, !(name.lowerAscii() in [${[...OWN_FIELDS].map((name) => `'${name}'`).join(', ')}]))`,
    message: 'must not name host or a field of the connection',
    holds: (value) => namesOf(value).every((name) => !OWN_FIELDS.has(name.toLowerCase())),
  },
  {
    at: 'spec.healthCheck.headers',
    rule: 'self.all(one, self.all(other, one == other || one.lowerAscii() != other.lowerAscii()))',
    message: 'must name each field once',
    holds: (value) => {
      const names = namesOf(value)
      return new Set(names.map((name) => name.toLowerCase())).size === names.length
    },
  },
  durationRule('spec.healthCheck.interval', '100ms', '576h'),
  durationRule('spec.healthCheck.timeout', '1ms', '576h'),
  {
    at: 'spec.healthCheck.status',
    rule: "self.split(',').all(part, !part.contains('-') || part.split('-')[0] <= part.split('-')[1])",
    message: 'must have ranges that begin with their lower end',
    holds: (value) =>
      String(value)
        .split(',')
        .every((part) => {
          const [from = '', to = from] = part.split('-')
          return from <= to
        }),
  },
]

function durationRule(at: string, min: string, max: string): RuleTwin {
  return {
    at,
    rule: `duration(self) >= duration('${min}') && duration(self) <= duration('${max}')`,
    message: `must be from ${min} to ${max}`,
    holds: (value) => msOf(value) >= msOf(min) && msOf(value) <= msOf(max),
  }
}

/** Not a number where it is no duration, so that no bound holds. */
function msOf(value: unknown): number {
  const parsed = parseDuration(String(value))
  return parsed.ok ? parsed.value : Number.NaN
}

function namesOf(value: unknown): readonly string[] {
  return Object.keys(recordOf(value))
}
