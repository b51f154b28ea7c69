// Node's own parser of requests as an oracle: a server that never listens, over a stream in memory.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { checkRequest, type RawRequest, type RequestLimits } from '../../src/http/request-check.ts'

/** More than any input of ours has: limits are not compared. */
const MAX_HEAD = 16 * 1024 * 1024

/** A request as a parser reads it, whole. */
export interface ReadMessage extends RawRequest {
  readonly body: string
  readonly trailers: readonly string[]
}

const LIMITS: RequestLimits = {
  maxTargetBytes: MAX_HEAD,
  maxHeaderBytes: MAX_HEAD,
  maxHeaders: 10_000,
  encodedSlash: 'keep',
}

/** Whether every engine serves a message, once a parser has taken it. */
export function isServed(head: RawRequest): boolean {
  return checkRequest(head, LIMITS).ok
}

/** What a parser makes of all the bytes of a connection. */
export interface ReadConnection {
  readonly messages: readonly ReadMessage[]
  /** Whether it refused what comes behind them. */
  readonly isRefused: boolean
  /** Why, for people. */
  readonly reason: string
}

interface Connection {
  readonly messages: ReadMessage[]
  reason: string
  moves: number
  /** Heads that came, and how many of them before the first that no engine serves. */
  heads: number
  served: number
}

/** Reads connections; what belongs to which is known by the stream that it came on. */
export class NodeParser {
  readonly #server: Server
  readonly #connections = new WeakMap<object, Connection>()

  constructor() {
    this.#server = createServer({
      requireHostHeader: false,
      keepAlive: true,
      maxHeaderSize: MAX_HEAD,
    })
    this.#server.timeout = 0
    this.#server.maxHeadersCount = 0
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      this.#server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        const connection = this.#connections.get(request.socket)
        if (connection) take(request, connection)
        response.end()
      })
    }
    this.#server.on('connect', (_request, stream) => this.#refuse(stream, 'CONNECT'))
    // The stream stays, so that what was read before it still ends.
    this.#server.on('clientError', (error, stream) => this.#refuse(stream, String(Reflect.get(error, 'code'))))
  }

  /** What Node makes of these bytes, latin1, that come in reads that end at `cuts`. */
  async read(text: string, cuts: readonly number[]): Promise<ReadConnection> {
    const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, callback) => callback() })
    stream.on('error', () => undefined)
    const connection: Connection = { messages: [], reason: '', moves: 0, heads: 0, served: Number.POSITIVE_INFINITY }
    this.#connections.set(stream, connection)
    this.#server.emit('connection', stream)
    let from = 0
    for (const to of [...cuts.filter((at) => at > 0 && at < text.length).toSorted((a, b) => a - b), text.length]) {
      if (to > from) stream.push(Buffer.from(text.slice(from, to), 'latin1'))
      from = to
    }
    await settle(stream, connection)
    this.#connections.delete(stream)
    stream.destroy()
    return readingOf(connection)
  }

  #refuse(stream: object, reason: string): void {
    const connection = this.#connections.get(stream)
    if (connection) connection.reason ||= reason
  }
}

function readingOf({ messages, reason, served }: Connection): ReadConnection {
  if (served < Number.POSITIVE_INFINITY) {
    return { messages: messages.slice(0, served), isRefused: true, reason: 'checkRequest' }
  }
  // Behind the last request of a connection nothing is read any more.
  return { messages, isRefused: reason !== '' && reason !== 'HPE_CLOSED_CONNECTION', reason }
}

/** Resolves when some turns of the event loop have changed nothing. */
async function settle(stream: Duplex, connection: Connection): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    const before = connection.moves + stream.readableLength
    await turn()
    if (connection.moves + stream.readableLength !== before) quiet = -1
  }
}

function take(request: IncomingMessage, connection: Connection): void {
  const { method = '', url = '', httpVersionMajor: majorVersion, httpVersionMinor: minorVersion, rawHeaders } = request
  const head = { method, target: url, majorVersion, minorVersion, fields: rawHeaders }
  if (!isServed(head)) connection.served = Math.min(connection.served, connection.heads)
  connection.heads += 1
  connection.moves += 1
  let body = ''
  request.on('error', () => undefined)
  request.on('data', (chunk: Buffer) => {
    connection.moves += 1
    body += chunk.toString('latin1')
  })
  request.on('end', () => {
    connection.moves += 1
    if (request.complete) connection.messages.push({ ...head, body, trailers: request.rawTrailers })
  })
}
