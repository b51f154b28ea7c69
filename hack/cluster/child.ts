// A child process with its output in a file: started, watched, and stopped by its own id.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const STOP_MS = 5_000
const TAIL_LINES = 15
/** The unit of user and system time in /proc/PID/stat, on every Linux (USER_HZ). */
const TICK_MS = 10

export interface ChildOptions {
  readonly args: readonly string[]
  /** Both streams are appended here. */
  readonly log: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export class Child {
  readonly name: string
  readonly log: string
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  readonly #process: ChildProcess
  #end: number | string | undefined

  constructor(name: string, file: string, { args, log, env, cwd }: ChildOptions) {
    this.name = name
    this.log = log
    // In a session of its own: Ctrl-C of a terminal must not end it before whoever still needs it.
    const output = openSync(log, 'a')
    this.#process = spawn(file, args, { detached: true, stdio: ['ignore', output, output], env, cwd })
    closeSync(output)
    this.ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject)
      this.#process.once('exit', (code, signal) => {
        this.#end = code ?? signal ?? 0
        resolve(this.#end)
      })
    })
    // A child that cannot be spawned is told by `untilReady`; the promise alone would end this process.
    this.ended.catch((error: Error) => {
      this.#end = error.message
    })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Milliseconds of a processor that it has used so far. */
  get cpuMs(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name)
  }

  /** Polls `probe` until it is true. Throws with the end of the log when the child ends first, or after `timeoutMs`. */
  async untilReady(probe: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!(await probe())) {
      if (this.#end !== undefined) throw new Error(`${this.name} ended with ${this.#end}:\n${this.tail()}`)
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready in ${timeoutMs} ms:\n${this.tail()}`)
      await sleep(20)
    }
  }

  /** SIGTERM, and SIGKILL where that is not obeyed in time. Resolves with how it ended. */
  async stop(graceMs: number = STOP_MS): Promise<number | string> {
    if (this.#end !== undefined) return this.#end
    this.#process.kill('SIGTERM')
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), graceMs)
    try {
      return await this.ended
    } finally {
      clearTimeout(killer)
    }
  }

  /** The last lines that the child wrote. */
  tail(): string {
    return readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
  }
}
