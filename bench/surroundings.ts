// What a figure was measured on: a number without its machine says nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '..')
const TICKS_PER_SECOND = 100

export interface Surroundings {
  readonly commit: string
  /** Whether tracked files differed from that commit. */
  readonly changed: boolean
  readonly ramjet: string
  readonly node: string
  readonly v8: string
  readonly kernel: string
  readonly cpu: string
  readonly cores: number
  readonly memoryMiB: number
  /** Processes that wanted a core, mean of the last minute. */
  readonly loadAverage: number
}

/** The machine, the versions and the commit of this run. */
export function readSurroundings(): Surroundings {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return {
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--untracked-files=no') !== '',
    ramjet: version,
    node: process.versions.node,
    v8: process.versions.v8,
    kernel: `${type()} ${release()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    loadAverage: loadavg()[0] ?? 0,
  }
}

function git(...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? ''
}

/**
 * Cores that other programs used while it waited. `undefined` where the machine does not tell (not Linux).
 *
 * A benchmark of a busy machine measures its neighbours.
 */
export async function measureForeignCores(milliseconds: number): Promise<number | undefined> {
  const before = busyTicks()
  const own = process.cpuUsage()
  await delay(milliseconds)
  const after = busyTicks()
  if (before === undefined || after === undefined) return undefined
  const { user, system } = process.cpuUsage(own)
  const seconds = (after - before) / TICKS_PER_SECOND - (user + system) / 1e6
  return Math.max(0, seconds / (milliseconds / 1000))
}

/** CPU seconds that all programs together have used since the machine started; 0 where it does not tell. */
export function busySeconds(): number {
  return (busyTicks() ?? 0) / TICKS_PER_SECOND
}

// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal ...
function busyTicks(): number | undefined {
  try {
    const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9).map(Number)
    return (user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0)
  } catch {
    return undefined
  }
}
