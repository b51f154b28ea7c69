// A load generator of our own runs as a process of its own, on the CPU of the contenders, and prints what it did: on
// another CPU it would count as a foreign program (R60-2, R60-5).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { WorkReport } from './interleaved.ts'
import { loadDeadlineMs } from './load-deadline.ts'

/** Runs `file` on the CPU `core` with `load`, which it finds by `givenLoad`, and gives what it printed. */
export async function runDriver(file: string, load: { readonly seconds: number }, core: number): Promise<WorkReport> {
  const args = [process.execPath, file, JSON.stringify(load)]
  const child = spawn('taskset', ['-c', String(core), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: loadDeadlineMs(load.seconds),
  })
  let printed = ''
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the load generator ended with ${code}`)
  return JSON.parse(printed) as WorkReport
}

/** The other side: the load that this process was started with. */
export function givenLoad(): unknown {
  return JSON.parse(process.argv[2] ?? '')
}
