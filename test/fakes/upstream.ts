// An origin that is only sockets: a test sees the very bytes that reached it and writes the very bytes of the answer.
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, Server as SecureServer } from 'node:tls'
import type { KeyPair } from './certificates.ts'
import { listening } from './listening.ts'
import { RecordedSocket } from './recorded-socket.ts'
import { SecureRecordedSocket } from './secure-client.ts'

// Node hands the first on to the sockets; the types of tls leave it out.
const SECURE = { allowHalfOpen: true, ALPNProtocols: ['http/1.1'] }

/** Takes a request head (without the empty line) and the connection; writes the answer. */
export type Script = (head: string, connection: RecordedSocket) => void

export class RawUpstream {
  readonly port: number
  readonly #server: Server
  readonly #connections: RecordedSocket[] = []
  readonly #waiters: ((connection: RecordedSocket) => void)[] = []
  #script: Script | undefined
  #handedOut = 0

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    if (server instanceof SecureServer) this.#acceptSecurely(server)
    else server.on('connection', (socket) => this.#accept(new RecordedSocket(socket)))
  }

  /** `pair`: it speaks TLS by that; bytes are then those within. */
  static async start(pair?: KeyPair): Promise<RawUpstream> {
    const server = pair ? createSecureServer({ ...pair, ...SECURE }) : createServer({ allowHalfOpen: true })
    return new RawUpstream(server, await listening(server))
  }

  /** `127.0.0.1:PORT`. */
  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Every connection so far, oldest first. */
  get connections(): readonly RecordedSocket[] {
    return this.#connections
  }

  /** All that came, over all connections. */
  get text(): string {
    return this.#connections.map(({ text }) => text).join('')
  }

  /** The next connection that no earlier call was given. */
  connection(): Promise<RecordedSocket> {
    const ready = this.#connections[this.#handedOut]
    this.#handedOut += 1
    if (ready) return Promise.resolve(ready)
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** From now on every request head is answered by `script`. Bodies are left to it. */
  answerWith(script: Script): void {
    this.#script = script
  }

  /** From now on every request head is answered with these bytes. */
  answer(bytes: string): void {
    this.answerWith((_head, connection) => connection.write(bytes))
  }

  /** Stops listening, so that connects are refused, and cuts what is open. */
  stop(): void {
    this.#server.close()
    for (const { socket } of this.#connections) socket.destroy()
  }

  #acceptSecurely(server: SecureServer): void {
    const below = new Map<number | undefined, Socket>()
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined)
      below.set(socket.remotePort, socket)
    })
    // A handshake that is given up.
    server.on('tlsClientError', () => undefined)
    server.on('secureConnection', (socket) => {
      const wire = below.get(socket.remotePort)
      this.#accept(new SecureRecordedSocket(socket, () => wire?.resetAndDestroy()))
    })
  }

  #accept(connection: RecordedSocket): void {
    this.#connections.push(connection)
    this.#waiters.shift()?.(connection)
    let seen = 0
    connection.socket.on('data', () => {
      for (let end = nextEnd(connection, seen); end >= 0; end = nextEnd(connection, seen)) {
        const part = connection.text.slice(seen, end)
        seen = end + 4
        // Before a head may stand the body of the request before it; the end of a chunked one looks like that of a head.
        const start = part.search(REQUEST_LINE)
        if (start >= 0) this.#script?.(part.slice(start), connection)
      }
    })
  }
}

const REQUEST_LINE = /[A-Z]+ \S+ HTTP\/1\.1(?:\r\n|$)/

function nextEnd(connection: RecordedSocket, from: number): number {
  return connection.text.indexOf('\r\n\r\n', from)
}
