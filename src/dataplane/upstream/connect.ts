// Connections to endpoints as streams, by whatever way: what node:http is given.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { UpstreamConnectError, UpstreamConnectTimeoutError } from '../errors.ts'
import { ConnectionStream } from '../transport/connection-stream.ts'
import { codeOf, connectFailureOfCode } from './connect-failure.ts'
import { startPlainly } from './reach.ts'
import { awaitTrust, startSecurely } from './secure-connect.ts'
import { isHttp2, type UpstreamWay } from './way.ts'
import type { WayDialer } from './way-dialer.ts'

export type ConnectFault = UpstreamConnectError | UpstreamConnectTimeoutError

export interface ConnectOptions {
  readonly timeoutMs: number
  /** Bytes that may wait in either direction before the stream reports back-pressure. */
  readonly bufferBytes: number
}

/** Where a connection leads by another way than plain HTTP/1.1. */
export interface ConnectWay {
  readonly way: UpstreamWay
  readonly dialer: WayDialer
}

/** Told once: a connection that stands, or the reason why there is none. */
export type Connected<S extends Duplex> = (fault: ConnectFault | undefined, stream: S) => void

/**
 * Connects to an endpoint in plaintext. The socket has an `error` listener of ours for its whole life (R70-70): errors
 * are told by `close` and by who uses it.
 */
export function connectEndpoint(endpoint: Endpoint, options: ConnectOptions, done: Connected<Socket>): Socket {
  return followed(startPlainly(endpoint, options.bufferBytes), { endpoint, options, done, secureWay: undefined })
}

/**
 * The same by another way. The time covers all of it, the handshake and the wait for room in a session included
 * (R20-108, R20-116).
 */
export function connectByWay(
  endpoint: Endpoint,
  { way, dialer }: ConnectWay,
  options: ConnectOptions,
  done: Connected<Duplex>,
): Duplex {
  const { bufferBytes, timeoutMs: connectTimeoutMs } = options
  const stream = isHttp2(way)
    ? new ConnectionStream((events) => dialer.dial({ endpoint, way, connectTimeoutMs }, events), bufferBytes)
    : startSecurely(endpoint, way, { contexts: dialer.contexts, bufferBytes })
  return followed(stream, { endpoint, options, done, secureWay: isHttp2(way) ? undefined : way })
}

interface Following<S extends Duplex> {
  readonly endpoint: Endpoint
  readonly options: ConnectOptions
  readonly done: Connected<S>
  readonly secureWay: UpstreamWay | undefined
}

function followed<S extends Duplex>(stream: S, { endpoint, options, done, secureWay }: Following<S>): S {
  // Node writes a head that goes out alone as UTF-8; with this default every byte stays the byte it was.
  stream.setDefaultEncoding('latin1')
  // Let go of once it was called: the listeners stay as long as the stream, which outlives the request it was made for.
  let waiting: typeof done | undefined = done
  const settle = (fault: ConnectFault | undefined): void => {
    const tell = waiting
    waiting = undefined
    clearTimeout(timer)
    tell?.(fault, stream)
  }
  const timer = setTimeout(() => {
    settle(new UpstreamConnectTimeoutError(endpoint.address, options.timeoutMs))
    stream.destroy()
  }, options.timeoutMs)
  awaitStream(stream, secureWay, (error) => {
    settle(error && new UpstreamConnectError(endpoint.address, connectFailureOfCode(error.code), error))
  })
  return stream
}

interface StreamError {
  readonly code: string
  readonly cause?: unknown
}

/** Calls `done` at least once, the first time with what became of the connect. */
function awaitStream(
  stream: Duplex,
  secureWay: UpstreamWay | undefined,
  done: (error: StreamError | undefined) => void,
): void {
  if (secureWay) {
    awaitTrust(stream, secureWay, (code) => done(code === undefined ? undefined : { code }))
    return
  }
  stream.on('error', (cause) => done({ code: codeOf(cause), cause }))
  stream.once('close', () => done({ code: 'other' }))
  stream.once('connect', () => done(undefined))
}
