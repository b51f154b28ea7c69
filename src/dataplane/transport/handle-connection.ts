// A connection on libuv's handle itself: no stream, no event emitter, nothing allocated per read or write.
import type { Socket } from 'node:net'
import { plainAddress } from '../../http/forwarded.ts'
import {
  createConnectRequest,
  createShutdownRequest,
  createWriteRequest,
  type RequestOwner,
  type WriteRequest,
} from './handle-requests.ts'
import { errorNameOf, type Internals, socketOf, type TcpHandle } from './internals.ts'
import { NO_EVENTS } from './no-events.ts'
import type { Connection, ConnectionEvents, ConnectTarget } from './transport.ts'
import type { ViewCache } from './view-cache.ts'

/** What all connections of a worker share. */
export interface HandleShare {
  readonly internals: Internals
  /** Where the kernel's bytes are read into. */
  readonly slab: Buffer
  readonly views: ViewCache
  /** A write that ended within its call leaves its request free for the next. */
  freeWrite: WriteRequest | undefined
}

interface OwnedHandle extends TcpHandle {
  connection?: HandleConnection
}

const KEEP_ALIVE_SECONDS = 30

/** What is not to happen twice, as bits of one number: an idle connection is to be small (R60-39). */
const PAUSED = 1
const OPENING = 2
const READING = 4
const PEER_ENDED = 8
const ENDING = 16
const ENDED = 32
const CLOSED = 64
/** A send failed; what the peer sent before is still read. */
const BROKEN = 128

export class HandleConnection implements Connection, RequestOwner {
  events: ConnectionEvents = NO_EVENTS
  bytesRead = 0
  readonly #share: HandleShare
  readonly #handle: OwnedHandle
  readonly #released: (() => void) | undefined
  #flags = 0
  #writes = 0
  #error: string | undefined
  #early: Buffer | undefined

  constructor(share: HandleShare, handle: OwnedHandle, released?: () => void) {
    this.#share = share
    this.#handle = handle
    this.#released = released
    handle.connection = this
    handle.useUserBuffer(share.slab)
    handle.onread = onRead
  }

