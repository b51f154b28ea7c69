import { quantile } from '../statistics.ts'

/** How long requests took (R60-11), in milliseconds; `NaN` where none was answered. */
export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

/** Of the times of all requests, in milliseconds. */
export function latencyOf(timesMs: readonly number[]): Latency {
  return { p50Ms: quantile(timesMs, 0.5), p99Ms: quantile(timesMs, 0.99), p999Ms: quantile(timesMs, 0.999) }
}
