import { parseDuration } from '../lib/duration.ts'
import { err, type Result } from '../lib/result.ts'

/** A parser of durations from `min` to `max`, which are durations themselves; milliseconds, or what is allowed. */
export function durationBetween(min: string, max: string): (text: string) => Result<number, string> {
  return (text) => {
    const parsed = parseDuration(text)
    if (!parsed.ok) return parsed
    return parsed.value >= msOf(min) && parsed.value <= msOf(max) ? parsed : err(`from ${min} to ${max}`)
  }
}

function msOf(text: string): number {
  const parsed = parseDuration(text)
  return parsed.ok ? parsed.value : Number.NaN
}
