// Runs a command, or a script of this repository inside a namespace of its own, on this terminal.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_UNAVAILABLE, Unavailable } from '../unavailable.ts'

const HACK = join(import.meta.dirname, '..')
const INTERRUPTED = 130

export interface RunOptions {
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Builds the programs where that has not happened, which needs the network and so comes before the namespace. */
export async function buildPrograms(): Promise<void> {
  const code = await run(process.execPath, { args: [join(HACK, 'kube', 'build.ts')] })
  if (code === EXIT_UNAVAILABLE) throw new Unavailable('so there is no test cluster on this machine')
  if (code !== 0) throw new Error('the programs of the test cluster could not be built')
}

/** Runs this `script` inside a new namespace and resolves with its exit code. */
export async function enterNamespace(script: string, { args, env }: RunOptions): Promise<number> {
  const options = { args: [process.execPath, script, ...args], ...(env && { env }) }
  // unshare takes no signal, and the shell that is its child only waits: the script is the child of that.
  return runAndSignal(join(HACK, 'namespace.sh'), options, (pid) => childOf(childOf(pid)))
}

/** Runs a command to its end. SIGTERM is handed on to it, and so is a SIGINT that no terminal has sent to both. */
export async function run(file: string, options: RunOptions): Promise<number> {
  return runAndSignal(file, options, (pid) => pid)
}

async function runAndSignal(
  file: string,
  { args, env = process.env }: RunOptions,
  receiver: (pid: number) => number | undefined,
): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', env })
  const handOn = (signal: NodeJS.Signals): void => {
    const pid = child.pid === undefined ? undefined : receiver(child.pid)
    if (pid !== undefined && !(signal === 'SIGINT' && process.stdin.isTTY)) process.kill(pid, signal)
  }
  process.on('SIGINT', handOn).on('SIGTERM', handOn)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Unavailable(`${file} cannot be run: ${error.message}`)))
      child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? INTERRUPTED : 1)))
    })
  } finally {
    process.off('SIGINT', handOn).off('SIGTERM', handOn)
  }
}

function childOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  try {
    const first = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10)
    return Number.isNaN(first) ? undefined : first
  } catch {
    return undefined
  }
}
