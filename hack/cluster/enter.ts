// Runs a script of this repository again inside a namespace of its own.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { EXIT_UNAVAILABLE, Unavailable } from '../unavailable.ts'

const HACK = join(import.meta.dirname, '..')

export interface EnterOptions {
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
export async function enterNamespace(script: string, { args, env }: EnterOptions): Promise<number> {
  const command = [process.execPath, script, ...args]
  return run(join(HACK, 'namespace.sh'), { args: command, ...(env && { env }) })
}

/** Runs a command to its end on this terminal. Ctrl-C reaches it as well; whether to end is its decision. */
export async function run(file: string, { args, env = process.env }: EnterOptions): Promise<number> {
  process.on('SIGINT', leaveToChild)
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(file, args, { stdio: 'inherit', env })
      child.once('error', (error) => reject(new Unavailable(`${file} cannot be run: ${error.message}`)))
      child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
    })
  } finally {
    process.off('SIGINT', leaveToChild)
  }
}

function leaveToChild(): void {}
