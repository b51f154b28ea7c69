// The standard engine: a node:http server that never listens; accepted sockets are handed to it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { prefaceIn } from '../../../http/h2-preface.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { asksForUpgrade } from '../../../http/upgrade-request.ts'
import type {
  AddressSet,
  ConnectionOrigin,
  Engine,
  EngineDeps,
  EngineFactory,
  EngineLoad,
  ServedPair,
} from '../../engine.ts'
import type { Tunnel } from '../../upgrade.ts'
import { ClientConnection } from './client-connection.ts'
import { createContext, type EngineContext } from './context.ts'
import { DetachedRequest } from './detached-request.ts'
import { answerToParserError, isPeerGone } from './parser-errors.ts'

/** The engine over `node:http` (R20-5). */
export const createStandardEngine: EngineFactory = (deps) => new StandardEngine(deps)

/** A client's socket before it is known what it speaks. */
interface Taken {
  readonly socket: Socket
  readonly connection: ClientConnection
  readonly origin: ConnectionOrigin
  /** Its listener for the end of the socket. */
  readonly closed: () => void
}

class StandardEngine implements Engine {
  readonly #context: EngineContext
  readonly #server: Server
  readonly #connections = new Map<Socket, ClientConnection>()
  readonly #tunnels = new Set<Tunnel>()
  readonly #timer: NodeJS.Timeout
  /** Of the connections: those that are streams of others. */
  #streams = 0
  #isDraining = false

  constructor(deps: EngineDeps) {
    const connections = (): number => this.#connections.size - this.#streams + this.#tunnels.size
    this.#context = createContext(deps, () => this.#isDraining, connections)
    this.#server = this.#createServer()
    this.#timer = setInterval(() => this.#check(), this.#context.limits.checkIntervalMs)
    this.#timer.unref()
  }

