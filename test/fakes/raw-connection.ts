import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly head: string
  readonly body: string
}

/** One keep-alive connection over a real socket. */
export class RawConnection {
  readonly #socket: Socket
  #text = ''
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      this.#read()
    })
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the connection closed')))
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new RawConnection(socket)))
    })
  }

  /** 0 once it is closed. */
  get localPort(): number {
    return this.#socket.localPort ?? 0
  }

  get isClosed(): boolean {
    return this.#socket.closed
  }

  /** Resolves when both sides are closed. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve()
      else this.#socket.once('close', () => resolve())
    })
  }

  /** One request and its answer; rejects when the connection ends before that. */
  ask(host: string, path = '/'): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error('the connection was closed before'))
      this.#waiting = { resolve, reject }
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(): void {
    const end = this.#text.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#text.slice(0, end)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const body = this.#text.slice(end + 4, end + 4 + length)
    this.#text = this.#text.slice(end + 4 + length)
    this.#waiting?.resolve({ head, body })
    this.#waiting = undefined
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}
