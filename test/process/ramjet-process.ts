// The product as a child process on free ports, told apart by what it logs.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

export interface ProcessOptions {
  /** Set over an environment that has nothing but PATH. */
  readonly env?: Readonly<Record<string, string>>
  /** Words for Node itself. */
  readonly nodeArgs?: readonly string[]
  /** File descriptors that it may have; default: as many as this process. */
  readonly maxOpenFiles?: number
}

/** What a record of the log holds. */
export type LogLine = Readonly<Record<string, unknown>>

export class RamjetProcess {
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  #hasEnded = false
  #onOutput: () => void = () => {}

  constructor(args: readonly string[], { env = {}, nodeArgs = [], maxOpenFiles }: ProcessOptions = {}) {
    const words = [process.execPath, ...nodeArgs, MAIN, ...args]
    // Only a shell can lower its own limit; it then becomes the program.
    const limit = maxOpenFiles === undefined ? '' : `ulimit -n ${maxOpenFiles} && `
    this.#child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#onOutput()
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#hasEnded = true
        resolve(code ?? signal ?? 'unknown')
        this.#onOutput()
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What was logged until now; lines that are no JSON are left out. */
  lines(): readonly LogLine[] {
    return this.stderr.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine]
      } catch {
        return []
      }
    })
  }

  /** The first record with `message`, as soon as it is there. Rejects when the process ends without it. */
  async logged(message: string): Promise<LogLine> {
    for (;;) {
      const line = this.lines().find((record) => record['message'] === message)
      if (line !== undefined) return line
      if (this.#hasEnded) throw new Error(`ended without "${message}":\n${this.stderr}`)
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve
      })
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Ends it at once, if it has not ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}
