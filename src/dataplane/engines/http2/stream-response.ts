// The bytes of an HTTP/1.1 response as what a stream is answered with: in one go where it came whole.
import type { ServerHttp2Stream, ServerStreamResponseOptions } from 'node:http2'
import { BODY_UNTIL_CLOSE, ResponseScan } from '../../../http/h1-response-scan.ts'
import { http2FieldRecord, http2ResponseFields } from '../../../http/h1-response-to-h2.ts'
import { DONE, NEED_MORE } from '../../../http/h1-scan.ts'
import { UnframedBody } from '../../unframed-body.ts'

export interface StreamResponseOwner {
  /** What it was told to wait for is on its way. */
  drained(): void
  /** The stream does not take this response. */
  broken(): void
}

/** The engine that wrote head and trailers has kept the limits: these are only there to be some. */
const LIMITS = { maxHeaderBytes: 1024 * 1024, maxHeaders: 10_000 }
const SWITCHING = 101
const OK = 200

const WHOLE: ServerStreamResponseOptions = { endStream: true }
const PLAIN: ServerStreamResponseOptions = {}
const WITH_TRAILERS: ServerStreamResponseOptions = { waitForTrailers: true }

export class StreamResponse {
  readonly #owner: StreamResponseOwner
  readonly #heldFromBytes: number
  readonly #scan = new ResponseScan(LIMITS)
  readonly #data = new UnframedBody(LIMITS)
  #stream: ServerHttp2Stream | undefined
  /** What came of a head that is not whole. */
  #partial: Buffer | undefined
  #isHead = false
  #hasHead = false
  #isTunnel = false
  #isEnded = false
  /** Writes that the owner waits for. */
  #heldWrites = 0
  readonly #wrote = (): void => this.#writeDone()

  /** `heldFromBytes`: what may wait for the client without the owner being told. */
  constructor(owner: StreamResponseOwner, heldFromBytes: number) {
    this.#owner = owner
    this.#heldFromBytes = heldFromBytes
  }

  /** Whether all of it was handed to the stream. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  get isTunnel(): boolean {
    return this.#isTunnel
  }

  /** What waits in the stream while the owner waits for it. */
  get heldBytes(): number {
    return this.#heldWrites > 0 ? Math.max(1, this.#stream?.writableLength ?? 0) : 0
  }

  /** Begins the response of `stream`; `isHead`: it answers a HEAD. */
  begin(stream: ServerHttp2Stream, isHead: boolean): void {
    this.#stream = stream
    this.#partial = undefined
    this.#isHead = isHead
    this.#hasHead = false
    this.#isTunnel = false
    this.#isEnded = false
    this.#heldWrites = 0
    this.#scan.reset()
  }

  /** Takes `bytes[from, to)`. False: they are kept until `drained`, and must not be changed. */
  take(bytes: Buffer, from: number, to: number): boolean {
    const stream = this.#stream
    if (!stream || isOver(stream) || this.#isEnded) return true
    if (this.#hasHead) return this.#takeBody(stream, bytes, { from, to })
    if (!this.#partial) return this.#takeHead(stream, bytes, { from, to })
    const whole = Buffer.concat([this.#partial, bytes.subarray(from, to)])
    return this.#takeHead(stream, whole, { from: 0, to: whole.length })
  }

  /** The owner ends its side; whether the response is whole by that. */
  endWithConnection(): boolean {
    if (this.#hasHead && !this.#isEnded && this.#data.endWithConnection()) {
      this.#isEnded = true
      this.#stream?.end()
    }
    return this.#isEnded
  }

  #takeHead(stream: ServerHttp2Stream, bytes: Buffer, { from, to }: Range): boolean {
    const scan = this.#scan
    let at = from
    this.#partial = undefined
    while (at < to) {
      const outcome = scan.scan(bytes, at, to)
      if (outcome === NEED_MORE) {
        this.#partial = Buffer.copyBytesFrom(bytes, at, to - at)
        return true
      }
      if (outcome !== DONE) {
        this.#owner.broken()
        return true
      }
      at = scan.headEnd
      const text = bytes.toString('latin1', scan.headStart, at)
      if (scan.status >= OK || scan.status === SWITCHING) return this.#respond(stream, text, bytes, { from: at, to })
      if (isOver(stream)) return true
      stream.additionalHeaders(http2FieldRecord(http2ResponseFields(scan, text, scan.status)))
      scan.reset()
    }
    return true
  }

  #respond(stream: ServerHttp2Stream, text: string, bytes: Buffer, { from, to }: Range): boolean {
    const scan = this.#scan
    const data = this.#data
    this.#hasHead = true
    // A switched protocol is what an extended CONNECT asked for (RFC 8441, section 5).
    this.#isTunnel = scan.status === SWITCHING
    const fields = http2ResponseFields(scan, text, this.#isTunnel ? OK : scan.status)
    data.begin(this.#isTunnel ? BODY_UNTIL_CLOSE : scan.bodyLength(this.#isHead))
    data.take(bytes, from, to)
    if (data.isBroken) {
      this.#owner.broken()
      return true
    }
    const isWhole = data.isEnded && data.trailers.length === 0
    const options = data.isChunked && !isWhole ? WITH_TRAILERS : PLAIN
    if (isOver(stream)) return true
    if (options === WITH_TRAILERS) stream.on('wantTrailers', () => this.#sendTrailers(stream))
    stream.respond(fields, isWhole && data.bytes === 0 ? WHOLE : options)
    return this.#write(stream, bytes)
  }

  #takeBody(stream: ServerHttp2Stream, bytes: Buffer, { from, to }: Range): boolean {
    this.#data.take(bytes, from, to)
    if (!this.#data.isBroken) return this.#write(stream, bytes)
    this.#owner.broken()
    return true
  }

  /** Hands on the data of what was just taken. */
  #write(stream: ServerHttp2Stream, bytes: Buffer): boolean {
    const data = this.#data
    this.#isEnded = data.isEnded
    // Node has ended the stream itself where the status has no body.
    if (stream.writableEnded) return true
    const isHeld = data.bytes > 0 && (this.#heldWrites > 0 || stream.writableLength + data.bytes > this.#heldFromBytes)
    if (isHeld) this.#hold(stream, bytes)
    else if (data.bytes > 0) {
      if (data.isEnded) stream.end(data.copy(bytes))
      else stream.write(data.copy(bytes))
      return true
    }
    if (data.isEnded) stream.end()
    return !isHeld
  }

  #hold(stream: ServerHttp2Stream, bytes: Buffer): void {
    for (let run = 0; run < this.#data.runCount; run += 1) {
      this.#heldWrites += 1
      stream.write(this.#data.run(bytes, run), this.#wrote)
    }
  }

  // A stream that is gone has told it already.
  #writeDone(): void {
    if (this.#heldWrites === 0) return
    this.#heldWrites -= 1
    if (this.#heldWrites === 0) this.#owner.drained()
  }

  #sendTrailers(stream: ServerHttp2Stream): void {
    if (isOver(stream)) return
    try {
      stream.sendTrailers(http2FieldRecord(this.#data.trailers))
    } catch {
      // The library found a name or value that it does not write (R20-47), and nobody else would catch it.
      this.#owner.broken()
    }
  }
}

/** Whether it takes nothing any more: to write to it would throw. */
function isOver({ destroyed, closed }: ServerHttp2Stream): boolean {
  return destroyed || closed
}

interface Range {
  readonly from: number
  readonly to: number
}
