import type { Socket } from 'node:net'

/** One end of a connection as a test sees it: all bytes that came, as latin1, and whether the other side ended. */
export class RecordedSocket {
  readonly socket: Socket
  #text = ''
  #isEnded = false
  readonly #waiters = new Set<() => void>()

  constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => this.#wake())
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      this.#wake()
    })
    socket.on('end', () => {
      this.#isEnded = true
      this.#wake()
    })
    socket.on('close', () => this.#wake())
  }

  /** Everything that came. */
  get text(): string {
    return this.#text
  }

  /** Whether the other side sent a FIN. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  get isClosed(): boolean {
    return this.socket.closed
  }

  write(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    return this
  }

  end(): void {
    this.socket.end()
  }

  /** Closes with a reset, so that the other side gets an error. */
  reset(): void {
    this.socket.resetAndDestroy()
  }

  /** Resolves with all that came as soon as `part` is in it; rejects when the connection closes without. */
  async until(part: string): Promise<string> {
    await this.when(() => this.#text.includes(part), `"${part}"`)
    return this.#text
  }

  /** Resolves with all that came as soon as it has so many characters. */
  async untilLength(length: number): Promise<string> {
    await this.when(() => this.#text.length >= length, `${length} bytes`)
    return this.#text
  }

  /** Resolves with all that came when the other side has ended or the connection is gone. */
  async untilEnd(): Promise<string> {
    await this.when(() => this.#isEnded || this.socket.closed, 'the end')
    return this.#text
  }

  /** Resolves when both sides are closed. */
  async untilClosed(): Promise<string> {
    await this.when(() => this.socket.closed, 'the close')
    return this.#text
  }

  when(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isSo()) this.#settle(look, resolve)
        else if (this.socket.closed) {
          this.#settle(look, () => reject(new Error(`closed before ${what}; received ${JSON.stringify(this.#text)}`)))
        }
      }
      this.#waiters.add(look)
      look()
    })
  }

  #settle(look: () => void, then: () => void): void {
    this.#waiters.delete(look)
    then()
  }

  #wake(): void {
    for (const look of this.#waiters) look()
  }
}
