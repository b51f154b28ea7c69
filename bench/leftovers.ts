// A run leaves nothing behind. The registry of what it started is the kernel's own, in which no program can be forgotten:
// contenders are in sessions of their own, so no signal to a terminal or to a group reaches them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessTree } from './contenders/process-tree.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Does `work`, and ends every program that is still there of those that this process started, by its id, with all
 * temporary files, when the work is done, when it throws, and when an error or a signal ends this process meanwhile.
 */
export async function withoutLeftovers<T>(work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  // Where `tmpdir` looks, here and in every program that is started from here.
  process.env['TMPDIR'] = folder
  const clear = (): void => {
    endStarted()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.on('exit', clear)
  const endBy = (signal: NodeJS.Signals): void => {
    clear()
    for (const name of SIGNALS) process.off(name, endBy)
    // Whoever waits for this process sees what ended it. Until here a second signal finds a listener and ends nothing.
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, endBy)
  try {
    return await work()
  } finally {
    clear()
  }
}

function endStarted(): void {
  const [, ...started] = new ProcessTree(process.pid).pids()
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
