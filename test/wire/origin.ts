// The origin of the wire table: it says what reached it, and by which probe.
import { createServer, type Server, type Socket } from 'node:net'
import { eventually, settled } from '../fakes/clock.ts'
import { listening } from '../fakes/listening.ts'
import { type ReadRequest, readRequest, type SeenRequest, valuesOf } from './read-request.ts'

/** What the origin writes for a request. */
export interface OriginScript {
  /** When its head is complete; default: nothing. */
  readonly atHead?: string
  /** When all of it is. */
  readonly answer: string
  /** Whether the origin ends its connection behind the answer. */
  readonly ends?: boolean
  /** Whether it resets a connection that has served before, and answers on a fresh one alone. */
  readonly resetsReused?: boolean
  /** The answer makes a tunnel: the origin waits for these bytes, and not one may come before it has answered. */
  readonly awaits?: string
}

/** What the origin says to the end of a tunnel. */
export const FAREWELL = 'bye'

/** Targets of the good requests that a probe is sent between. */
export const BEFORE = '/before'
export const AFTER = '/after'

const OK: OriginScript = { answer: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' }

export class Origin {
  readonly port: number
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #scripts = new Map<number, OriginScript>()
  readonly #complete = new Map<number, SeenRequest[]>()
  /** Where the heads of a probe came. */
  readonly #begun = new Map<number, Connection[]>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    server.on('connection', (socket) => this.#connections.add(new Connection(socket, this.#events)))
  }

  static async start(): Promise<Origin> {
    const server = createServer({ noDelay: true })
    return new Origin(server, await listening(server))
  }

  /** What could not be read as requests one behind the other: there must be none, whatever clients send. */
  get faults(): readonly string[] {
    return [...this.#connections].flatMap(({ faults }) => faults)
  }

  /** Every request of this probe whose head came, those that broke off last. */
  seen(probe: number): readonly SeenRequest[] {
    const broken = (this.#begun.get(probe) ?? []).flatMap(({ current }) =>
      current && probeOf(current) === probe ? [current] : [],
    )
    return [...(this.#complete.get(probe) ?? []), ...broken]
  }

  /** Answers the request of this probe by `script`. */
  script(probe: number, script: OriginScript): void {
    this.#scripts.set(probe, script)
  }

  stop(): void {
    this.#server.close()
    for (const { socket } of this.#connections) socket.destroy()
  }

  readonly #events: ConnectionEvents = {
    headed: (request, connection) => {
      const probe = probeOf(request)
      this.#begun.set(probe, [...(this.#begun.get(probe) ?? []), connection])
      const { atHead } = this.#scriptFor(request)
      if (atHead !== undefined) connection.socket.write(atHead, 'latin1')
    },
    completed: (request, connection) => {
      const { answer, ends = false, resetsReused = false, awaits } = this.#scriptFor(request)
      if (resetsReused && connection.served > 1) {
        connection.socket.resetAndDestroy()
        return
      }
      if (awaits !== undefined) {
        void connection.openTunnel(answer, awaits).then((body) => this.#keep({ ...request, body }))
        return
      }
      this.#keep(request)
      connection.socket.write(answer, 'latin1')
      if (ends) connection.socket.end()
    },
  }

  #keep(request: SeenRequest): void {
    const probe = probeOf(request)
    this.#complete.set(probe, [...(this.#complete.get(probe) ?? []), request])
  }

  #scriptFor(request: SeenRequest): OriginScript {
    const target = request.line.split(' ')[1]
    return target === BEFORE || target === AFTER ? OK : (this.#scripts.get(probeOf(request)) ?? OK)
  }
}

interface ConnectionEvents {
  headed(request: SeenRequest, connection: Connection): void
  completed(request: SeenRequest, connection: Connection): void
}

/** Turns of the event loop in which bytes that are not held back surely come. */
const HELD_TURNS = 20

class Connection {
  readonly socket: Socket
  readonly faults: string[] = []
  /** The request that is being read. */
  current: ReadRequest | undefined
  /** Requests that came whole. */
  served = 0
  readonly #events: ConnectionEvents
  #bytes = ''
  #isTunnel = false

  constructor(socket: Socket, events: ConnectionEvents) {
    this.socket = socket
    this.#events = events
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      this.#bytes += chunk.toString('latin1')
      this.#read()
    })
  }

  /** Answers when bytes that are not held would have come, and says goodbye behind those that are awaited. */
  async openTunnel(answer: string, awaited: string): Promise<string> {
    this.#isTunnel = true
    for (let turn = 0; turn < HELD_TURNS; turn += 1) await settled()
    if (this.#bytes !== '') this.faults.push(`before the tunnel stood: ${this.#bytes}`)
    this.socket.write(answer, 'latin1')
    await eventually(() => this.#bytes.length >= awaited.length)
    this.socket.end(FAREWELL)
    return this.#bytes
  }

  #read(): void {
    if (this.#isTunnel) return
    for (let request = readRequest(this.#bytes); request; request = readRequest(this.#bytes)) {
      if (!this.current) this.#events.headed(request, this)
      this.current = request
      if (!request.isComplete) return
      this.current = undefined
      this.faults.push(...request.faults)
      this.#bytes = this.#bytes.slice(request.length)
      this.served += 1
      this.#events.completed(request, this)
      if (this.#isTunnel) return
    }
  }
}

// The bench gives every probe a port of its own, which reaches the origin without a byte of the probe being touched.
function probeOf({ fields }: SeenRequest): number {
  return Number(valuesOf(fields, 'x-forwarded-port')[0] ?? Number.NaN)
}
