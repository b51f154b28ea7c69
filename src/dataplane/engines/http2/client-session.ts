// One HTTP/2 connection of a client: its streams, each handed to the engine as a connection of its own, and its end.
import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { plainAddress } from '../../../http/forwarded.ts'
import { namesGrpcType } from '../../../http/grpc.ts'
import { type Http2Refusal, readHttp2Request } from '../../../http/h2-request-to-h1.ts'
import type { ProcessField } from '../../../model/counters.ts'
import type { BufferAccount } from '../../buffer-budget.ts'
import type { ConnectionOrigin, StreamOrigin } from '../../engine.ts'
import { CONNECTION_WINDOW, STREAM_WINDOW } from '../../http2-limits.ts'
import { resetStream } from '../../reset-stream.ts'
import type { Http2Context } from './context.ts'
import { type GuardName, SessionGuard } from './session-guard.ts'
import { StreamConnection, type StreamConnectionKeeper } from './stream-connection.ts'
import { StreamSocket } from './stream-socket.ts'

/** Leads from a stream to its client, so that one listener serves all streams. */
interface ClientStream extends ServerHttp2Stream {
  client?: ClientSession
  /** Of a stream that waits for its client: how much did when it was looked at last, and since when. */
  seenBytes?: number
  seenMs?: number
}

export interface SessionSource {
  /** Its next byte is the first of the preface. */
  readonly socket: Socket
  readonly origin: ConnectionOrigin
}

const GUARD_FIELDS: Readonly<Record<GuardName, ProcessField>> = {
  resets: 'h2GuardResets',
  control: 'h2GuardControl',
  bytes: 'h2GuardBytes',
}
const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_FLAG_END_STREAM } = constants
/** What nghttp2 says of too many frames that it did not understand: they are resets by another name (R22-11). */
const TOO_MANY_INVALID = 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES'
/** Of connections between two streams, those that have not served for so long are let go. */
const FRESH_MS = 1000

export class ClientSession implements StreamConnectionKeeper {
  readonly #context: Http2Context
  readonly #told: (session: ClientSession) => void
  readonly #socket: Socket
  readonly #session: ServerHttp2Session
  readonly #stream: StreamOrigin
  readonly #origin: ConnectionOrigin
  readonly #peerPort: number
  readonly #guard: SessionGuard
  readonly #account: BufferAccount
  readonly #streams = new Set<ClientStream>()
  readonly #free: StreamConnection[] = []
  readonly #connections = new Set<StreamConnection>()
  readonly #bornMs: number
  readonly #maxAgeMs: number
  #requests = 0
  #seenRequests = 0
  #idleMs: number
  #hasSettings = false
  #endsAfterFirst = false
  #closedMs: number | undefined

  /** `gone` is called once, when the socket is closed. */
  constructor(context: Http2Context, { socket, origin }: SessionSource, gone: (session: ClientSession) => void) {
    const nowMs = context.clock.monotonicMs()
    const { http2, random } = context
    this.#context = context
    this.#told = gone
    this.#socket = socket
    this.#peerPort = socket.remotePort ?? 0
    const outdated = (): void => this.finish()
    this.#stream = { protocol: 'h2', peerAddress: plainAddress(socket.remoteAddress ?? ''), outdated }
    this.#origin = { ...origin, stream: this.#stream }
    this.#guard = new SessionGuard(http2, nowMs)
    this.#account = context.budget.open()
    this.#bornMs = nowMs
    this.#idleMs = nowMs
    // Connections that were opened together must not all end together (R20-106).
    this.#maxAgeMs = http2.maxAgeMs === 0 ? Number.POSITIVE_INFINITY : http2.maxAgeMs * (0.95 + random() / 10)
    this.#session = performServerHandshake(socket, context.sessionOptions)
    this.#listen()
  }

