import { connect, type Socket } from 'node:net'

/** An upgraded connection that says something from time to time and wants to hear it again (R20-158). */
export class Tunnel {
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  #said = 0
  #heard = 0
  #isOpen = false
  #hasBroken = false

  constructor(port: number, host: string) {
    this.#socket = connect({ host: '127.0.0.1', port })
    this.#socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
    this.#socket.on('data', (chunk: Buffer) => this.#hear(chunk))
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('close', () => {
      this.#hasBroken = true
    })
    this.#timer = setInterval(() => this.#say(), SAY_MS)
  }

  /** Whether it was cut, or something that was said is missing. */
  get hasBroken(): boolean {
    return this.#hasBroken || !this.#isOpen || this.#said - this.#heard > MAX_UNHEARD
  }

  /** What has broken afterwards is no matter. */
  stop(): void {
    clearInterval(this.#timer)
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #say(): void {
    if (!this.#isOpen) return
    this.#socket.write('.')
    this.#said += 1
  }

  #hear(chunk: Buffer): void {
    if (this.#isOpen) this.#heard += chunk.length
    else if (chunk.includes(' 101 ')) this.#isOpen = true
  }
}

const SAY_MS = 500
// Under way, on a machine that has other things to do.
const MAX_UNHEARD = 10
