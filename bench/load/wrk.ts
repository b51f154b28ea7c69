// The load generator: wrk, closed loop, one thread on the CPU of the contenders (R60-5, R60-11).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { err, ok, type Result } from '../../src/lib/result.ts'
import type { Latency } from './latency.ts'
import { loadDeadlineMs } from './load-deadline.ts'

const TAIL = join(import.meta.dirname, 'tail.lua')
// An answer that comes late is a figure of the tail; one that does not come is a fault.
const LATE = '10s'

export interface WrkLoad {
  readonly port: number
  readonly isSecure?: boolean
  readonly path?: string
  readonly connections: number
  readonly seconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly core: number
}

export interface WrkReport extends Latency {
  readonly requests: number
  readonly perSecond: number
  /** Answers other than 2xx and 3xx, and what sockets failed in: connects, reads, writes, timeouts. */
  readonly faults: number
}

/** One run of wrk. */
export async function runWrk(load: WrkLoad): Promise<WrkReport> {
  const { port, isSecure = false, path = '/', connections, seconds, headers, core } = load
  const fields = headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const shape = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', LATE, '-s', TAIL]
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}${path}`
  const child = spawn('taskset', ['-c', String(core), 'wrk', ...shape, ...fields, url], {
    timeout: loadDeadlineMs(seconds),
  })
  let printed = ''
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    printed += bytes.toString()
  })
  await once(child, 'close')
  const report = readReport(printed)
  if (!report.ok) throw new Error(`wrk printed no report: ${printed}`)
  return report.value
}

/** What wrk printed. */
export function readReport(printed: string): Result<WrkReport, 'no-report'> {
  const requests = /(\d+) requests in/.exec(printed)?.[1]
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1]
  if (requests === undefined || perSecond === undefined) return err('no-report')
  const sockets = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(printed)?.slice(1) ?? []
  const statuses = /Non-2xx or 3xx responses: (\d+)/.exec(printed)?.[1] ?? '0'
  const faults = [...sockets, statuses].reduce((sum, count) => sum + Number(count), 0)
  return ok({
    requests: Number(requests),
    perSecond: Number(perSecond),
    p50Ms: milliseconds(/^\s+50%\s+([\d.]+)(us|ms|s|m)/m.exec(printed)),
    p99Ms: milliseconds(/^\s+99%\s+([\d.]+)(us|ms|s|m)/m.exec(printed)),
    p999Ms: milliseconds(/^p99\.9: ([\d.]+) (us)/m.exec(printed)),
    faults,
  })
}

function milliseconds(found: RegExpExecArray | null): number {
  const [, figure = '', unit = ''] = found ?? []
  return Number(figure) * (MS_PER_UNIT.get(unit) ?? Number.NaN)
}

const MS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['us', 0.001],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
])
