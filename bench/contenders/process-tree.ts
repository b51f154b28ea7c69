// The processes that a contender consists of, and what they cost by the scheduler's own accounting (R60-1).
import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** A process with all that it started. */
export class ProcessTree {
  readonly pid: number

  constructor(pid: number) {
    this.pid = pid
  }

  /** CPU time of all threads since their start, in nanoseconds; of those that have ended meanwhile nothing is left. */
  cpuNs(): number {
    let sum = 0
    for (const pid of this.pids()) {
      for (const thread of entries(`/proc/${pid}/task`)) {
        sum += Number(text(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0)
      }
    }
    return sum
  }

  /** Resident memory of all processes together, in bytes; pages that they share count for each. */
  residentBytes(): number {
    let pages = 0
    for (const pid of this.pids()) pages += Number(text(`/proc/${pid}/statm`).split(' ')[1] ?? 0)
    return pages * PAGE_BYTES
  }

  /** The root first, then what it started. */
  pids(): readonly number[] {
    const found = [this.pid]
    for (const pid of found) {
      for (const thread of entries(`/proc/${pid}/task`)) {
        const children = text(`/proc/${pid}/task/${thread}/children`).trim()
        if (children !== '') found.push(...children.split(' ').map(Number))
      }
    }
    return found
  }
}

// Threads and processes end while one looks at them: what is gone counts as nothing.
function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
