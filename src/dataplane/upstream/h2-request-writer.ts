// The HTTP/1.1 bytes of one request, as the frames of a stream: its head, its body without chunks, its trailers.
import type { ClientHttp2Stream } from 'node:http2'
import { RequestScan } from '../../http/h1-request-scan.ts'
import { h2RequestFields } from '../../http/h1-request-to-h2.ts'
import { BODY_CHUNKED } from '../../http/h1-response-scan.ts'
import { http2FieldRecord } from '../../http/h1-response-to-h2.ts'
import { DONE, NEED_MORE } from '../../http/h1-scan.ts'
import { UnframedBody } from '../unframed-body.ts'

export interface H2RequestParts {
  /** Used for one head after the other. */
  readonly scan: RequestScan
  readonly scheme: 'http' | 'https'
  readonly defaultAuthority: string
}

export interface StreamBegin {
  readonly isHead: boolean
  /** Nothing follows the head. */
  readonly endStream: boolean
  /** Trailers may follow the body. */
  readonly waitForTrailers: boolean
}

export interface H2RequestEvents {
  begin(fields: readonly string[], options: StreamBegin): ClientHttp2Stream
  /** Part of what was written has been taken. */
  sent(): void
  /** What was written cannot be sent as a request. */
  failed(): void
}

/** What an engine writes was held to its limits when it came in. */
const NO_LIMITS = {
  maxTargetBytes: Number.POSITIVE_INFINITY,
  maxHeaderBytes: Number.POSITIVE_INFINITY,
  maxHeaders: Number.POSITIVE_INFINITY,
}

/** A scan of heads that an engine has written. */
export function headScan(): RequestScan {
  return new RequestScan(NO_LIMITS)
}

export class H2RequestWriter {
  readonly #parts: H2RequestParts
  readonly #events: H2RequestEvents
  /** A head that has not come whole. */
  #held: Buffer = NO_BYTES
  #fields: readonly string[] | undefined
  #isHead = false
  #stream: ClientHttp2Stream | undefined
  readonly #body = new UnframedBody(NO_LIMITS)

  constructor(parts: H2RequestParts, events: H2RequestEvents) {
    this.#parts = parts
    this.#events = events
  }

  /** What the session has not taken yet. */
  get queuedBytes(): number {
    return this.#stream?.writableLength ?? 0
  }

  /** Takes `bytes[from, to)`, and keeps nothing of them but copies. */
  write(bytes: Buffer, from: number, to: number): void {
    if (this.#fields && this.#body.isEnded) return
    try {
      if (this.#fields) this.#writeBody(bytes, from, to)
      else if (this.#held.length === 0) this.#readHead(bytes, from, to)
      else {
        const held = Buffer.concat([this.#held, bytes.subarray(from, to)])
        this.#readHead(held, 0, held.length)
      }
    } catch {
      // The library found a name or value that it does not write (R20-47).
      this.#events.failed()
    }
  }

  // An engine writes a head at once, as good as always: one that comes in parts is scanned again with each.
  #readHead(bytes: Buffer, from: number, to: number): void {
    const { scan } = this.#parts
    scan.reset()
    const outcome = scan.scan(bytes, from, to)
    if (outcome === NEED_MORE) {
      this.#held = Buffer.copyBytesFrom(bytes, from, to - from)
      return
    }
    this.#held = NO_BYTES
    if (outcome !== DONE) {
      this.#events.failed()
      return
    }
    const { method, target, fields } = scan.rawRequest(bytes)
    this.#fields = h2RequestFields({ ...this.#parts, method, target, fields })
    this.#isHead = method === 'HEAD'
    const { contentLength, isChunked } = scan.notes
    this.#body.begin(isChunked ? BODY_CHUNKED : Math.max(0, contentLength))
    this.#writeBody(bytes, scan.headEnd, to)
  }

  #writeBody(bytes: Buffer, from: number, to: number): void {
    const body = this.#body
    body.take(bytes, from, to)
    const stream = this.#stream ?? this.#begin(body)
    if (body.bytes > 0) stream.write(body.copy(bytes), () => this.#events.sent())
    if (body.isEnded && !stream.writableEnded) stream.end()
  }

  #begin(body: UnframedBody): ClientHttp2Stream {
    const mayHaveTrailers = body.isChunked && (!body.isEnded || body.hasTrailers)
    const stream = this.#events.begin(this.#fields ?? [], {
      isHead: this.#isHead,
      endStream: body.isEnded && body.bytes === 0 && !mayHaveTrailers,
      waitForTrailers: mayHaveTrailers,
    })
    this.#stream = stream
    if (mayHaveTrailers) stream.on('wantTrailers', () => this.#sendTrailers(stream))
    return stream
  }

  #sendTrailers(stream: ClientHttp2Stream): void {
    try {
      stream.sendTrailers(http2FieldRecord(this.#body.trailers))
    } catch {
      this.#events.failed()
    }
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)
