// What a figure was measured on: a number without its machine says nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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
  /** What the kernel is set to where it bears on sockets and the scheduler, by name; one that it lacks is absent. */
  readonly sysctls: Readonly<Record<string, string>>
}

const SYSCTLS = [
  'kernel.sched_autogroup_enabled',
  'net.core.rmem_max',
  'net.core.somaxconn',
  'net.core.wmem_max',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_congestion_control',
  'net.ipv4.tcp_max_syn_backlog',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_tw_reuse',
  'net.ipv4.tcp_wmem',
]

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
    sysctls: readSysctls(),
  }
}

function readSysctls(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of SYSCTLS) {
    const file = join('/proc/sys', name.replaceAll('.', '/'))
    if (existsSync(file)) found[name] = readFileSync(file, 'utf8').trim().replaceAll('\t', ' ')
  }
  return found
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

/** CPU seconds that all CPUs but `core` have worked since the machine started; 0 where it does not tell. */
export function busySecondsBeside(core: number): number {
  const all = busyTicks() ?? 0
  return (all - (busyTicks(`cpu${core}`) ?? 0)) / TICKS_PER_SECOND
}

// A line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal ... The first one is of all CPUs together.
function busyTicks(name = 'cpu'): number | undefined {
  try {
    const lines = readFileSync('/proc/stat', 'utf8').split('\n')
    const line = lines.find((text) => text.startsWith(`${name} `))
    if (line === undefined) return undefined
    const [, user, nice, system, , , irq, softirq] = line.split(/\s+/, 9).map(Number)
    return (user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0)
  } catch {
    return undefined
  }
}
