// One try towards one endpoint.
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { HeaderList } from '../../../http/header-list.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import { UpstreamConnectError, UpstreamConnectTimeoutError } from '../../errors.ts'
import { ConnectionStream } from '../../transport/connection-stream.ts'
import type { ConnectFault } from '../../upstream/connect.ts'
import { codeOf } from '../../upstream/connect-failure.ts'
import type { AgentOptions, EndpointAgent } from '../../upstream/pool.ts'
import { failureOfStream, STREAM_RESET } from '../../upstream/stream-fault.ts'
import { nodeFields } from './node-fields.ts'

/** Why a try ended before a response head. */
export type TryFault =
  | { readonly kind: 'connect'; readonly fault: ConnectFault }
  /** A pooled connection that died before any byte of a response (R20-128). */
  | { readonly kind: 'reused' }
  /** The upstream broke off. */
  | { readonly kind: 'broken' }
  /** It took no notice of the stream (R22-19). */
  | { readonly kind: 'refused-stream' | 'goaway' }
  /** It spoke something else than HTTP/1, or its head was too large. */
  | { readonly kind: 'invalid' }

export interface AttemptRequest {
  readonly method: string
  readonly target: string
  readonly fields: HeaderList
  readonly maxHeaderBytes: number
  readonly connectTimeoutMs: number
}

export interface AttemptEvents {
  /** The connection stands; from here on bytes of the request may be gone. */
  connected(request: ClientRequest): void
  /** A 1xx other than 101 (R20-55). */
  interim(status: number, fields: HeaderList): void
  /** A response head; after it nothing else is told, and the response itself says how it ends. */
  responded(response: IncomingMessage): void
  /** A `101` that names a protocol; `early` came right behind it. */
  upgraded(response: IncomingMessage, socket: Socket, early: Buffer): void
  failed(fault: TryFault): void
}

export class Attempt {
  readonly endpoint: Endpoint
  readonly agent: EndpointAgent
  readonly #events: AttemptEvents
  readonly #request: ClientRequest
  #bytesBefore = 0
  #isSettled = false

  /** Starts at once. Throws where the head cannot be written as one message (R20-47). */
  constructor(endpoint: Endpoint, agent: EndpointAgent, message: AttemptRequest, events: AttemptEvents) {
    this.endpoint = endpoint
    this.agent = agent
    this.#events = events
    const options: RequestOptions & AgentOptions = {
      agent,
      connectTimeoutMs: message.connectTimeoutMs,
      host: endpoint.host,
      port: endpoint.port,
      method: message.method,
      path: message.target,
      headers: nodeFields(message.fields),
      setDefaultHeaders: false,
      setHost: false,
      maxHeaderSize: message.maxHeaderBytes,
    }
    const request = startRequest(options)
    request.maxHeadersCount = 0
    this.#request = request
    this.#listen(request)
  }

  /** Whether no connection stands yet: that wait has its own deadline. */
  get isConnecting(): boolean {
    return !this.#request.socket
  }

  /** Ends the try and its connection, unless the exchange on it is complete. */
  abort(): void {
    this.#isSettled = true
    this.#request.destroy()
  }

  #listen(request: ClientRequest): void {
    request.on('error', (error) => this.#fail(error))
    request.on('socket', (socket) => {
      this.#bytesBefore = socket.bytesRead
      if (!this.#isSettled) this.#events.connected(request)
    })
    request.on('information', ({ statusCode, rawHeaders }) => {
      if (!this.#isSettled) this.#events.interim(statusCode, rawHeaders)
    })
    request.on('response', (response) => {
      // An aborted request has no one who reads: its response would hold the socket.
      if (this.#isSettled) response.destroy()
      else this.#settle(() => this.#events.responded(response))
    })
    request.on('upgrade', (response, socket, early) => {
      if (this.#isSettled) socket.destroy()
      else this.#settle(() => this.#events.upgraded(response, socket, early))
    })
    request.on('close', () => this.#fail(undefined))
  }

  #fail(error: Error | undefined): void {
    if (this.#isSettled) return
    this.#settle(() => this.#events.failed(this.#faultOf(error)))
  }

  #settle(tell: () => void): void {
    this.#isSettled = true
    tell()
  }

  #faultOf(error: Error | undefined): TryFault {
    if (error instanceof UpstreamConnectError || error instanceof UpstreamConnectTimeoutError) {
      return { kind: 'connect', fault: error }
    }
    const code = error ? codeOf(error) : ''
    const failure = failureOfStream(code)
    if (failure) return { kind: failure }
    if (code.startsWith('HPE_')) return { kind: 'invalid' }
    const isUnanswered = (this.#request.socket?.bytesRead ?? 0) === this.#bytesBefore
    const isDead = this.#isReused && isUnanswered && code !== STREAM_RESET
    return { kind: isDead ? 'reused' : 'broken' }
  }

  get #isReused(): boolean {
    const { reusedSocket, socket } = this.#request
    return reusedSocket || (socket instanceof ConnectionStream && socket.connection.isReused === true)
  }
}
