// TLS towards an endpoint: by its way's identity, verified by the runtime, and trusted only behind every check of ours.
import { X509Certificate } from 'node:crypto'
import { isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect, type PeerCertificate, TLSSocket } from 'node:tls'
import type { Endpoint } from '../../model/endpoint-table.ts'
import { intermediatesOf } from '../issuer-chain.ts'
import { codeOf, KEEP_ALIVE_MS, TLS_FAULT } from './connect-failure.ts'
import type { SecureContexts } from './secure-contexts.ts'
import { isHttp2, type UpstreamWay } from './way.ts'

/** What a worker dials by. */
export interface SecureDial {
  readonly contexts: SecureContexts
  /** Bytes that may wait in either direction; absent: as many as a stream of Node takes. */
  readonly bufferBytes?: number
  /** Whether our side goes on when the peer has ended its own; absent: it does not. */
  readonly allowHalfOpen?: boolean
}

/**
 * Begins a connection; what becomes of it is told by `awaitTrust`, which is to be called in the same step. No session is
 * kept: none can be shared with another identity (R70-72).
 */
export function startSecurely(endpoint: Endpoint, way: UpstreamWay, dial: SecureDial): Socket {
  try {
    return connect(optionsOf(endpoint, way, dial))
  } catch (thrown) {
    // What OpenSSL cannot use costs the tries of this backend, never the worker.
    const socket = new Socket()
    socket.destroy(Object.assign(new Error('the identity cannot be used', { cause: thrown }), { code: TLS_FAULT }))
    return socket
  }
}

/**
 * Calls `done` once, later: with `undefined` when the connection is private and its peer is who it must be, else with
 * the system's name of the cause or `TLS_FAULT`; the socket is then destroyed. It has an `error` listener from here on.
 */
export function awaitTrust(socket: Duplex, way: UpstreamWay, done: (fault: string | undefined) => void): void {
  let isReached = false
  let waiting: typeof done | undefined = done
  const settle = (fault: string | undefined): void => {
    const tell = waiting
    waiting = undefined
    tell?.(fault)
  }
  socket.once('connect', () => {
    isReached = true
  })
  // Once the peer took the connection, whatever ends it before the handshake is the handshake's failure.
  socket.on('error', (error) => {
    settle(isReached ? TLS_FAULT : codeOf(error))
    // A fault of TLS behind the handshake, a certificate that is demanded for one, would leave the socket open.
    socket.destroy()
  })
  socket.once('close', () => settle(isReached ? TLS_FAULT : 'ECONNABORTED'))
  socket.once('secureConnect', () => {
    if (socket instanceof TLSSocket && hasShortChain(socket, way)) {
      settle(undefined)
      return
    }
    settle(TLS_FAULT)
    socket.destroy()
  })
}

// Node hands these on to the socket; the types of tls.connect leave them out.
type SocketOptions = ConnectionOptions & typeof TCP & { readonly allowHalfOpen: boolean }

function optionsOf(
  { host, port }: Endpoint,
  way: UpstreamWay,
  { contexts, bufferBytes, allowHalfOpen = false }: SecureDial,
): SocketOptions {
  const { tls } = way
  if (!tls) throw new TypeError('a way by TLS has no identity')
  const { serverName = '' } = tls
  const sentName = tls.sendsServerName ? serverName : ''
  return {
    host,
    port,
    secureContext: contexts.of(tls),
    ALPNProtocols: [isHttp2(way) ? 'h2' : 'http/1.1'],
    rejectUnauthorized: tls.verify,
    checkServerIdentity: (_host, certificate) => (tls.verify ? faultOfName(certificate, serverName) : undefined),
    // An address is no server name (RFC 6066, section 3).
    ...(sentName !== '' && isIP(sentName) === 0 && { servername: sentName }),
    ...(bufferBytes !== undefined && { highWaterMark: bufferBytes }),
    allowHalfOpen,
    ...TCP,
  }
}

const TCP = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
  autoSelectFamily: false,
}

/** R70-40: names are compared by the runtime, never by their text. */
function faultOfName({ raw }: PeerCertificate, name: string): Error | undefined {
  if (name === '') return new Error('there is no name to verify')
  try {
    const certificate = new X509Certificate(raw)
    const isNamed = isIP(name) === 0 ? certificate.checkHost(name, NO_PARTIAL_WILDCARDS) : certificate.checkIP(name)
    return isNamed === undefined ? new Error('the certificate is for another name') : undefined
  } catch (thrown) {
    return new Error('the certificate cannot be read', { cause: thrown })
  }
}

const NO_PARTIAL_WILDCARDS = { partialWildcards: false }

/** R21-39: the runtime has no option for it. */
function hasShortChain(socket: TLSSocket, { tls }: UpstreamWay): boolean {
  if (!tls?.verify) return tls !== undefined
  return intermediatesOf(socket.getPeerCertificate(true), tls.maxDepth) <= tls.maxDepth
}
