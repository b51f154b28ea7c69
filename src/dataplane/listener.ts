import { createServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Timers } from '../lib/timers.ts'
import type { ConnectionOrigin, Engine, WorkerCounters, WorkerLog } from './engine.ts'
import { FirstWarning } from './first-warning.ts'
import type { BoundListener } from './listen-address.ts'
import { ProxyGate } from './proxy-gate.ts'
import type { ProxyProtocolSettings } from './proxy-protocol-settings.ts'
import { formatSocket, type SocketAddress } from './socket-address.ts'
import type { TlsFront } from './tls/front.ts'
import type { Connection, Transport } from './transport/transport.ts'

export interface ListenersDeps {
  readonly engine: Pick<Engine, 'accept' | 'serve'>
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly log: WorkerLog
  /** Connections that may be open at a time, tunnels included; those above are closed at once (R20-97). */
  readonly maxConnections: number
  /** Bytes that may wait in one direction of a client's connection before its writer is told to pause (R20-121). */
  readonly connectionBufferBytes: number
  /** By which connections are accepted for an engine that serves them; `undefined`: as sockets. */
  readonly transport?: Transport | undefined
  /** Takes the connections of TLS listeners; absent: there are none. */
  readonly tls?: Pick<TlsFront, 'pass'> | undefined
  /** `undefined`: no header is expected. */
  readonly proxyProtocol?: ProxyProtocolSettings | undefined
  readonly timers: Timers
}

/**
 * Connections that the kernel holds for one listener until they are accepted. A turn of the event loop accepts one of them,
 * so this is also how many turns it takes until none is left.
 */
const BACKLOG = 511

/** The listening sockets of one worker. */
export class Listeners {
  readonly #deps: ListenersDeps
  readonly #servers: Server[] = []
  readonly #gate: ProxyGate | undefined
  readonly #noRoom: FirstWarning
  readonly #notAccepted: FirstWarning
  #open = 0
  #taken = 0

  constructor(deps: ListenersDeps) {
    this.#deps = deps
    const { proxyProtocol, log } = deps
    this.#noRoom = new FirstWarning(log)
    this.#notAccepted = new FirstWarning(log)
    this.#gate = proxyProtocol && new ProxyGate({ ...deps, settings: proxyProtocol })
  }

  /** Connections that were taken here and are not closed. */
  get connections(): number {
    return this.#open
  }

  /**
   * Binds every address beside the other workers and gives what was bound, in the same order. A socket with port 0
   * takes the port that its group got before it. Throws the system's error; what was bound until then is closed.
   */
  async open(addresses: readonly SocketAddress[]): Promise<readonly BoundListener[]> {
    const bound: BoundListener[] = []
    const portOfGroup = new Map<number, number>()
    try {
      for (const address of addresses) {
        const port = address.port === 0 ? (portOfGroup.get(address.group) ?? 0) : address.port
        const { host, secure } = address
        const listener = { host, secure, port: await this.#listen({ host, port, secure }) }
        portOfGroup.set(address.group, listener.port)
        bound.push(listener)
      }
    } catch (thrown) {
      this.close()
      throw thrown
    }
    return bound
  }

  /** Takes no new connection; those that are open stay. What the kernel still holds is reset (R70-124). */
  close(): void {
    for (const server of this.#servers.splice(0)) server.close()
  }

  /**
   * Closes when no connection waits to be taken. Under a flood that never is: at the latest when `mayWait` says no, or as
   * many turns of the event loop went by as connections may wait.
   */
  async closeWhenTaken(mayWait: () => boolean): Promise<void> {
    // This turn may have looked for connections before this call.
    await setImmediate()
    for (let turns = 0, before = -1; turns < BACKLOG && this.#taken !== before && mayWait(); turns += 1) {
      before = this.#taken
      await setImmediate()
    }
    this.close()
  }

  #listen({ host, port, secure }: BoundListener): Promise<number> {
    // The client's FIN after its request must not end its answer (R70-129), and no answer waits for Nagle's timer.
    const highWaterMark = this.#deps.connectionBufferBytes
    const server = createServer({ allowHalfOpen: true, noDelay: true, highWaterMark })
    this.#servers.push(server)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, reusePort: true, ipv6Only: true, backlog: BACKLOG }, () => {
        server.off('error', reject)
        const bound = portOf(server, port)
        server.on('error', (error) => this.#acceptFailed(error, { host, port: bound, secure }))
        const origin = { localPort: bound, proxied: undefined }
        if (secure) this.#takeSecureFrom(server, origin)
        else this.#takeFrom(server, origin)
        resolve(bound)
      })
    })
  }

  #takeFrom(server: Server, origin: ConnectionOrigin): void {
    const { engine, transport } = this.#deps
    if (transport && engine.serve) {
      const serve = engine.serve.bind(engine)
      transport.attach(server, (connection) => this.#takeConnection(connection, origin, serve), this.#released)
      return
    }
    const accept = engine.accept.bind(engine)
    server.on('connection', (socket) => this.#takeSocket(socket, origin, accept))
  }

  /** As sockets whatever the transport: what is read there is not what is on the wire. */
  #takeSecureFrom(server: Server, origin: ConnectionOrigin): void {
    const { tls } = this.#deps
    if (!tls) throw new TypeError('a TLS listener where nobody terminates TLS')
    const pass = tls.pass.bind(tls)
    server.on('connection', (socket) => this.#takeSocket(socket, origin, pass))
  }

  #takeConnection(connection: Connection, origin: ConnectionOrigin, serve: NonNullable<Engine['serve']>): void {
    if (!this.#hasRoom()) connection.close()
    else if (this.#gate) this.#gate.passConnection(connection, origin, serve)
    else serve(connection, origin)
  }

  #takeSocket(socket: Socket, origin: ConnectionOrigin, accept: Engine['accept']): void {
    socket.once('close', this.#released)
    if (this.#hasRoom()) {
      if (this.#gate) this.#gate.passSocket(socket, origin, accept)
      else accept(socket, origin)
      return
    }
    socket.on('error', () => undefined)
    socket.destroy()
  }

  // Node cannot stop accepting: a connection that nobody wants is accepted all the same, and then closed.
  #hasRoom(): boolean {
    const { counters, maxConnections } = this.#deps
    this.#open += 1
    this.#taken += 1
    counters.addProcess('activeConnections', 1)
    if (this.#open <= maxConnections) return true
    counters.addProcess('connectionsDroppedLimit', 1)
    this.#noRoom.tell({ maxConnections }, 'a connection above the maximum was closed')
    return false
  }

  // One function for all sockets.
  readonly #released = (): void => {
    this.#open -= 1
    this.#deps.counters.addProcess('activeConnections', -1)
  }

  // Node goes on accepting after this, so it costs the one connection, as with EMFILE.
  #acceptFailed(error: Error, listener: BoundListener): void {
    this.#notAccepted.tell({ listener: formatSocket(listener), reason: error.message }, 'accepting a connection failed')
  }
}

function portOf(server: Server, otherwise: number): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : otherwise
}
