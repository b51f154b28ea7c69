// Sockets to an endpoint, in plaintext or by TLS: whoever needs one that is not an engine's connection begins here.
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { codeOf, KEEP_ALIVE_MS } from './connect-failure.ts'
import { awaitTrust, type SecureDial, startSecurely } from './secure-connect.ts'
import type { UpstreamWay } from './way.ts'

// Node takes these for every stream; the types of net.connect leave them out.
interface BufferSizes {
  readonly readableHighWaterMark: number
  readonly writableHighWaterMark: number
}

/** Begins a connection in plaintext; `bufferBytes`: as in `SecureDial`. */
export function startPlainly({ host, port }: Endpoint, bufferBytes?: number): Socket {
  const options: TcpNetConnectOpts & Partial<BufferSizes> = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    autoSelectFamily: false,
    ...(bufferBytes !== undefined && { readableHighWaterMark: bufferBytes, writableHighWaterMark: bufferBytes }),
  }
  return connect(options)
}

/** Begins a connection by a way, whatever is spoken on it; `awaitReached` is to be called in the same step. */
export function startByWay(endpoint: Endpoint, way: UpstreamWay, dial: SecureDial): Socket {
  return way.tls ? startSecurely(endpoint, way, dial) : startPlainly(endpoint)
}

/**
 * Calls `done` once, later: with `undefined` when the connection stands and, by TLS, can be trusted; else with the
 * system's name of the cause or `TLS_FAULT`. The socket has an `error` listener from here on.
 */
export function awaitReached(socket: Socket, way: UpstreamWay, done: (fault: string | undefined) => void): void {
  if (way.tls) awaitTrust(socket, way, done)
  else awaitConnect(socket, done)
}

function awaitConnect(socket: Socket, done: (fault: string | undefined) => void): void {
  let waiting: typeof done | undefined = done
  const settle = (fault: string | undefined): void => {
    const tell = waiting
    waiting = undefined
    tell?.(fault)
  }
  socket.on('error', (error) => settle(codeOf(error)))
  socket.once('close', () => settle('ECONNABORTED'))
  socket.once('connect', () => settle(undefined))
}
