// What the handle transport uses of Node beyond its public API, in one place: asked for, looked at, and never assumed.
import { type Server, Socket, type SocketConstructorOpts } from 'node:net'
import { getSystemErrorName } from 'node:util'
import { messageOf } from '../../lib/errors.ts'
import type { Result } from '../../lib/result.ts'
import type { TransportFault } from './transport.ts'

/** What a call gives back: 0, or the system's error number, negative. */
type Status = number

/** One write or one shutdown; `oncomplete` is called when it did not end within its call. */
export interface RequestWrap {
  oncomplete(status: Status): void
}

/** A TCP socket as libuv has it, below the streams. */
export interface TcpHandle {
  /** Called for each read, for the end of the input and for an error: the count is in the stream state. */
  onread: (this: TcpHandle) => void
  /** Bytes that were given to it and that the kernel has not taken. */
  readonly writeQueueSize: number
  /** All reads go into `slab` from now on. */
  useUserBuffer(slab: Buffer): void
  readStart(): Status
  readStop(): Status
  writeBuffer(request: RequestWrap, bytes: Buffer): Status
  shutdown(request: RequestWrap): Status
  connect(request: RequestWrap, address: string, port: number): Status
  connect6(request: RequestWrap, address: string, port: number): Status
  getpeername(out: { address?: string; port?: number }): Status
  setNoDelay(on: boolean): Status
  setKeepAlive(on: boolean, delaySeconds: number): Status
  close(closed: (this: TcpHandle) => void): void
}

/** The handle of a listening server. */
export interface ListeningHandle {
  onconnection: (this: ListeningHandle, status: Status, handle: TcpHandle | undefined) => void
}

export interface Internals {
  createSocket(): TcpHandle
  isTcpHandle(value: unknown): value is TcpHandle
  createConnect(): RequestWrap
  createWrite(): RequestWrap
  createShutdown(): RequestWrap
  /** What the stream that calls back has just done; the places in it follow. */
  readonly state: Int32Array
  readonly readBytesOrError: number
  readonly lastWriteWasAsync: number
}

interface TcpBinding {
  readonly TCP: new (type: number) => TcpHandle
  readonly TCPConnectWrap: new () => RequestWrap
  readonly constants: { readonly SOCKET: number }
}

interface StreamBinding {
  readonly WriteWrap: new () => RequestWrap
  readonly ShutdownWrap: new () => RequestWrap
  readonly streamBaseState: Int32Array
  readonly kReadBytesOrError: number
  readonly kLastWriteWasAsync: number
}

/** The internals, or why this Node does not give them. Does nothing that shows; warns only where Node was told to. */
export function loadInternals(): Result<Internals, TransportFault> {
  // Denied anyway, and a program under the permission model is not to reach around the API in the first place (R60-25).
  if (Reflect.get(process, 'permission') !== undefined) {
    return fault('ERR_ACCESS_DENIED', 'the permission model of Node is on')
  }
  try {
    const tcp = binding('tcp_wrap')
    const stream = binding('stream_wrap')
    if (!isTcpBinding(tcp) || !isStreamBinding(stream)) return fault('ENOSYS', 'this Node has other internals')
    return { ok: true, value: internalsOf(tcp, stream) }
  } catch (thrown) {
    return fault(codeOf(thrown), messageOf(thrown))
  }
}

/** The handle below a server that listens; `undefined` where there is none of the known shape. */
export function listeningHandleOf(server: Server): ListeningHandle | undefined {
  const handle: unknown = Reflect.get(server, '_handle')
  return isListeningHandle(handle) ? handle : undefined
}

/** Takes the handle out of a socket, which is an empty shell from then on. */
export function takeHandle(socket: Socket, internals: Internals): TcpHandle | undefined {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (!internals.isTcpHandle(handle)) return undefined
  handle.readStop()
  // What a socket remembers on it: another one around this handle would not begin to read.
  Reflect.set(handle, 'reading', false)
  Reflect.set(socket, '_handle', null)
  return handle
}

/** A socket around a handle that was taken before, for who needs one; `closed` is called once when it is gone. */
export function socketOf(handle: TcpHandle, closed: (() => void) | undefined): Socket {
  const options: SocketConstructorOpts = { allowHalfOpen: true }
  Object.assign(options, { handle, manualStart: true })
  const socket = new Socket(options)
  if (closed) socket.on('close', closed)
  return socket
}

/** The system's name of an error number; `undefined` for the end of the input. */
export function errorNameOf(status: Status): string | undefined {
  const name = getSystemErrorName(status)
  return name === 'EOF' ? undefined : name
}

function fault(errno: string, message: string): Result<Internals, TransportFault> {
  return { ok: false, error: { errno, message } }
}

// Deprecated in the documentation only (DEP0111): without --pending-deprecation nothing is written about it.
function binding(name: string): unknown {
  const get: unknown = Reflect.get(process, 'binding')
  return typeof get === 'function' ? Reflect.apply(get, process, [name]) : undefined
}

function internalsOf(tcp: TcpBinding, stream: StreamBinding): Internals {
  const { TCP, TCPConnectWrap, constants } = tcp
  const { WriteWrap, ShutdownWrap, streamBaseState, kReadBytesOrError, kLastWriteWasAsync } = stream
  return {
    createSocket: () => new TCP(constants.SOCKET),
    isTcpHandle: (value): value is TcpHandle => value instanceof TCP,
    createConnect: () => new TCPConnectWrap(),
    createWrite: () => new WriteWrap(),
    createShutdown: () => new ShutdownWrap(),
    state: streamBaseState,
    readBytesOrError: kReadBytesOrError,
    lastWriteWasAsync: kLastWriteWasAsync,
  }
}

const HANDLE_METHODS = [
  'useUserBuffer',
  'readStart',
  'readStop',
  'writeBuffer',
  'shutdown',
  'connect',
  'connect6',
  'getpeername',
  'setNoDelay',
  'setKeepAlive',
  'close',
] as const

function isTcpBinding(value: unknown): value is TcpBinding {
  if (!hasFunctions(value, ['TCP', 'TCPConnectWrap'])) return false
  const constants: unknown = Reflect.get(value, 'constants')
  const prototype: unknown = Reflect.get(Object(Reflect.get(value, 'TCP')), 'prototype')
  return typeof Reflect.get(Object(constants), 'SOCKET') === 'number' && hasFunctions(prototype, HANDLE_METHODS)
}

function isStreamBinding(value: unknown): value is StreamBinding {
  return (
    hasFunctions(value, ['WriteWrap', 'ShutdownWrap']) &&
    Reflect.get(value, 'streamBaseState') instanceof Int32Array &&
    typeof Reflect.get(value, 'kReadBytesOrError') === 'number' &&
    typeof Reflect.get(value, 'kLastWriteWasAsync') === 'number'
  )
}

function isListeningHandle(value: unknown): value is ListeningHandle {
  return hasFunctions(value, ['onconnection'])
}

function hasFunctions(value: unknown, names: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}

function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : 'ENOSYS'
}