  /** Streams that are no tunnels. */
  get streams(): number {
    let tunnels = 0
    for (const connection of this.#connections) if (connection.isTunnel) tunnels += 1
    return this.#streams.size - tunnels
  }

  /** GOAWAY: what is under way is finished, and nothing new is taken (R20-166). */
  finish(): void {
    if (!this.#session.destroyed) this.#session.close()
  }

  /** It was opened while we drain: it gets its GOAWAY with its first stream. */
  finishAfterFirst(): void {
    this.#endsAfterFirst = true
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Acts on what was passed since the last look (R20-74, R20-77, R20-81, R20-105 to R20-107). */
  check(nowMs: number): void {
    if (this.#endIfOver(nowMs)) return
    const waiting = this.#checkStreams(nowMs)
    this.#judge(this.#guard.check(nowMs, this.#socket.bytesRead, waiting))
    this.#checkIdle(nowMs)
    if (nowMs - this.#bornMs >= this.#maxAgeMs) this.finish()
  }

  moved(bytes: number): void {
    this.#guard.moved(bytes)
  }

  cutShort(): void {
    this.#guard.expect(STREAM_WINDOW)
  }

  free(connection: StreamConnection): void {
    if (this.#free.length < this.#context.maxFree) this.#free.push(connection)
    else connection.close()
  }

  gone(connection: StreamConnection): void {
    this.#connections.delete(connection)
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
  }

  /** A stream is gone. */
  streamClosed(stream: ClientStream): void {
    if (!this.#streams.delete(stream)) return
    // What we cut because an upstream broke off is none of the client's doing.
    if (stream.rstCode === NGHTTP2_NO_ERROR && !stream.aborted) this.#guard.finished()
    else if (stream.rstCode !== NGHTTP2_INTERNAL_ERROR) this.#guard.reset()
    if (!this.#session.destroyed) this.#judge(this.#guard.passed())
  }

  #listen(): void {
    const session = this.#session
    // Before anything else: an error without a listener would end the process (R70-70). `close` tells the rest.
    session.on('error', (error) => this.#failed(error))
    session.on('frameError', () => undefined)
    session.on('stream', (stream, _headers, flags, list) => this.#take(stream, flags, list))
    session.on('ping', () => {
      this.#guard.pinged()
      this.#judge(this.#guard.passed())
    })
    session.on('remoteSettings', () => {
      this.#hasSettings = true
      this.#guard.settingsCame()
      this.#judge(this.#guard.passed())
    })
    session.setLocalWindowSize(CONNECTION_WINDOW)
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#gone())
  }

  #take(stream: ClientStream, flags: number, list: readonly string[]): void {
    stream.on('error', ignore)
    if (stream.destroyed || stream.closed) {
      // It came and went in one read.
      this.#guard.reset()
      return
    }
    stream.client = this
    stream.on('close', onClose)
    this.#streams.add(stream)
    this.#requests += 1
    if (this.#endsAfterFirst || this.#requests >= this.#context.limits.keepAliveRequests) this.finish()
    this.#serve(stream, (flags & NGHTTP2_FLAG_END_STREAM) !== 0, list)
  }

  #serve(stream: ClientStream, endsWithHead: boolean, list: readonly string[]): void {
    const head = readHttp2Request(list, this.#context.requestUse(endsWithHead))
    this.#guard.moved(head.bytes)
    const connection = (head.refusal === undefined ? this.#free.pop() : undefined) ?? this.#open()
    connection.attach(stream, head.isHead)
    if (!this.#connections.has(connection)) this.#hand(connection, head.refusal && refusedAs(head.refusal, list))
    if (head.refusal === undefined) connection.read(head)
    else if (!endsWithHead) this.cutShort()
  }

  #open(): StreamConnection {
    const { scratch, heldFromBytes } = this.#context
    const { peerAddress } = this.#stream
    return new StreamConnection({ peerAddress, peerPort: this.#peerPort, heldFromBytes, scratch, keeper: this })
  }

  #hand(connection: StreamConnection, refused: StreamOrigin['refused']): void {
    const { engine } = this.#context
    const origin = refused ? { ...this.#origin, stream: { ...this.#stream, refused } } : this.#origin
    this.#connections.add(connection)
    if (engine.serve) engine.serve(connection, origin)
    else engine.accept(new StreamSocket(connection), origin)
  }

  /** Of a session that is over the socket alone is left, for as long as the client may take for the last of it. */
  #endIfOver(nowMs: number): boolean {
    const { destroyed, closed } = this.#session
    if (!destroyed && (!closed || this.#streams.size > 0)) {
      this.#closedMs = undefined
      return false
    }
    const { closeTimeoutMs, limits } = this.#context
    this.#closedMs ??= nowMs
    // Node ends a session that was closed when all is sent, and that may never be.
    if (nowMs - this.#closedMs >= (destroyed ? closeTimeoutMs : limits.sendTimeoutMs)) this.#socket.destroy()
    return destroyed
  }

  /** Cuts streams whose clients take nothing of what nobody waits for any more; what waits in all of them to be read. */
  #checkStreams(nowMs: number): number {
    let toRead = 0
    let toSend = 0
    for (const stream of this.#streams) {
      toRead += stream.readableLength
      toSend += stream.writableLength
      if (stream.writableLength === 0 || stream.writableLength !== stream.seenBytes) {
        stream.seenBytes = stream.writableLength
        stream.seenMs = nowMs
      } else if (nowMs - (stream.seenMs ?? nowMs) >= this.#context.limits.sendTimeoutMs && stream.writableEnded) {
        this.#context.counters.addProcess('refusedSendTimeout', 1)
        resetStream(stream, 'internal-error')
      }
    }
    this.#account.set(toRead + toSend)
    return toRead
  }

  #checkIdle(nowMs: number): void {
    const { limits } = this.#context
    if (this.#streams.size > 0 || this.#requests !== this.#seenRequests) {
      this.#seenRequests = this.#requests
      this.#idleMs = nowMs
      return
    }
    const idleMs = nowMs - this.#idleMs
    if (idleMs >= FRESH_MS) {
      while (this.#free.length > 0) this.#free.pop()?.close()
      this.#shed()
    }
    if (idleMs >= (this.#hasSettings ? limits.keepAliveTimeoutMs : limits.headerTimeoutMs)) this.finish()
  }

  /** Who is idle makes room where buffers are nearly spent (R20-126). */
  #shed(): void {
    if (!this.#context.budget.isTight || this.#session.closed) return
    this.#context.counters.addProcess('shedClosed', 1)
    this.finish()
  }

  #judge(guard: GuardName | undefined): void {
    if (!guard || this.#session.destroyed) return
    this.#context.counters.addProcess(GUARD_FIELDS[guard], 1)
    this.#session.destroy(new Error('flood'), NGHTTP2_ENHANCE_YOUR_CALM)
  }

  #failed(error: Error): void {
    if (Reflect.get(error, 'code') === TOO_MANY_INVALID) this.#context.counters.addProcess('h2GuardResets', 1)
  }

  #gone(): void {
    for (const connection of this.#connections) connection.close()
    this.#account.set(0)
    this.#told(this)
  }
}

// A head that is malformed has no content type (R22-35).
function refusedAs(answer: Http2Refusal, list: readonly string[]): StreamOrigin['refused'] {
  return { answer, form: answer !== 'malformed' && namesGrpcType(list) ? 'grpc' : 'text' }
}

function ignore(): void {}

function onClose(this: ClientStream): void {
  this.client?.streamClosed(this)
}
