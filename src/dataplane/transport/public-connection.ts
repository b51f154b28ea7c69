// A connection on a net.Socket, with as little of its stream as can be.
import type { OnReadOpts, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { plainAddress } from '../../http/forwarded.ts'
import { NO_EVENTS } from './no-events.ts'
import type { Connection, ConnectionEvents } from './transport.ts'

/** Leads from a socket to its connection, so that one listener serves all sockets (R60-39). */
interface OwnedSocket extends Socket {
  connection?: PublicConnection
}

const NOTHING = Buffer.alloc(0)

export class PublicConnection implements Connection {
  events: ConnectionEvents = NO_EVENTS
  bytesRead = 0
  readonly #socket: OwnedSocket
  readonly #released: (() => void) | undefined
  /** With TLS alone: told of every write. */
  readonly #written: (() => void) | undefined
  #isClosing = false
  #isFlushing = false
  #error: string | undefined

  constructor(socket: Socket, released?: () => void) {
    this.#socket = socket
    this.#released = released
    this.#socket.connection = this
    this.#written = socket instanceof TLSSocket ? () => this.#tellDrained() : undefined
    // Before anything else: an error without a listener would end the process (R70-70).
    socket.on('error', onError)
    socket.on('close', onClose)
    socket.on('end', onEnd)
  }

  get peerAddress(): string {
    return plainAddress(this.#socket.remoteAddress ?? '')
  }

  get peerPort(): number {
    return this.#socket.remotePort ?? 0
  }

  get queuedBytes(): number {
    return this.isClosed ? 0 : this.#socket.writableLength
  }

  get isClosed(): boolean {
    return this.#isClosing || this.#socket.destroyed
  }

  send(buffer: Buffer, from: number, to: number): boolean {
    const socket = this.#socket
    if (to <= from || !socket.writable || this.#isClosing) return true
    if (this.#written) return this.#encrypt(socket, buffer.subarray(from, to), this.#written)
    socket.write(buffer.subarray(from, to))
    if (socket.writableLength === 0) return true
    this.#awaitFlush()
    return false
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (!this.isClosed) this.#socket.resume()
  }

  end(): void {
    if (!this.isClosed) this.#socket.end()
  }

  close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#socket.destroy()
  }

  /** Reads the socket as a stream: for one that was not made with a slab. */
  readStream(): void {
    this.#socket.on('data', onData)
  }

  /** Gives up the socket, paused. */
  release(): Socket {
    const socket = this.#socket
    this.#isClosing = true
    socket.pause()
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    if (this.#released) socket.on('close', this.#released)
    return socket
  }

  /** For a socket that connects. */
  awaitOpen(): void {
    this.#socket.on('connect', onConnect)
  }

  // What follows is told by the socket.

  opened(): void {
    if (!this.#isClosing) this.events.opened()
  }

  received(bytes: Buffer, count: number): void {
    if (this.#isClosing) return
    this.bytesRead += count
    this.events.received(bytes, count)
  }

  ended(): void {
    if (!this.isClosed) this.events.ended()
  }

  failed(error: Error): void {
    const code: unknown = Reflect.get(error, 'code')
    this.#error = typeof code === 'string' ? code : error.name
  }

  gone(): void {
    this.#isClosing = true
    this.events.closed(this.#error)
    this.#released?.()
  }

  // What TLS is given while nothing waits is encrypted when `write` returns, so the buffer is free; but Node tells later in
  // any case. To wait for that would cost a buffer for every write.
  #encrypt(socket: Socket, bytes: Buffer, written: () => void): boolean {
    const isFree = socket.writableLength === 0
    socket.write(bytes, written)
    return isFree
  }

  #tellDrained(): void {
    if (!this.isClosed && this.#socket.writableLength === 0) this.events.drained()
  }

  // The stream's own `drain` comes only behind its high-water mark; an empty write comes behind every byte.
  #awaitFlush(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#socket.write(NOTHING, (error) => this.#flushed(error))
  }

  #flushed(error: Error | null | undefined): void {
    this.#isFlushing = false
    // What a write that failed leaves behind is gone, and was not sent.
    if (error || this.isClosed) return
    if (this.#socket.writableLength > 0) this.#awaitFlush()
    else this.events.drained()
  }
}

/** What lets a socket that connects be read into `buffer`, which all of them share. */
export function slabReader(buffer: Buffer): OnReadOpts {
  return { buffer, callback: onRead }
}

// Node calls it on the socket.
function onRead(this: unknown, count: number, slab: Uint8Array): boolean {
  if (isOwned(this) && Buffer.isBuffer(slab)) this.connection?.received(slab, count)
  return true
}

function isOwned(value: unknown): value is OwnedSocket {
  return typeof value === 'object' && value !== null && 'connection' in value
}

function onData(this: OwnedSocket, bytes: Buffer): void {
  this.connection?.received(bytes, bytes.length)
}

function onEnd(this: OwnedSocket): void {
  this.connection?.ended()
}

function onConnect(this: OwnedSocket): void {
  this.connection?.opened()
}

function onError(this: OwnedSocket, error: Error): void {
  this.connection?.failed(error)
}

function onClose(this: OwnedSocket): void {
  this.connection?.gone()
}
