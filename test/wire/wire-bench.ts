// What the wire table is sent through: an engine on a real socket, a table, and an origin that records.
import { createServer, type Server, type Socket } from 'node:net'
import { CheckVerdicts } from '../../src/dataplane/check-verdicts.ts'
import type { Engine, EngineFactory, EngineSettings, ServedPair } from '../../src/dataplane/engine.ts'
import { ANY_HOST } from '../../src/model/route-table.ts'
import { ENGINE_SETTINGS } from '../builders/engine-settings.ts'
import { backend, endpoint, endpointTable, exact, prefix, routeTable, virtualHost } from '../builders/route-table.ts'
import { servedPairOf } from '../builders/served-pair.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { FakeCounters, FakeHolds } from '../fakes/counters.ts'
import { listening } from '../fakes/listening.ts'
import { fixedRandom } from '../fakes/random.ts'
import { openClient } from '../fakes/raw-client.ts'
import type { RecordedSocket } from '../fakes/recorded-socket.ts'
import { Origin } from './origin.ts'

/** The host of the table's requests. `/admin` on it is guarded; the hostless catch-all serves `/any` alone. */
export const HOST = 'a.example'

/** One connection of a client, and what the engine has read of it. */
export interface ProbeConnection {
  readonly probe: number
  readonly client: RecordedSocket
  /** Resolves when the engine has read so many bytes, or will not read that many any more. */
  read(bytes: number): Promise<void>
  /** Whether the engine has closed it. */
  isGivenUp(): boolean
}

/** A probe, and what is left of one, that takes so long counts as hanging, on a busy machine too. */
export const PATIENCE_MS = 45_000

/** How often an engine looks at its deadlines where a row is about one. They hang on the bench's clock. */
export const LOOK_MS = 2

type Deferred<T> = Pick<PromiseWithResolvers<T>, 'promise' | 'resolve'>

export class WireBench {
  readonly origin: Origin
  readonly clock: FakeClock
  readonly #front: Server
  readonly #port: number
  readonly #engine: Engine
  /** Accepted sockets by the client's port, until somebody asks for them. */
  readonly #accepted = new Map<number, Deferred<Socket>>()
  readonly #clients = new Set<Socket>()
  #probes = 0

  private constructor(front: Server, port: number, { origin, engine, clock }: BenchParts) {
    this.#front = front
    this.#port = port
    this.origin = origin
    this.clock = clock
    this.#engine = engine
    front.on('connection', (socket) => this.#acceptedAt(socket.remotePort ?? 0).resolve(socket))
  }

  static async start(makeEngine: EngineFactory, settings: Partial<EngineSettings> = {}): Promise<WireBench> {
    const origin = await Origin.start()
    const front = createServer({ allowHalfOpen: true, noDelay: true })
    const port = await listening(front)
    const pair = servedPair(`127.0.0.1:${origin.port}`)
    const clock = new FakeClock()
    const engine = makeEngine({
      current: () => pair,
      holds: new FakeHolds(),
      counters: new FakeCounters(),
      failedChecks: new CheckVerdicts(),
      settings: { ...ENGINE_SETTINGS, ...settings },
      clock,
      random: fixedRandom(0.25),
      log: { warn: () => undefined, info: () => undefined, debug: () => undefined },
    })
    return new WireBench(front, port, { origin, engine, clock })
  }

  /** A connection that the engine has accepted. */
  async connect(): Promise<ProbeConnection> {
    this.#probes += 1
    const probe = this.#probes
    const client = await openClient(this.#port)
    const { socket } = client
    this.#clients.add(socket)
    socket.once('close', () => this.#clients.delete(socket))
    const accepted = await this.#acceptedAt(socket.localPort ?? 0).promise
    this.#accepted.delete(socket.localPort ?? 0)
    this.#engine.accept(accepted, { localPort: probe, proxied: undefined })
    const read = async (bytes: number): Promise<void> => {
      // An engine that holds a client back reads no more until it has answered.
      for (let turn = 0; turn < 50 && accepted.bytesRead < bytes && !accepted.destroyed; turn += 1) await settled()
    }
    return { probe, client, read, isGivenUp: () => accepted.destroyed }
  }

  #acceptedAt(port: number): Deferred<Socket> {
    const known = this.#accepted.get(port) ?? Promise.withResolvers<Socket>()
    this.#accepted.set(port, known)
    return known
  }

  /** Resolves with true when nothing is in flight any more; with false where that does not come to be. */
  async quiet(): Promise<boolean> {
    const endMs = performance.now() + PATIENCE_MS
    while (this.#engine.load().requests > 0 && performance.now() < endMs) await settled()
    return this.#engine.load().requests === 0
  }

  stop(): void {
    this.#engine.destroy()
    this.#front.close()
    for (const socket of this.#clients) socket.destroy()
    this.origin.stop()
  }
}

interface BenchParts {
  readonly origin: Origin
  readonly engine: Engine
  readonly clock: FakeClock
}

function servedPair(address: string): ServedPair {
  const routes = routeTable(
    [
      virtualHost(HOST, [
        prefix('/admin', { id: 'admin', action: { kind: 'refuse', reason: 'access-rule' } }),
        prefix('', { id: 'site' }),
      ]),
      virtualHost(ANY_HOST, [exact('/any', { id: 'any' })]),
    ],
    { backends: new Map([['shop/web:80', backend('shop/web:80')]]) },
  )
  const endpoints = endpointTable({ 'shop/web:80': [endpoint(address)] })
  return servedPairOf({
    routes,
    endpoints,
    routeSlots: new Map([
      ['admin', 0],
      ['site', 1],
      ['any', 2],
    ]),
    endpointSlots: new Map([[address, 3]]),
  })
}
