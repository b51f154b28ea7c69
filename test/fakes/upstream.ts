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
    const heads = new HeadFinder()
    connection.socket.on('data', (chunk) => {
      for (const part of heads.take(chunk.toString('latin1'))) {
        // Before a head may stand the body of the request before it; the end of a chunked one looks like that of a head.
        const start = part.search(REQUEST_LINE)
        if (start >= 0) this.#script?.(part.slice(start), connection)
      }
    })
  }
}

const REQUEST_LINE = /[A-Z]+ \S+ HTTP\/1\.1(?:\r\n|$)/

const EMPTY_LINE = '\r\n\r\n'

/** Cuts what comes at its empty lines. Each byte is looked at once: the bodies between may be of many MiB. */
class HeadFinder {
  /** What came behind the last empty line, and its last characters: an empty line may come in two chunks. */
  #part = ''
  #tail = ''

  /** What ends with an empty line, without that. */
  take(text: string): readonly string[] {
    const parts: string[] = []
    let rest = text
    for (let end = this.#end(rest); end >= 0; end = this.#end(rest)) {
      parts.push((this.#part + rest.slice(0, end)).slice(0, -EMPTY_LINE.length))
      rest = rest.slice(end)
      this.#part = ''
      this.#tail = ''
    }
    this.#part += rest
    this.#tail = (this.#tail + rest).slice(1 - EMPTY_LINE.length)
    return parts
  }

  /** Where in `rest` the next empty line is over; negative: nowhere. */
  #end(rest: string): number {
    const at = (this.#tail + rest).indexOf(EMPTY_LINE)
    return at < 0 ? at : at + EMPTY_LINE.length - this.#tail.length
  }
}
