import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { WorkerLink } from './worker-link.ts'

/** What the end of the grace cut off (R20-169). */
export interface DrainReport {
  readonly requests: number
  readonly streams: number
  readonly tunnels: number
}

export interface DrainDeps {
  readonly timers: Timers
  readonly log: Logger
}

/** Lets all `links` finish at once and by one deadline; resolves when each has, or was cut off (R20-167 to R20-169). */
export async function drainWorkers(
  links: readonly WorkerLink[],
  graceMs: number,
  { timers, log }: DrainDeps,
): Promise<DrainReport> {
  const loads = await Promise.all(links.map((link) => link.drain(graceMs, timers)))
  const report = {
    requests: sumOf(loads, 'requests'),
    streams: sumOf(loads, 'streams'),
    tunnels: sumOf(loads, 'tunnels'),
  }
  if (report.requests + report.streams + report.tunnels > 0) log.warn({ ...report }, 'shutdown grace period expired')
  return report
}

function sumOf(loads: readonly DrainReport[], field: keyof DrainReport): number {
  return loads.reduce((sum, load) => sum + load[field], 0)
}
