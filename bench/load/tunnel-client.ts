import { connect, type Socket } from 'node:net'

const MESSAGE = Buffer.alloc(128, 'm')
const HEAD_END = '\r\n\r\n'

/** One tunnel through a proxy; counts how often its message came back whole. */
export class EchoTunnel {
  readonly #socket: Socket
  readonly #opened = Promise.withResolvers<void>()
  #head = ''
  #isOpen = false
  #left = 0
  #sentMs = 0
  isAlive = true
  readonly times: number[] = []

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#closed())
    this.#socket.on('data', (bytes: Buffer) => this.#received(bytes))
    this.#socket.write(
      'GET /echo HTTP/1.1\r\nHost: shop.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
  }

  /** Resolves when the `101` came; rejects where something else does. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Sends the message; the next one follows by itself while `isGoing`. */
  send(): void {
    this.#left = MESSAGE.length
    this.#sentMs = performance.now()
    this.#socket.write(MESSAGE)
  }

  /** Whether another message follows an echo. */
  isGoing = true

  close(): void {
    this.#socket.destroy()
  }

  #received(bytes: Buffer): void {
    if (!this.#isOpen) {
      this.#readHead(bytes)
      return
    }
    this.#left -= bytes.length
    if (this.#left > 0) return
    this.times.push(performance.now() - this.#sentMs)
    if (this.isGoing) this.send()
  }

  #readHead(bytes: Buffer): void {
    this.#head += bytes.toString('latin1')
    if (!this.#head.includes(HEAD_END)) return
    if (this.#head.startsWith('HTTP/1.1 101')) {
      this.#isOpen = true
      this.#opened.resolve()
    } else this.#opened.reject(new Error(`no tunnel: ${this.#head.slice(0, 80)}`))
  }

  #closed(): void {
    this.isAlive = false
    this.#opened.reject(new Error('the connection was closed before the tunnel stood'))
  }
}
