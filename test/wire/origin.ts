// The origin of the wire table: it says what reached it, and by which probe.
import { createServer, type Server, type Socket } from 'node:net'
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
}

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
    const broken = [...this.#connections].flatMap(({ current }) =>
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
    headed: (request, socket) => {
      const { atHead } = this.#scriptFor(request)
      if (atHead !== undefined) socket.write(atHead, 'latin1')
    },
    completed: (request, socket) => {
      const probe = probeOf(request)
      this.#complete.set(probe, [...(this.#complete.get(probe) ?? []), request])
      const { answer, ends = false } = this.#scriptFor(request)
      socket.write(answer, 'latin1')
      if (ends) socket.end()
    },
  }

  #scriptFor(request: SeenRequest): OriginScript {
    const target = request.line.split(' ')[1]
    return target === BEFORE || target === AFTER ? OK : (this.#scripts.get(probeOf(request)) ?? OK)
  }
}

interface ConnectionEvents {
  headed(request: SeenRequest, socket: Socket): void
  completed(request: SeenRequest, socket: Socket): void
}

class Connection {
  readonly socket: Socket
  readonly faults: string[] = []
  /** The request that is being read. */
  current: ReadRequest | undefined
  readonly #events: ConnectionEvents
  #bytes = ''

  constructor(socket: Socket, events: ConnectionEvents) {
    this.socket = socket
    this.#events = events
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      this.#bytes += chunk.toString('latin1')
      this.#read()
    })
  }

  #read(): void {
    for (let request = readRequest(this.#bytes); request; request = readRequest(this.#bytes)) {
      if (!this.current) this.#events.headed(request, this.socket)
      this.current = request
      if (!request.isComplete) return
      this.current = undefined
      this.faults.push(...request.faults)
      this.#bytes = this.#bytes.slice(request.length)
      this.#events.completed(request, this.socket)
    }
  }
}

// The bench gives every probe a port of its own, which reaches the origin without a byte of the probe being touched.
function probeOf({ fields }: SeenRequest): number {
  return Number(valuesOf(fields, 'x-forwarded-port')[0] ?? Number.NaN)
}
