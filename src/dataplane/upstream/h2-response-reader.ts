// What comes back on a stream, as the bytes of an HTTP/1.1 response: told once for each turn of the event loop.
import { type ClientHttp2Stream, constants } from 'node:http2'
import { type H1ResponseHead, h1ResponseHead, h1TrailerSection } from '../../http/h2-response-to-h1.ts'
import type { HeaderList } from '../../http/header-list.ts'

export interface H2ResponseEvents {
  /** Where pieces are put together. */
  readonly slab: Buffer
  received(bytes: Buffer, length: number): void
  /** The response is complete, and all of it was told. */
  ended(): void
  /** What came is no response. */
  broken(): void
}

const { NGHTTP2_FLAG_END_STREAM } = constants
const FIRST_FINAL = 200
/** So much is told before the turn is over. */
const TELL_BYTES = 32 * 1024
const LAST_CHUNK = '0\r\n'
const LINE_END: Buffer = Buffer.from('\r\n', 'latin1')

export class H2ResponseReader {
  readonly #stream: ClientHttp2Stream
  readonly #isHead: boolean
  readonly #events: H2ResponseEvents
  #body: H1ResponseHead['body'] = 'none'
  #trailers: HeaderList = []
  #pieces: Buffer[] = []
  #bytes = 0
  #turn: NodeJS.Immediate | undefined
  /** Whether the peer said that nothing follows; a reset says that nothing comes. */
  #hasEndStream = false
  #hasBegun = false
  #isWhole = false
  #isPaused = false
  #isStopped = false

  constructor(stream: ClientHttp2Stream, isHead: boolean, events: H2ResponseEvents) {
    this.#stream = stream
    this.#isHead = isHead
    this.#events = events
    this.#noteEndStream(stream)
    stream.on('headers', (_headers, _flags, fields) => this.#interim(fields))
    stream.on('response', (_headers, flags, fields) => this.#responded(fields, flags))
    stream.on('trailers', (_headers, _flags, fields) => {
      this.#trailers = fields
    })
    stream.on('end', () => this.#ended())
  }

  /** Bytes that came and were not told yet. */
  get heldBytes(): number {
    return this.#bytes + this.#stream.readableLength
  }

  /** Whether anything of a response came. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether all of the response came, told or not. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  pause(): void {
    this.#isPaused = true
    if (!this.#hasEndStream) this.#stream.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#stream.resume()
    if (this.#bytes > 0 || this.#isWhole) this.#tellSoon()
  }

  /** Tells what waits, unless nobody wants it now. */
  tellAll(): void {
    clearImmediate(this.#turn)
    this.#tell()
  }

  /** Nobody listens any more. */
  stop(): void {
    this.#isStopped = true
    clearImmediate(this.#turn)
    this.#pieces = []
    this.#bytes = 0
  }

  /** Tells at once what waits. */
  #tell(): void {
    this.#turn = undefined
    if (this.#isStopped || this.#isPaused) return
    const pieces = this.#pieces
    const bytes = this.#bytes
    this.#pieces = []
    this.#bytes = 0
    const [only] = pieces
    if (pieces.length === 1 && only) this.#events.received(only, bytes)
    else if (bytes > 0) this.#events.received(this.#joined(pieces, bytes), bytes)
    if (this.#isWhole && !this.#isStopped && !this.#isPaused) this.#events.ended()
  }

  #joined(pieces: readonly Buffer[], bytes: number): Buffer {
    const { slab } = this.#events
    if (bytes > slab.length) return Buffer.concat(pieces, bytes)
    let at = 0
    for (const piece of pieces) at += piece.copy(slab, at)
    return slab
  }

  #add(...pieces: readonly Buffer[]): void {
    for (const piece of pieces) this.#bytes += piece.length
    this.#pieces.push(...pieces)
    if (this.#bytes >= TELL_BYTES) this.tellAll()
    else this.#tellSoon()
  }

  #addText(text: string): void {
    this.#add(Buffer.from(text, 'latin1'))
  }

  #tellSoon(): void {
    this.#turn ??= setImmediate(() => this.#tell())
  }

  #responded(fields: HeaderList, flags: number): void {
    const isWhole = (flags & NGHTTP2_FLAG_END_STREAM) !== 0
    const status = this.#headed(fields, isWhole)
    // An interim head that ends its stream is followed by none that counts.
    if (status === undefined || status < FIRST_FINAL) {
      if (isWhole || status === undefined) this.#events.broken()
      return
    }
    this.#stream.on('data', (data: Buffer) => this.#took(data))
  }

  #interim(fields: HeaderList): void {
    if (this.#headed(fields, false) === undefined) this.#events.broken()
  }

  /** The status; `undefined`: the head is none. */
  #headed(fields: HeaderList, isWhole: boolean): number | undefined {
    this.#hasBegun = true
    if (this.#isStopped) return undefined
    const head = h1ResponseHead({ fields, isHead: this.#isHead, isWhole })
    if (!head) return undefined
    this.#body = head.body
    this.#addText(head.text)
    return head.status
  }

  #took(data: Buffer): void {
    if (this.#isStopped || this.#body === 'none' || data.length === 0) return
    if (this.#body === 'length') this.#add(data)
    else this.#add(Buffer.from(`${data.length.toString(16)}\r\n`, 'latin1'), data, LINE_END)
  }

  #ended(): void {
    if (this.#isStopped || !this.#hasEndStream) return
    if (this.#body === 'chunked') {
      const section = h1TrailerSection(this.#trailers)
      if (section === undefined) {
        this.#events.broken()
        return
      }
      this.#addText(`${LAST_CHUNK}${section}`)
    }
    this.#isWhole = true
    this.#tellSoon()
  }

  // The rest is no more than a window, and is taken even by who is paused: the connection may end now, and Node throws
  // away what a stream of it still holds.
  #cameWhole(): void {
    this.#hasEndStream = true
    this.#stream.resume()
  }

  // Node ends what is read also where the peer resets the stream with NO_ERROR; only the order tells them apart. An end
  // that was none would be told as one (R20-59).
  #noteEndStream(stream: ClientHttp2Stream): void {
    const push = stream.push.bind(stream)
    stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk === null && !stream.closed) this.#cameWhole()
      return push(chunk, encoding)
    }
  }
}
