// An origin that speaks what a backend may be spoken to in, with one handler for all: Node's own servers.
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createH2c,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2'
import { createServer as createHttps } from 'node:https'
import type { Server, Socket } from 'node:net'
import type { BackendProtocol } from '../../src/model/upstream-tls.ts'
import type { KeyPair } from './certificates.ts'
import { listening } from './listening.ts'

export type OriginRequest = IncomingMessage | Http2ServerRequest
export type OriginResponse = ServerResponse | Http2ServerResponse
export type OriginHandler = (request: OriginRequest, response: OriginResponse) => void

export interface OriginOptions {
  /** For TLS. */
  readonly pair?: KeyPair
  readonly options?: SecureServerOptions
}

export class ProtocolOrigin {
  readonly address: string
  readonly server: Server
  /** Every connection so far. */
  readonly sockets: Socket[] = []
  handler: OriginHandler = (_request, response) => void response.end('ok')

  private constructor(server: Server, port: number) {
    this.server = server
    this.address = `127.0.0.1:${port}`
  }

  static async start(
    protocol: BackendProtocol | 'http',
    { pair, options }: OriginOptions = {},
  ): Promise<ProtocolOrigin> {
    let origin: ProtocolOrigin | undefined
    const handler = (request: OriginRequest, response: OriginResponse): void => {
      request.on('error', () => undefined)
      response.on('error', () => undefined)
      origin?.handler(request, response)
    }
    const secure = { ...(pair && { cert: pair.cert, key: pair.key }), ...options }
    const server = serverOf(protocol, handler, secure)
    const sockets: Socket[] = []
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined)
      sockets.push(socket)
    })
    server.on('tlsClientError', () => undefined)
    origin = new ProtocolOrigin(server, await listening(server))
    Object.assign(origin, { sockets })
    return origin
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }
}

/** Longer than any test: an origin that closes an idle connection by itself shows as another connection. */
const KEEP_ALIVE_MS = 300_000

function serverOf(protocol: BackendProtocol | 'http', handler: OriginHandler, secure: SecureServerOptions): Server {
  switch (protocol) {
    case 'http':
      return createHttp({ keepAliveTimeout: KEEP_ALIVE_MS }, handler)
    case 'https':
      return createHttps({ ...secure, keepAliveTimeout: KEEP_ALIVE_MS }, handler)
    case 'h2c':
      return createH2c(secure, handler)
    case 'h2':
      return createSecureServer(secure, handler)
  }
}
