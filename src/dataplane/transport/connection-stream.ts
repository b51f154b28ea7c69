// A connection as the stream that Node's HTTP takes for a socket.
import { Duplex } from 'node:stream'
import type { Connection, ConnectionEvents } from './transport.ts'

type Written = (error?: Error | null) => void

/**
 * Made around what `dial` gives, which tells its events here. Emits `connect` when the connection stands. Ends with an
 * error whose `code` is the system's name of the cause.
 */
export class ConnectionStream extends Duplex {
  readonly connection: Connection
  #written: Written | undefined

  constructor(dial: (events: ConnectionEvents) => Connection, bufferBytes: number) {
    super({ highWaterMark: bufferBytes, autoDestroy: true, allowHalfOpen: true })
    this.connection = dial(this.#events())
  }

  /** As a socket has it. */
  get bytesRead(): number {
    return this.connection.bytesRead
  }

  override _read(): void {
    this.connection.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: Written): void {
    this.#send(chunk, written)
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], written: Written): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), written)
  }

  override _final(done: Written): void {
    this.connection.end()
    done()
  }

  override _destroy(error: Error | null, done: Written): void {
    this.connection.close()
    done(error)
  }

  #send(bytes: Buffer, written: Written): void {
    const isFree = this.connection.send(bytes, 0, bytes.length)
    if (isFree && this.connection.queuedBytes === 0) written()
    else this.#written = written
  }

  // Not on the stream itself, which has a `closed` of its own.
  #events(): ConnectionEvents {
    return {
      opened: () => void this.emit('connect'),
      received: (bytes, length) => {
        if (!this.push(Buffer.copyBytesFrom(bytes, 0, length))) this.connection.pause()
      },
      ended: () => void this.push(null),
      drained: () => this.#drained(),
      closed: (error) => {
        this.destroy(
          error === undefined ? undefined : Object.assign(new Error('the connection broke'), { code: error }),
        )
      },
    }
  }

  #drained(): void {
    const written = this.#written
    this.#written = undefined
    written?.()
  }
}
