// One HTTP/2 connection to an endpoint: from the connect to its last stream (R22-18, R22-19).
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect as startSession,
} from 'node:http2'
import type { Socket } from 'node:net'
import { plainAddress } from '../../http/forwarded.ts'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { CONNECTION_WINDOW, SOCKET_LINGER_MS, STREAM_WINDOW, sentHeadBytes } from '../http2-limits.ts'
import { codeOf } from './connect-failure.ts'
import { awaitReached, startByWay } from './reach.ts'
import type { SecureContexts } from './secure-contexts.ts'
import type { UpstreamWay } from './way.ts'

export interface H2SessionSettings {
  readonly contexts: SecureContexts
  /** Until the peer's SETTINGS came, with room for a stream: before that nobody knows whether it speaks HTTP/2. */
  readonly connectTimeoutMs: number
  /** Of a client's request. */
  readonly maxHeaderBytes: number
  readonly maxResponseHeaderBytes: number
  readonly maxResponseHeaders: number
}

export interface H2SessionEvents {
  /** There is room for a stream: the peer's SETTINGS came, or a stream has ended. */
  hasRoom(session: H2Session): void
  /** It takes no new stream any more: the peer said so, or it is gone. */
  left(session: H2Session, fault: string | undefined): void
  /** Nothing of it is left; behind `left`. */
  closed(session: H2Session): void
}

/** What a session had read at a time. */
export interface SessionMark {
  readonly atMs: number
  readonly bytesRead: number
}

// The types leave the last one out.
type SessionOptions = ClientSessionOptions & { readonly strictSingleValueFields: boolean }

export class H2Session {
  readonly #settings: H2SessionSettings
  readonly #events: H2SessionEvents
  readonly #endpoint: Endpoint
  readonly #socket: Socket
  /** Of what it waits for: room for a stream, or the end of its socket. */
  #timer: NodeJS.Timeout
  #session: ClientHttp2Session | undefined
  #maxStreams = 0
  #streams = 0
  #hasServed = false
  #hasLeft = false
  #isClosed = false
  /** Of the streams that the peer has looked at, by its GOAWAY. */
  #lastStreamId = Number.POSITIVE_INFINITY
  #fault: string | undefined
  /** Since when it has no stream, on the clock of who asks. */
  idleSinceMs = 0

  /** Begins to connect. */
  constructor(endpoint: Endpoint, way: UpstreamWay, settings: H2SessionSettings, events: H2SessionEvents) {
    this.#endpoint = endpoint
    this.#settings = settings
    this.#events = events
    this.#timer = setTimeout(() => this.#fail('ETIMEDOUT'), settings.connectTimeoutMs)
    this.#socket = startByWay(endpoint, way, settings)
    awaitReached(this.#socket, way, (fault) => {
      if (fault === undefined && !this.#socket.destroyed) this.#begin()
      else this.#fail(fault ?? 'ECONNABORTED')
    })
  }

  get hasRoom(): boolean {
    return this.#isOpen && this.#streams < this.#maxStreams
  }

  // Of a session that ends Node tells when all of its streams are gone, and each of those makes room.
  get #isOpen(): boolean {
    return !this.#hasLeft && this.#session?.closed === false && !this.#session.destroyed
  }

  /** Whether nothing of it is left. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get isIdle(): boolean {
    return this.#streams === 0
  }

  /** Whether it carried a stream before: one that dies without a byte may have been dead already (R20-128). */
  get hasServed(): boolean {
    return this.#hasServed
  }

  get peerAddress(): string {
    return plainAddress(this.#socket.remoteAddress ?? '')
  }

  get peerPort(): number {
    return this.#socket.remotePort ?? 0
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** Keeps a place for a stream; to be given back once it has ended. */
  take(): void {
    this.#streams += 1
  }

  giveBack(nowMs: number): void {
    this.#streams -= 1
    this.idleSinceMs = nowMs
    if (this.#hasLeft && this.#streams === 0) this.#end()
    else if (this.hasRoom) this.#events.hasRoom(this)
  }

  /** Sends a request. Throws where its head cannot be written. */
  request(
    fields: readonly string[],
    options: { readonly endStream: boolean; readonly waitForTrailers: boolean },
  ): ClientHttp2Stream {
    if (!this.#session) throw new TypeError('a stream was asked of a session that is not there')
    this.#hasServed = true
    return this.#session.request(fields, options)
  }

  /** Whether it died, with the streams that it had. */
  get isOver(): boolean {
    return this.#isClosed || this.#session?.destroyed === true
  }

  /** Whether the peer said that it looks at no such stream. */
  isBeyondGoaway(id: number | undefined): boolean {
    return id === undefined || id > this.#lastStreamId
  }

  /**
   * A request that was sent at `mark` got nothing in return. Where the peer has said nothing at all since then, for as
   * long as a connect may take, it may be gone without a word: new requests find out on a new connection.
   */
  suspect({ atMs, bytesRead }: SessionMark, nowMs: number): void {
    const isSilent = this.bytesRead === bytesRead && nowMs - atMs >= this.#settings.connectTimeoutMs
    if (isSilent) this.retire()
  }

  /** Takes no stream from now on, and ends with the last that it has. */
  retire(): void {
    this.#leave(undefined)
    if (this.#streams === 0) this.#end()
  }

  destroy(): void {
    clearTimeout(this.#timer)
    this.#hasLeft = true
    if (this.#session) this.#session.destroy()
    else this.#socket.destroy()
  }

  // With a word to the peer; one that does not close its side is not waited for.
  #end(): void {
    if (!this.#session || this.#isClosed) {
      this.destroy()
      return
    }
    this.#session.close()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#socket.destroy(), SOCKET_LINGER_MS)
  }

  #begin(): void {
    const session = startSession(`http://${this.#endpoint.address}`, this.#options())
    this.#session = session
    session.on('error', (error) => {
      this.#fault ??= codeOf(error)
    })
    session.on('goaway', (_code, lastStreamId) => {
      this.#lastStreamId = lastStreamId
      this.#leave(undefined)
    })
    // Node ends the session, once its streams have ended, for a frame that it could not send.
    session.on('frameError', () => this.#leave(undefined))
    session.on('remoteSettings', ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) =>
      this.#told(maxConcurrentStreams),
    )
    session.on('close', () => this.#fail(this.#fault ?? 'ECONNRESET'))
    if (!session.destroyed) session.setLocalWindowSize(CONNECTION_WINDOW)
  }

  #options(): SessionOptions {
    const { maxHeaderBytes, maxResponseHeaderBytes, maxResponseHeaders } = this.#settings
    return {
      createConnection: () => this.#socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW,
        maxHeaderListSize: 2 * maxResponseHeaderBytes,
      },
      maxSendHeaderBlockLength: sentHeadBytes(maxHeaderBytes),
      // Our own counts come first; far above them the library refuses (R22-5).
      maxHeaderListPairs: 2 * maxResponseHeaders,
      strictFieldWhitespaceValidation: false,
      // What the client repeated goes on as often (R20-44).
      strictSingleValueFields: false,
    }
  }

  #told(maxStreams: number): void {
    this.#maxStreams = maxStreams
    if (this.#hasLeft || maxStreams === 0) return
    clearTimeout(this.#timer)
    if (this.hasRoom) this.#events.hasRoom(this)
  }

  #fail(fault: string): void {
    this.#leave(fault)
    this.destroy()
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#isClosed = true
    this.#events.closed(this)
  }

  #leave(fault: string | undefined): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#events.left(this, fault)
  }
}
