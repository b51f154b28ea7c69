// The request of a stream as the bytes of an HTTP/1.1 message: its head at once, its body as it comes.
import type { ServerHttp2Stream } from 'node:http2'
import { type Http2Body, http1TrailerLines } from '../../../http/h2-request-to-h1.ts'

/** Where heads and chunks are put together for one read: whoever is told of bytes takes them before he returns. */
export interface Scratch {
  bytes: Buffer
}

export interface StreamRequestHead {
  readonly head: string
  readonly body: Http2Body
}

export interface StreamRequestOwner {
  /** `bytes[0, length)` of the message. */
  received(bytes: Buffer, length: number): void
  moved(bytes: number): void
  /** The last byte came. */
  requestEnded(): void
}

const LAST_CHUNK = '0\r\n'
const LINE_END = '\r\n'
/** Digits of the size of a chunk, and the line ends around its data. */
const CHUNK_EXTRA = 16

export class StreamRequest {
  readonly #owner: StreamRequestOwner
  readonly #scratch: Scratch
  /** `undefined`: nothing of it is read any more. */
  #stream: ServerHttp2Stream | undefined
  #body: Http2Body = 'none'
  #trailers = ''
  #isPaused = false
  #isEnded = true

  constructor(owner: StreamRequestOwner, scratch: Scratch) {
    this.#owner = owner
    this.#scratch = scratch
  }

  /** Whether the last byte was handed on. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether what follows the head is no body, but what comes in place of one when the upgrade is taken. */
  get isTunnel(): boolean {
    return this.#body === 'tunnel'
  }

  begin(stream: ServerHttp2Stream, { head, body }: StreamRequestHead): void {
    this.#stream = stream
    this.#body = body
    this.#trailers = ''
    this.#isPaused = false
    this.#isEnded = body === 'none'
    // To Node it is unread until it is closed: read to its end it is destroyed in the middle of its last write, which
    // costs an Error with a stack.
    if (this.#isEnded) stream.pause()
    this.#hand(this.#room(head.length).write(head, 'latin1'))
    if (body !== 'none') this.#listen(stream)
  }

  /** Nobody wants what is left. Read it is all the same: a stream that was reset with NO_ERROR ends by that alone. */
  leave(): void {
    if (this.#body !== 'none') this.#stream?.resume()
    this.#stream = undefined
  }

  pause(): void {
    this.#isPaused = true
    if (!this.#isEnded) this.#stream?.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#isEnded) this.#stream?.resume()
  }

  #listen(stream: ServerHttp2Stream): void {
    stream.on('data', (chunk: Buffer) => this.#take(stream, chunk))
    stream.on('trailers', (_fields: unknown, _flags: unknown, list: readonly string[]) => {
      if (stream === this.#stream) this.#trailers = http1TrailerLines(list)
    })
    stream.on('end', () => this.#end(stream))
    if (this.#isPaused) stream.pause()
  }

  #take(stream: ServerHttp2Stream, chunk: Buffer): void {
    this.#owner.moved(chunk.length)
    // Of a stream that is served no more nobody wants a byte.
    if (stream !== this.#stream || chunk.length === 0) return
    if (this.#body === 'chunked') this.#hand(this.#putChunk(chunk))
    else this.#owner.received(chunk, chunk.length)
  }

  #putChunk(chunk: Buffer): number {
    const bytes = this.#room(chunk.length + CHUNK_EXTRA)
    const from = bytes.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
    const end = from + chunk.copy(bytes, from)
    return end + bytes.write(LINE_END, end, 'latin1')
  }

  #end(stream: ServerHttp2Stream): void {
    // Node ends a stream that was reset as well, and that is no end of the message.
    if (stream !== this.#stream || stream.aborted || stream.rstCode !== 0) return
    this.#isEnded = true
    if (this.#body === 'chunked') {
      const end = `${LAST_CHUNK}${this.#trailers}${LINE_END}`
      this.#hand(this.#room(end.length).write(end, 'latin1'))
    }
    this.#owner.requestEnded()
  }

  #room(size: number): Buffer {
    const scratch = this.#scratch
    if (size > scratch.bytes.length) scratch.bytes = Buffer.allocUnsafeSlow(size)
    return scratch.bytes
  }

  #hand(length: number): void {
    this.#owner.received(this.#scratch.bytes, length)
  }
}
