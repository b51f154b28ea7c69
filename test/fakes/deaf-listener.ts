import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const PROGRAM = `
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(String(server.address().port)))
`
/** More than wait in a queue of one: every further connection attempt gets no answer at all. */
const QUEUED = 4

/** An address at which connections are neither taken nor refused: a stopped process whose queue is full. */
export class DeafListener {
  readonly address: string
  readonly #child: ChildProcess
  readonly #queued: readonly Socket[]

  private constructor(child: ChildProcess, port: number) {
    this.address = `127.0.0.1:${port}`
    this.#child = child
    this.#queued = Array.from({ length: QUEUED }, () => connect({ host: '127.0.0.1', port }))
    for (const socket of this.#queued) socket.on('error', () => undefined)
  }

  static async start(): Promise<DeafListener> {
    const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: child.stdout })) {
      child.kill('SIGSTOP')
      return new DeafListener(child, Number(line))
    }
    throw new Error('the listener ended before it listened')
  }

  stop(): void {
    this.#child.kill('SIGKILL')
    for (const socket of this.#queued) socket.destroy()
  }
}
