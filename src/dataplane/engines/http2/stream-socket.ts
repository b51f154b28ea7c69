// A connection as the socket that `node:http` wants: for the engine that takes sockets.
import { Socket } from 'node:net'
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'

type Done = (error?: Error | null) => void

export class StreamSocket extends Socket {
  readonly #connection: Connection
  #drained: Done | undefined

  constructor(connection: Connection) {
    super({ allowHalfOpen: true })
    this.#connection = connection
    connection.events = this.#events()
    // Of a socket without a handle Node would say that it is nobody's, and has read nothing.
    Object.defineProperties(this, {
      remoteAddress: { get: () => connection.peerAddress },
      remotePort: { get: () => connection.peerPort },
      bytesRead: { get: () => connection.bytesRead },
    })
  }

  override _read(): void {
    this.#connection.resume()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#send(bytesOf(chunk, encoding), done)
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    done: Done,
  ): void {
    this.#send(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))), done)
  }

  override _final(done: Done): void {
    this.#connection.end()
    done()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#connection.close()
    done(error)
    // `net` tells it of a handle, and there is none.
    process.nextTick(() => this.emit('close', error !== null))
  }

  #send(bytes: Buffer, done: Done): void {
    if (this.#connection.send(bytes, 0, bytes.length)) done()
    else this.#drained = done
  }

  #events(): ConnectionEvents {
    return {
      opened: () => undefined,
      received: (bytes, length) => {
        // The bytes are the connection's again when this returns.
        if (!this.push(Buffer.copyBytesFrom(bytes, 0, length))) this.#connection.pause()
      },
      ended: () => void this.push(null),
      drained: () => {
        const done = this.#drained
        this.#drained = undefined
        done?.()
      },
      closed: () => void this.destroy(),
    }
  }
}

function bytesOf(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
}
