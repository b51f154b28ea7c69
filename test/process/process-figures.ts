// What the kernel says about a running process.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessFigures {
  /** Memory that is resident, in bytes. */
  readonly rssBytes: number
  /** Open file descriptors, sockets included. */
  readonly descriptors: number
  readonly sockets: number
}

/** Throws when there is no such process. */
export function processFigures(pid: number): ProcessFigures {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  return {
    rssBytes: rssOf(pid),
    descriptors: targets.length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
  }
}

/** Memory of a process that is resident, in bytes. */
export function rssOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`the kernel does not tell the memory of ${pid}`)
  return Number(kib) * 1024
}

// One that was closed after the listing has none.
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
