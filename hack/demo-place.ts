// Where the demo cluster of this user is, as hack/namespace.sh wrote it down.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'

/** Holds the id of the process whose child is the first one inside the namespace. */
export const DEMO_PID_FILE: string = join(cacheFolder(), 'demo.pid')

/** The first process of the running demo's namespace, by its id outside; `undefined` when no demo runs. */
export function demoProcess(): number | undefined {
  try {
    const parent = Number(readFileSync(DEMO_PID_FILE, 'utf8'))
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    const first = Number.parseInt(children, 10)
    // The number may have been given to another program since.
    return isInside(first) ? first : undefined
  } catch {
    return undefined
  }
}

function isInside(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('namespace.sh\0--inside')
}
