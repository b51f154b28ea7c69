// The load generator for HTTP/2: h2load, closed loop, one thread on the CPU of the contenders (R60-5, R60-11).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '../../src/lib/result.ts'
import type { Front } from '../contenders/front.ts'
import { CALL_FIELDS, GRPC_MESSAGE } from '../contenders/grpc-message.ts'
import type { WorkReport } from './interleaved.ts'
import { latencyOf } from './latency.ts'
import { loadDeadlineMs } from './load-deadline.ts'

export interface H2Load {
  readonly port: number
  readonly front: Front
  readonly connections: number
  /** Streams of one connection that are open at once. */
  readonly streams: number
  readonly seconds: number
  readonly core: number
  /** For the body that is sent and the log of requests. */
  readonly folder: string
}

/** One run of h2load. */
export async function runH2Load(load: H2Load): Promise<WorkReport> {
  const { connections, streams, seconds, core, folder } = load
  const log = join(folder, 'h2load.log')
  // It adds to a file that is there.
  writeFileSync(log, '')
  const shape = ['-t1', `-c${connections}`, `-m${streams}`, `-D${seconds}`, `--log-file=${log}`]
  // It waits for ever where its time is over before all connections stand.
  const timeout = loadDeadlineMs(seconds)
  const child = spawn('taskset', ['-c', String(core), 'h2load', ...shape, ...asking(load)], { timeout })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
    })
  }
  await once(child, 'close')
  const report = readH2Report(printed, readFileSync(log, 'utf8'))
  if (!report.ok) throw new Error(`h2load printed no report: ${printed}`)
  return report.value
}

function asking({ port, front, folder }: H2Load): readonly string[] {
  const scheme = front.speaks === 'h2' ? 'https' : 'http'
  const to = `--connect-to=127.0.0.1:${port}`
  if (front.job === 'request') return [to, `${scheme}://shop.example/`]
  const body = join(folder, 'message')
  writeFileSync(body, GRPC_MESSAGE)
  const fields = Object.entries(CALL_FIELDS).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  return [to, '-d', body, ...fields, `${scheme}://shop.example/bench.Echo/Call`]
}

/** What h2load printed, and what it wrote of each request: start, status and microseconds. */
export function readH2Report(printed: string, log: string): Result<WorkReport, 'no-report'> {
  const perSecond = /finished in [^,]+, ([\d.]+) req\/s/.exec(printed)?.[1]
  const counts = /(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(printed)
  if (perSecond === undefined || !counts) return err('no-report')
  const [, done = '', succeeded = '', , , timeouts = ''] = counts
  const times = log.split('\n').flatMap((line) => line.split('\t')[2] ?? [])
  return ok({
    units: Number(succeeded),
    perSecond: Number(perSecond),
    ...latencyOf(times.map((microseconds) => Number(microseconds) / 1000)),
    // `errored` is part of `failed`, and both are all that is done and did not succeed.
    faults: Number(done) - Number(succeeded) + Number(timeouts),
  })
}
