// Stands between the product and the API server and can let nothing through. It sees no plain text: TLS passes whole.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #open = true
  #waiting: (() => void)[] = []

  static async start(port: number): Promise<Relay> {
    const relay = new Relay(port)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  private constructor(port: number) {
    this.#server = createServer((from) => {
      const join = (): void => {
        const to = connect(port, '127.0.0.1')
        for (const [socket, other] of [
          [from, to],
          [to, from],
        ] as const) {
          this.#sockets.add(socket)
          socket.pipe(other)
          socket.on('error', () => other.destroy())
          socket.on('close', () => other.destroy())
        }
      }
      from.on('error', () => from.destroy())
      if (this.#open) join()
      else this.#waiting.push(join)
    })
  }

  /** As a client has it for `--kube-apiserver`. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** New connections are taken and nothing more; those that stand go on. */
  hold(): void {
    this.#open = false
  }

  release(): void {
    this.#open = true
    for (const join of this.#waiting.splice(0)) join()
  }

  /** Ends every connection that stands. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.cut()
    await closed
  }
}
