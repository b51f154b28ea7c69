// Takes secrets out of what is about to be logged, so that no caller has to think of it (R80-39).
import { isRecord, type JsonRecord } from '../lib/json-record.ts'

/** What stands in the place of a secret, also in the admin API. */
export const REDACTED = '***'

// `key` and `secret` alone are not among them: a key of a work queue and the name of a Secret are no secrets. Key
// material is found by its form.
/** Names, in lower case and without `-` and `_`, whose values are never written down. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'token',
  'accesstoken',
  'password',
  'clientsecret',
  'privatekey',
  'clientkey',
  'clientkeydata',
  'tlskey',
])

const CREDENTIALS = /\b(Bearer|Basic) +[\w.~+/=-]+/gi
const PEM_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g
/** Records are flat; what is nested deeper than an error with its cause is cut. */
const MAX_DEPTH = 5

/** `fields` with every secret replaced. Errors become plain objects with message, code, stack and cause. */
export function redacted(fields: JsonRecord): Record<string, unknown> {
  return redactedRecord(fields, 0)
}

function redactedRecord(record: JsonRecord, depth: number): Record<string, unknown> {
  const entries = Object.entries(record).map(([name, value]): [string, unknown] => [
    name,
    SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, '')) ? REDACTED : redactedValue(value, depth + 1),
  ])
  return Object.fromEntries(entries)
}

function redactedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactedText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '...'
  if (value instanceof Error) return redactedError(value, depth)
  if (Array.isArray(value)) return value.map((item) => redactedValue(item, depth + 1))
  return isRecord(value) ? redactedRecord(value, depth) : value
}

/** `text` without credentials of an Authorization field and without private keys. */
export function redactedText(text: string): string {
  return text.replace(CREDENTIALS, `$1 ${REDACTED}`).replace(PEM_KEY, REDACTED)
}

function redactedError(error: Error, depth: number): Record<string, unknown> {
  const code = 'code' in error ? error.code : undefined
  const context = 'context' in error ? error.context : undefined
  return {
    type: error.name,
    message: redactedText(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(context === undefined ? {} : { context: redactedValue(context, depth + 1) }),
    stack: redactedText(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: redactedValue(error.cause, depth + 1) }),
  }
}