  accept(socket: Socket, origin: ConnectionOrigin): void {
    // Before anything else: an error without a listener would end the process (R70-70). `close` tells the rest.
    socket.on('error', () => undefined)
    if (socket.destroyed || socket.remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const { takeHttp2 } = this.#context.deps
    const connection = new ClientConnection(this.#context, socket, origin)
    this.#connections.set(socket, connection)
    if (connection.isStream) this.#streams += 1
    else this.#context.pool.makeRoom()
    socket.setNoDelay(true)
    socket.allowHalfOpen = true
    // Node writes a head that goes out alone as UTF-8; with this default every byte stays the byte it was.
    socket.setDefaultEncoding('latin1')
    // How node:http closes after a last answer; ours reads on for a moment first.
    socket.destroySoon = () => connection.close()
    const closed = (): void => {
      connection.closed()
      this.#forget(socket)
    }
    socket.on('close', closed)
    const refused = origin.stream?.refused
    if (refused) connection.refuse(refused.answer, refused.form)
    else if (takeHttp2 && !origin.secure && !origin.stream) this.#peek({ socket, connection, origin, closed })
    else this.#serve(socket, connection)
  }

  pairAssigned({ ways }: ServedPair, served: AddressSet): void {
    this.#context.pool.retain(served, ways)
    this.#context.health.retain(served)
  }

  startDraining(): void {
    this.#isDraining = true
  }

  closeIdle(): void {
    for (const connection of this.#connections.values()) connection.endWhenIdle()
  }

  /** Nothing: no two connections share what is being written. */
  recover(): void {}

  destroy(): void {
    clearInterval(this.#timer)
    for (const socket of this.#connections.keys()) socket.destroy()
    for (const tunnel of this.#tunnels) tunnel.destroy()
    this.#context.pool.destroy()
  }

  load(): EngineLoad {
    let requests = 0
    for (const { isBusy, isStream } of this.#connections.values()) if (isBusy && !isStream) requests += 1
    return { connections: this.#connections.size - this.#streams, requests, tunnels: this.#tunnels.size }
  }

  #createServer(): Server {
    const { limits } = this.#context
    const server = createServer({
      // Every timeout of Node is off: each is ours (R70-130).
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 0,
      keepAliveTimeoutBuffer: 0,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // Twice our limit, so that a head that is too large is judged by its sizes and not by the parser (R20-5).
      maxHeaderSize: limits.maxHeaderBytes * 2,
      requireHostHeader: false,
      joinDuplicateHeaders: false,
      noDelay: true,
    })
    server.timeout = 0
    server.maxRequestsPerSocket = 0
    server.maxHeadersCount = 0
    // A client that ends its side behind a request still gets the answer (R70-129); the types do not know the field.
    Object.assign(server, { httpAllowHalfOpen: true })
    this.#listenTo(server)
    return server
  }

  #listenTo(server: Server): void {
    server.on('request', (request, response) => this.#take(request, response, false))
    server.on('checkContinue', (request, response) => this.#take(request, response, true))
    server.on('checkExpectation', (request, response) => this.#take(request, response, false))
    server.on('upgrade', (request, socket, early) => this.#takeUpgrade(request, socket, early))
    server.on('connect', (request) => this.#refuseTunnel(request.socket))
    server.on('clientError', (error, socket) => this.#parserFailed(error, socket))
  }

  /**
   * Looks at the first bytes of a client in plaintext: the parser would keep part of a preface that comes in pieces
   * (R20-6, R20-182).
   */
  #peek(taken: Taken): void {
    const { socket, connection } = taken
    let early: Buffer | undefined
    const look = (): void => {
      const more: unknown = socket.read()
      if (Buffer.isBuffer(more)) early = early ? Buffer.concat([early, more]) : more
      const found = early && Buffer.isBuffer(more) ? prefaceIn(early, 0, early.length) : 'none'
      if (found === 'part') return
      socket.off('readable', look)
      if (early) socket.unshift(early)
      if (connection.isClosing) socket.resume()
      else if (found === 'whole') this.#giveAway(taken)
      else this.#serve(socket, connection)
    }
    socket.on('readable', look)
  }

  #giveAway({ socket, connection, origin, closed }: Taken): void {
    socket.off('close', closed)
    Reflect.deleteProperty(socket, 'destroySoon')
    connection.givenAway()
    this.#forget(socket)
    this.#context.deps.takeHttp2?.(socket, origin)
  }

  #serve(socket: Socket, connection: ClientConnection): void {
    connection.countLane()
    this.#server.emit('connection', socket)
    // Node reads on whenever a request is complete; what is not wanted yet stays in the kernel.
    socket.on('resume', () => {
      if (connection.isHeld) socket.pause()
    })
  }

  #take(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const turn = { request, response, expectsContinue, upgrade: undefined, detached: undefined }
    this.#connections.get(request.socket)?.take(turn)
  }

  #refuseTunnel(socket: Socket): void {
    const connection = this.#connections.get(socket)
    connection?.parserLeft()
    connection?.malformed('connect-refused')
  }

  #takeUpgrade(request: IncomingMessage, stream: Duplex, early: Buffer): void {
    const { socket } = request
    const connection = this.#connections.get(socket)
    if (!connection) {
      stream.destroy()
      return
    }
    connection.parserLeft()
    const upgrades = asksForUpgrade(new HeaderIndex(request.rawHeaders), request.httpVersionMinor)
    const detached = new DetachedRequest(
      this.#context,
      { request, socket, stream, early, upgrades },
      {
        answered: () => this.#serve(socket, connection),
        opened: (tunnel) => this.#opened(socket, tunnel),
        closed: (tunnel) => this.#closedTunnel(tunnel),
      },
    )
    const upgrade = upgrades ? detached : undefined
    connection.take({ request, response: detached.response, expectsContinue: false, upgrade, detached })
  }

  #opened(socket: Socket, tunnel: Tunnel): void {
    this.#forget(socket)
    this.#tunnels.add(tunnel)
    this.#context.deps.counters.addProcess('tunnels', 1)
  }

  #closedTunnel(tunnel: Tunnel): void {
    if (this.#tunnels.delete(tunnel)) this.#context.deps.counters.addProcess('tunnels', -1)
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    this.#connections.delete(socket)
    if (connection.isStream) this.#streams -= 1
  }

  #parserFailed(error: Error, stream: Duplex): void {
    const connection = stream instanceof Socket ? this.#connections.get(stream) : undefined
    if (!connection || isPeerGone(error)) {
      stream.destroy()
      return
    }
    const answer = answerToParserError(error, this.#context.limits)
    if (answer) connection.malformed(answer)
  }

  #shedIdle(nowMs: number): void {
    for (const connection of this.#connections.values()) {
      if (connection.closeIfIdle(nowMs)) this.#context.deps.counters.addProcess('shedClosed', 1)
    }
  }

  #check(): void {
    const nowMs = this.#context.deps.clock.monotonicMs()
    for (const connection of this.#connections.values()) connection.check(nowMs)
    for (const tunnel of this.#tunnels) tunnel.check(nowMs)
    this.#context.pool.check(nowMs)
    if (this.#context.budget.isTight) this.#shedIdle(nowMs)
  }
}
