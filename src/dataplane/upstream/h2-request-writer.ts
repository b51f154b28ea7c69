// The HTTP/1.1 bytes of one request, as the frames of a stream: its head, its body without chunks, its trailers.
import type { ClientHttp2Stream } from 'node:http2'
import { ChunkedBody } from '../../http/chunked.ts'
import { DONE, NEED_MORE, RequestScan } from '../../http/h1-request-scan.ts'
import { h2RequestFields } from '../../http/h1-request-to-h2.ts'
import type { HeaderList } from '../../http/header-list.ts'

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
  #chunks: ChunkedBody | undefined
  /** Bytes of a body with a length that are still to come. */
  #left = 0
  #isEnded = false

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
    if (this.#isEnded) return
    try {
      if (this.#fields) this.#writeBody(this.#dataOf(bytes, from, to))
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
    this.#expectBody(scan.fields)
    this.#writeBody(this.#dataOf(bytes, scan.headEnd, to))
  }

  #expectBody({ contentLength, isChunked }: RequestScan['fields']): void {
    this.#left = Math.max(0, contentLength)
    this.#isEnded = this.#left === 0 && !isChunked
    if (!isChunked) return
    this.#chunks = new ChunkedBody(NO_LIMITS)
    this.#chunks.reset(false)
  }

  /** The data in `bytes[from, to)`, copied; whether the body ends with it is in `#isEnded`. */
  #dataOf(bytes: Buffer, from: number, to: number): Buffer {
    if (this.#chunks) return this.#dataOfChunks(this.#chunks, bytes, { from, to })
    const length = Math.min(this.#left, to - from)
    this.#left -= length
    this.#isEnded = this.#left === 0
    return length === 0 ? NO_BYTES : Buffer.copyBytesFrom(bytes, from, length)
  }

  #dataOfChunks(
    chunks: ChunkedBody,
    bytes: Buffer,
    { from, to }: { readonly from: number; readonly to: number },
  ): Buffer {
    const before = chunks.dataBytes
    chunks.read(bytes, from, to)
    this.#isEnded = chunks.isEnded
    const data = Buffer.allocUnsafe(chunks.dataBytes - before)
    let length = 0
    for (let run = 0; run < chunks.runCount; run += 1) {
      length += bytes.copy(data, length, chunks.runs[run * 2], chunks.runs[run * 2 + 1])
    }
    return data
  }

  #writeBody(data: Buffer): void {
    const stream = this.#stream ?? this.#begin(data)
    if (data.length > 0) stream.write(data, () => this.#events.sent())
    if (this.#isEnded && !stream.writableEnded) stream.end()
  }

  #begin(data: Buffer): ClientHttp2Stream {
    const mayHaveTrailers = this.#chunks !== undefined && (!this.#isEnded || this.#chunks.hasTrailers)
    const stream = this.#events.begin(this.#fields ?? [], {
      isHead: this.#isHead,
      endStream: this.#isEnded && data.length === 0 && !mayHaveTrailers,
      waitForTrailers: mayHaveTrailers,
    })
    this.#stream = stream
    if (mayHaveTrailers) stream.on('wantTrailers', () => this.#sendTrailers(stream))
    return stream
  }

  #sendTrailers(stream: ClientHttp2Stream): void {
    try {
      stream.sendTrailers(trailersOf(this.#chunks?.trailers ?? []))
    } catch {
      this.#events.failed()
    }
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)

/** Trailers as the library takes them: on an object that inherits nothing, since the names came from outside. */
function trailersOf(fields: HeaderList): Record<string, string[]> {
  const byName = new Map<string, string[]>()
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] ?? '').toLowerCase()
    const values = byName.get(name) ?? []
    values.push(fields[at + 1] ?? '')
    byName.set(name, values)
  }
  const trailers: Record<string, string[]> = Object.create(null)
  for (const [name, values] of byName) trailers[name] = values
  return trailers
}
