import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { type ConnectFailure, UpstreamConnectError, UpstreamConnectTimeoutError } from '../errors.ts'

export type ConnectFault = UpstreamConnectError | UpstreamConnectTimeoutError

export interface ConnectOptions {
  readonly timeoutMs: number
  /** Bytes that may wait in either direction before the socket reports back-pressure. */
  readonly bufferBytes: number
}

// Node takes these for every stream; the types of net.connect leave them out.
interface BufferSizes {
  readonly readableHighWaterMark: number
  readonly writableHighWaterMark: number
}

/** TCP keep-alive of every upstream socket (R20-120). */
const KEEP_ALIVE_MS = 30_000

/**
 * Connects to an endpoint and calls `done` once: with a connected socket, or with the reason why there is none. The
 * socket has an `error` listener of ours for its whole life (R70-70): errors are told by `close` and by who uses it.
 */
export function connectEndpoint(
  endpoint: Endpoint,
  { timeoutMs, bufferBytes }: ConnectOptions,
  done: (fault: ConnectFault | undefined, socket: Socket) => void,
): Socket {
  const options: TcpNetConnectOpts & BufferSizes = {
    host: endpoint.host,
    port: endpoint.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    readableHighWaterMark: bufferBytes,
    writableHighWaterMark: bufferBytes,
  }
  const socket = connect(options)
  // Node writes a head that goes out alone as UTF-8; with this default every byte stays the byte it was.
  socket.setDefaultEncoding('latin1')
  const timer = setTimeout(() => {
    socket.destroy(new UpstreamConnectTimeoutError(endpoint.address, timeoutMs))
  }, timeoutMs)
  // Let go of once it was called: the listeners stay as long as the socket, which outlives the request it was made for.
  let waiting: typeof done | undefined = done
  const settle = (fault: ConnectFault | undefined): void => {
    const tell = waiting
    waiting = undefined
    clearTimeout(timer)
    tell?.(fault, socket)
  }
  socket.on('error', (error) => settle(asConnectFault(endpoint, error)))
  socket.once('close', () => settle(new UpstreamConnectError(endpoint.address, 'other')))
  socket.once('connect', () => settle(undefined))
  return socket
}

function asConnectFault(endpoint: Endpoint, error: Error): ConnectFault {
  if (error instanceof UpstreamConnectTimeoutError) return error
  return new UpstreamConnectError(endpoint.address, connectFailureOf(error), { cause: error })
}

const FAILURES: ReadonlyMap<string, ConnectFailure> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['ECONNABORTED', 'reset'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
])

/** The class of a connect error by its system code; `other` for what is not listed. */
export function connectFailureOf(error: Error): ConnectFailure {
  return connectFailureOfCode('code' in error && typeof error.code === 'string' ? error.code : '')
}

/** The class of a connect error by the system's name of it, such as `ECONNREFUSED`; `other` for what is not listed. */
export function connectFailureOfCode(code: string): ConnectFailure {
  return FAILURES.get(code) ?? 'other'
}
