import { err, ok, type Result } from './result.ts'

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])
// What a timer of Node's still takes: it counts milliseconds in 31 bits.
const MAX_MS = 24 * 24 * 3_600_000
const DURATION = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h)?$/

/**
 * Milliseconds of a duration such as `250ms`, `10s`, `1.5m` or `2h`: one number with one unit, whole milliseconds, 24
 * days at most (R33-6). With `bareSeconds` a number without unit counts seconds. The error says what is allowed.
 */
export function parseDuration(text: string, options: { readonly bareSeconds?: boolean } = {}): Result<number, string> {
  const parts = DURATION.exec(text)
  const unitMs = UNIT_MS.get(parts?.[2] ?? (options.bareSeconds ? 's' : ''))
  if (!parts || unitMs === undefined)
    return err(`a number with ms, s, m or h${options.bareSeconds ? ', or seconds' : ''}`)
  const ms = roundOff(Number(parts[1]) * unitMs)
  if (!Number.isInteger(ms)) return err('whole milliseconds')
  return ms <= MAX_MS ? ok(ms) : err('at most 24 days (576h)')
}

// 0.29 * 1000 is 289.99999999999994: what lies that close to a whole number was meant to be it.
function roundOff(ms: number): number {
  const whole = Math.round(ms)
  return Math.abs(ms - whole) < 1e-6 ? whole : ms
}
