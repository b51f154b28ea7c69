// Reads refusals: a status code with a `Status` object, as answer or inside a watch (API conventions, "Response Status Kind").
import { recordOf } from '../lib/json-record.ts'
import { ApiStatusError } from './api-errors.ts'

/** No server makes us wait longer than this. */
const MAX_RETRY_AFTER_MS = 5 * 60_000

/** The error for an answer with a bad status code; `doing` names the call, such as `GET /api/v1/services`. */
export function errorFromAnswer(doing: string, status: number, parts: AnswerParts): ApiStatusError {
  const body = parseStatus(parts.text)
  const detail = body.message || parts.text.slice(0, 200) || 'no message'
  return new ApiStatusError(`${doing} was answered ${status}: ${detail}`, {
    status,
    reason: body.reason,
    retryAfterMs: Math.min(Math.max(retryAfterMs(parts), body.retryAfterMs), MAX_RETRY_AFTER_MS),
    causes: body.causes,
  })
}

export interface AnswerParts {
  readonly text: string
  /** The `Retry-After` field; `undefined`: there is none. */
  readonly retryAfter: string | undefined
  /** Now, for a `Retry-After` that is a date. */
  readonly wallMs: number
}

/** The error for the `Status` object of a watch's ERROR event. */
export function errorFromStatus(object: unknown): ApiStatusError {
  const body = readStatus(object)
  return new ApiStatusError(`the watch reported ${body.code}: ${body.message || body.reason || 'no message'}`, {
    status: body.code,
    reason: body.reason,
    retryAfterMs: Math.min(body.retryAfterMs, MAX_RETRY_AFTER_MS),
    causes: body.causes,
  })
}

interface StatusBody {
  readonly code: number
  readonly message: string
  readonly reason: string
  readonly retryAfterMs: number
  readonly causes: readonly string[]
}

function parseStatus(text: string): StatusBody {
  try {
    return readStatus(JSON.parse(text))
  } catch {
    // Proxies in between answer with pages of their own.
    return readStatus(undefined)
  }
}

function readStatus(object: unknown): StatusBody {
  const status = recordOf(object)
  const details = recordOf(status['details'])
  const seconds = details['retryAfterSeconds']
  return {
    code: typeof status['code'] === 'number' ? status['code'] : 0,
    message: textOf(status['message']),
    reason: textOf(status['reason']),
    retryAfterMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 0,
    causes: causesOf(details['causes']),
  }
}

function causesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((cause) => textOf(recordOf(cause)['reason'])) : []
}

/** RFC 9110, 10.2.3: a number of seconds or a date. */
function retryAfterMs({ retryAfter, wallMs }: AnswerParts): number {
  if (retryAfter === undefined) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? 0 : Math.max(0, at - wallMs)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
