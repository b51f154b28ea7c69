// A connection of the transport interface that exists in memory: one stream of a client after the other, each as a message
// of HTTP/1.1 (ADR 13). What serves a connection serves it, and knows no frame.
import { constants, type ServerHttp2Stream } from 'node:http2'
import { resetStream } from '../../reset-stream.ts'
import { NO_EVENTS } from '../../transport/no-events.ts'
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'
import { type Scratch, StreamRequest, type StreamRequestHead } from './stream-request.ts'
import { StreamResponse } from './stream-response.ts'

export interface StreamConnectionDeps {
  /** The client's end of the connection that the streams are part of. */
  readonly peerAddress: string
  readonly peerPort: number
  /** What may wait for a client, in one stream, before its owner is told to wait for it. */
  readonly heldFromBytes: number
  readonly scratch: Scratch
  readonly keeper: StreamConnectionKeeper
}

/** Whoever keeps the connections of one client. */
export interface StreamConnectionKeeper {
  /** So many bytes of data came, or something was sent. */
  moved(bytes: number): void
  /** A stream was ended before its request came whole: what is under way comes to nothing. */
  cutShort(): void
  /** It is done with its stream, and may have another one. */
  free(connection: StreamConnection): void
  /** It is gone. */
  gone(connection: StreamConnection): void
}

export class StreamConnection implements Connection {
  events: ConnectionEvents = NO_EVENTS
  bytesRead = 0
  readonly peerAddress: string
  readonly peerPort: number
  readonly #keeper: StreamConnectionKeeper
  readonly #request: StreamRequest
  readonly #response: StreamResponse
  readonly #streamGone = (): void => this.#lost()
  #stream: ServerHttp2Stream | undefined
  #isClosed = false
  /** The owner sends no more: the connection ends with this stream. */
  #isEnding = false

  constructor(deps: StreamConnectionDeps) {
    this.#keeper = deps.keeper
    this.peerAddress = deps.peerAddress
    this.peerPort = deps.peerPort
    this.#request = new StreamRequest(this, deps.scratch)
    this.#response = new StreamResponse(this, deps.heldFromBytes)
  }

  /** What waits for the client, where the owner was told to wait; all else is as good as sent. */
  get queuedBytes(): number {
    return this.#response.heldBytes
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether what it serves has become a tunnel. */
  get isTunnel(): boolean {
    return this.#response.isTunnel
  }

  /** Gets a stream; only where it has none. Its owner may answer, and is told of nothing before `read`. */
  attach(stream: ServerHttp2Stream, isHead: boolean): void {
    this.#stream = stream
    stream.on('aborted', this.#streamGone)
    stream.on('close', this.#streamGone)
    this.#response.begin(stream, isHead)
  }

  /** Hands the head of the stream's request to the owner, and what follows as it comes. */
  read(head: StreamRequestHead): void {
    if (this.#stream) this.#request.begin(this.#stream, head)
  }

  send(buffer: Buffer, from: number, to: number): boolean {
    if (!this.#stream || this.#isClosed || this.#isEnding || to <= from) return true
    this.#keeper.moved(0)
    const isTaken = this.#response.take(buffer, from, to)
    this.#freeIfDone()
    return isTaken
  }

  pause(): void {
    this.#request.pause()
  }

  resume(): void {
    this.#request.resume()
  }

  end(): void {
    if (this.#isEnding || this.#isClosed) return
    if (!this.#stream || this.#response.endWithConnection()) {
      this.#isEnding = true
      this.#freeIfDone()
    } else this.close()
  }

  close(): void {
    if (this.#isClosed) return
    const stream = this.#stream
    this.#close(undefined)
    if (stream) this.#reset(stream)
  }

  // What follows is told by what reads and writes the stream.

  received(bytes: Buffer, length: number): void {
    if (this.#isClosed) return
    this.bytesRead += length
    this.events.received(bytes, length)
  }

  /** So many bytes of the body came. */
  moved(bytes: number): void {
    this.#keeper.moved(bytes)
  }

  requestEnded(): void {
    if (this.#request.isTunnel && !this.#isClosed) this.events.ended()
    this.#freeIfDone()
  }

  drained(): void {
    if (this.#isClosed) return
    this.#keeper.moved(0)
    if (!this.#isEnding) this.events.drained()
    this.#freeIfDone()
  }

  /** The stream does not take this response. */
  broken(): void {
    this.close()
  }

  /** The stream is gone while it is served: the client has reset it, or the whole connection is gone. */
  #lost(): void {
    this.#close(this.#isEnding && this.#response.isEnded ? undefined : 'ECONNRESET')
  }

  #reset(stream: ServerHttp2Stream): void {
    if (!this.#request.isEnded) this.#keeper.cutShort()
    // A response that is whole needs no more of the request (RFC 9113, section 8.1).
    if (this.#response.isTunnel) resetStream(stream, 'cancel')
    else if (this.#response.isEnded) stream.close(constants.NGHTTP2_NO_ERROR)
    else resetStream(stream, 'internal-error')
  }

  /** Once request and response are whole it is as a kept connection between two requests. */
  #freeIfDone(): void {
    if (this.#isClosed || !this.#response.isEnded || this.#response.heldBytes > 0) return
    if (!this.#request.isEnded) {
      // What follows a refused upgrade is nothing.
      if (this.#request.isTunnel && !this.#response.isTunnel) this.close()
      return
    }
    if (this.#isEnding || this.#response.isTunnel) this.#close(undefined)
    else if (this.#stream) {
      this.#release()
      this.#keeper.free(this)
    }
  }

  #release(): void {
    const stream = this.#stream
    if (!stream) return
    this.#stream = undefined
    this.#request.leave()
    stream.off('aborted', this.#streamGone)
    stream.off('close', this.#streamGone)
  }

  #close(error: string | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#release()
    this.#keeper.gone(this)
    // Never from within a call of the owner.
    process.nextTick(tellClosed, this, error)
  }
}

function tellClosed(connection: StreamConnection, error: string | undefined): void {
  connection.events.closed(error)
}
