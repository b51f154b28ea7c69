// One request on an HTTP/2 session, as the connection that an engine writes HTTP/1.1 to and reads it from (R20-7).
import { type ClientHttp2Stream, constants } from 'node:http2'
import type { RequestScan } from '../../http/h1-request-scan.ts'
import { resetStream } from '../reset-stream.ts'
import type { Connection, ConnectionEvents } from '../transport/transport.ts'
import { H2RequestWriter, type StreamBegin } from './h2-request-writer.ts'
import { H2ResponseReader } from './h2-response-reader.ts'
import type { H2Session, SessionMark } from './h2-session.ts'
import { GOAWAY, INVALID_MESSAGE, REFUSED_STREAM, STREAM_RESET } from './stream-fault.ts'
import type { UpstreamWay } from './way.ts'

/** What all of them share in a worker. */
export interface H2Share {
  readonly nowMs: () => number
  /** What is told at once is put together in it. */
  readonly slab: Buffer
  /** Reads the heads of all requests, one after the other. */
  readonly scan: RequestScan
}

export interface H2ConnectionParts {
  readonly events: ConnectionEvents
  /** It waits for nothing any more. */
  readonly closed: (connection: H2Connection) => void
}

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants

export class H2Connection implements Connection {
  events: ConnectionEvents
  bytesRead = 0
  isReused = false
  readonly #share: H2Share
  readonly #way: UpstreamWay
  readonly #closed: H2ConnectionParts['closed']
  #session: H2Session | undefined
  #writer: H2RequestWriter | undefined
  #reader: H2ResponseReader | undefined
  #stream: ClientHttp2Stream | undefined
  /** When the request was sent, and what its session had read then. */
  #begun: SessionMark = { atMs: 0, bytesRead: 0 }
  #hasPlace = false
  #isClosed = false
  #isPaused = false
  /** Whether something waits, of which `drained` is to tell. */
  #hasQueued = false

  constructor(share: H2Share, way: UpstreamWay, { events, closed }: H2ConnectionParts) {
    this.#share = share
    this.#way = way
    this.#closed = closed
    this.events = events
  }

  get peerAddress(): string {
    return this.#session?.peerAddress ?? ''
  }

  get peerPort(): number {
    return this.#session?.peerPort ?? 0
  }

  get queuedBytes(): number {
    return this.#isClosed ? 0 : (this.#writer?.queuedBytes ?? 0)
  }

  get heldBytes(): number {
    return this.#isClosed ? 0 : (this.#reader?.heldBytes ?? 0)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** It has a place in `session`, which is told in a step of its own; `authority`: for a request without a host. */
  assign(session: H2Session, authority: string): void {
    this.#session = session
    this.#hasPlace = true
    session.take()
    this.isReused = session.hasServed
    this.#writer = new H2RequestWriter(
      { scan: this.#share.scan, scheme: this.#way.tls ? 'https' : 'http', defaultAuthority: authority },
      {
        begin: (fields, options) => this.#begin(session, fields, options),
        sent: () => this.#sent(),
        failed: () => this.#end(INVALID_MESSAGE),
      },
    )
    process.nextTick(() => {
      if (!this.#isClosed) this.events.opened()
    })
  }

  /** There is no session for it; told in a step of its own. */
  fail(fault: string): void {
    this.#end(fault)
  }

  /** Copies: the buffer is the caller's again at once, and `drained` tells when nothing waits any more. */
  send(buffer: Buffer, from: number, to: number): boolean {
    if (this.#isClosed || from >= to) return true
    this.#writer?.write(buffer, from, to)
    this.#hasQueued = this.queuedBytes > 0
    return true
  }

  pause(): void {
    this.#isPaused = true
    this.#reader?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#reader?.resume()
  }

  /** The request's own framing says where it ends. */
  end(): void {}

  close(): void {
    this.#end(undefined)
  }

  #begin(session: H2Session, fields: readonly string[], options: StreamBegin): ClientHttp2Stream {
    const { endStream, waitForTrailers, isHead } = options
    const stream = session.request(fields, { endStream, waitForTrailers })
    this.#stream = stream
    this.#begun = { atMs: this.#share.nowMs(), bytesRead: session.bytesRead }
    // Before anything else: an error without a listener would end the process (R70-70). `close` tells what it means.
    stream.on('error', () => undefined)
    stream.on('close', () => this.#streamClosed(session, stream))
    // Node ends the session for a frame that it could not send, and says so to nobody else.
    stream.on('frameError', () => session.retire())
    const reader = new H2ResponseReader(stream, isHead, {
      slab: this.#share.slab,
      received: (bytes, length) => {
        this.bytesRead += length
        this.events.received(bytes, length)
      },
      ended: () => this.events.ended(),
      broken: () => this.#end(INVALID_MESSAGE),
    })
    this.#reader = reader
    if (this.#isPaused) reader.pause()
    return stream
  }

  #sent(): void {
    if (this.#isClosed || !this.#hasQueued || this.queuedBytes > 0) return
    this.#hasQueued = false
    this.events.drained()
  }

  #streamClosed(session: H2Session, stream: ClientHttp2Stream): void {
    this.#givePlaceBack()
    if (this.#isClosed || this.#reader?.isWhole === true) return
    // What came before the end came.
    this.#reader?.tellAll()
    this.#end(faultOf(session, stream))
  }

  /** Ends both directions; what it means is told in a step of its own. */
  #end(fault: string | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#reader?.stop()
    const stream = this.#stream
    if (fault === undefined && stream && this.#reader?.hasBegun !== true)
      this.#session?.suspect(this.#begun, this.#share.nowMs())
    if (stream) giveUp(stream)
    else this.#givePlaceBack()
    this.#closed(this)
    process.nextTick(() => this.events.closed(fault))
  }

  #givePlaceBack(): void {
    if (!this.#hasPlace) return
    this.#hasPlace = false
    this.#session?.giveBack(this.#share.nowMs())
  }
}

// A request that is whole may say so; one that is not must never look it (R71-3).
function giveUp(stream: ClientHttp2Stream): void {
  if (stream.closed) stream.destroy()
  else if (stream.writableEnded) stream.close(NGHTTP2_CANCEL)
  else resetStream(stream, 'cancel')
}

/** Why a stream broke off. */
function faultOf(session: H2Session, { id, rstCode }: ClientHttp2Stream): string {
  if (session.isBeyondGoaway(id)) return GOAWAY
  if (rstCode === NGHTTP2_REFUSED_STREAM) return REFUSED_STREAM
  return session.isOver ? 'ECONNRESET' : STREAM_RESET
}