  get peerAddress(): string {
    return plainAddress(this.#peerName().address ?? '')
  }

  get peerPort(): number {
    return this.#peerName().port ?? 0
  }

  get queuedBytes(): number {
    // Whoever sends looks here, and to ask the handle is a call out of JavaScript.
    return this.#writes === 0 || this.#has(CLOSED) ? 0 : this.#handle.writeQueueSize
  }

  get isClosed(): boolean {
    return this.#has(CLOSED)
  }

  send(buffer: Buffer, from: number, to: number): boolean {
    if (this.#has(CLOSED | ENDING | BROKEN) || to <= from) return true
    const share = this.#share
    const { internals } = share
    const request = share.freeWrite ?? createWriteRequest(internals)
    share.freeWrite = undefined
    const status = this.#handle.writeBuffer(request, share.views.of(buffer, from, to))
    if (status === 0 && internals.state[internals.lastWriteWasAsync] !== 0) return this.#giveAway(request, buffer)
    if (status === 0) share.freeWrite = request
    else this.#sendFailed(errorNameOf(status))
    return true
  }

  pause(): void {
    this.#flags |= PAUSED
    if (!this.#has(READING)) return
    // Nobody would be told of its end any more.
    if (this.#has(BROKEN)) this.#fail(this.#error)
    this.#flags &= ~READING
    this.#handle.readStop()
  }

  resume(): void {
    this.#flags &= ~PAUSED
    if (this.#has(READING | OPENING | PEER_ENDED | CLOSED)) return
    if (this.#early) {
      setImmediate(() => this.#replay())
      return
    }
    this.#flags |= READING
    const status = this.#handle.readStart()
    if (status !== 0) this.#fail(errorNameOf(status))
  }

  end(): void {
    if (this.#has(ENDING | CLOSED)) return
    this.#flags |= ENDING
    if (!this.#has(OPENING)) this.#shutdown()
  }

  close(): void {
    if (this.#has(CLOSED)) return
    this.#flags |= CLOSED
    this.#handle.close(onClosed)
  }

  /** Lets the owner set its events and begins to read, unless it paused. */
  accepted(take: (connection: Connection) => void): void {
    take(this)
    if (!this.#has(PAUSED)) this.resume()
  }

  /** Bytes that somebody else read from this socket: they come first. */
  hold(early: Buffer): void {
    this.#early = early
  }

  /** Gives up the handle to a socket. */
  release(): Socket {
    // A socket starts to read by itself, and libuv refuses to start twice.
    if (this.#has(READING)) this.#handle.readStop()
    this.#flags = CLOSED
    delete this.#handle.connection
    return socketOf(this.#handle, this.#released)
  }

  /** Only for a handle that is not connected. */
  connect({ host, port }: ConnectTarget): void {
    this.#flags = OPENING
    const handle = this.#handle
    const request = createConnectRequest(this.#share.internals, this)
    const status = host.includes(':') ? handle.connect6(request, host, port) : handle.connect(request, host, port)
    if (status !== 0) this.#fail(errorNameOf(status))
  }

  // What follows is told by libuv.

  connected(status: number): void {
    if (this.#has(CLOSED)) return
    this.#flags &= ~OPENING
    if (status !== 0) {
      this.#fail(errorNameOf(status))
      return
    }
    this.#handle.setNoDelay(true)
    this.#handle.setKeepAlive(true, KEEP_ALIVE_SECONDS)
    this.events.opened()
    if (this.#has(ENDING) && !this.#has(CLOSED | ENDED)) this.#shutdown()
    if (!this.#has(PAUSED)) this.resume()
  }

  read(): void {
    if (this.#has(CLOSED)) return
    const { internals, slab } = this.#share
    const count = internals.state[internals.readBytesOrError] ?? 0
    if (count > 0) {
      this.bytesRead += count
      this.events.received(slab, count)
    } else if (count < 0) this.#inputEnded(errorNameOf(count))
  }

  wrote(status: number): void {
    this.#writes -= 1
    if (this.#has(CLOSED)) return
    if (status < 0) this.#sendFailed(errorNameOf(status))
    else if (this.#writes === 0) this.events.drained()
  }

  shutDown(): void {
    this.#sideEnded(ENDED)
  }

  gone(): void {
    this.events.closed(this.#error)
    this.#released?.()
  }

  #has(flags: number): boolean {
    return (this.#flags & flags) !== 0
  }

  // Asked for once or twice in the life of a connection, and not worth a place in each.
  #peerName(): { address?: string; port?: number } {
    const name = {}
    if (!this.#has(CLOSED | OPENING)) this.#handle.getpeername(name)
    return name
  }

  #replay(): void {
    const early = this.#early
    if (!early || this.#has(PAUSED | CLOSED)) return
    this.#early = undefined
    this.bytesRead += early.length
    this.events.received(early, early.length)
    if (!this.#has(PAUSED)) this.resume()
  }

  #giveAway(request: WriteRequest, buffer: Buffer): false {
    request.owner = this
    request.bytes = buffer
    this.#share.views.forget(buffer)
    this.#writes += 1
    return false
  }

  #shutdown(): void {
    const status = this.#handle.shutdown(createShutdownRequest(this.#share.internals, this))
    // The peer is gone already, which the next read tells: nobody waits for our FIN.
    if (status !== 0) this.#sideEnded(ENDED)
  }

  /** Both sides said their last: nothing can come of the connection any more. */
  #sideEnded(side: number): void {
    this.#flags |= side
    if (this.#has(PEER_ENDED) && this.#has(ENDED)) this.close()
  }

  /** A peer that resets us may have said before why: an upstream that wants no more of a body, for one (R20-58). */
  #sendFailed(error: string | undefined): void {
    if (!this.#has(BROKEN)) this.#error = error
    this.#flags |= BROKEN
    if (!this.#has(READING)) this.#fail(this.#error)
  }

  #fail(error: string | undefined): void {
    if (this.#has(CLOSED)) return
    this.#error = error
    this.close()
  }

  #inputEnded(error: string | undefined): void {
    this.#flags &= ~READING
    // Behind a send that failed an end of the input is none that the peer meant.
    if (error !== undefined || this.#has(BROKEN)) {
      this.#fail(this.#error ?? error)
      return
    }
    this.#handle.readStop()
    this.#flags |= PEER_ENDED
    this.events.ended()
    this.#sideEnded(0)
  }
}

/** A connection on a handle that is not connected yet; `opened` or `closed` follows. */
export function connectHandle(share: HandleShare, target: ConnectTarget): HandleConnection {
  const connection = new HandleConnection(share, share.internals.createSocket())
  connection.connect(target)
  return connection
}

// One function for all connections each: libuv's handle leads to the connection.

function onRead(this: OwnedHandle): void {
  this.connection?.read()
}

function onClosed(this: OwnedHandle): void {
  this.connection?.gone()
}
