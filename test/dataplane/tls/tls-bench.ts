// One TLS listener in this process: the gate, an engine behind it, and real certificates.
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { BufferBudget } from '../../../src/dataplane/buffer-budget.ts'
import { CheckVerdicts } from '../../../src/dataplane/check-verdicts.ts'
import type {
  ConnectionOrigin,
  Engine,
  EngineDeps,
  EngineFactory,
  EngineSettings,
  ServedPair,
} from '../../../src/dataplane/engine.ts'
import { DEFAULT_LIMITS } from '../../../src/dataplane/engine-limits.ts'
import { Http2Lane } from '../../../src/dataplane/engines/http2/lane.ts'
import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { Listeners } from '../../../src/dataplane/listener.ts'
import type { ProxyProtocolSettings } from '../../../src/dataplane/proxy-protocol-settings.ts'
import type { TlsSettings } from '../../../src/dataplane/secure-settings.ts'
import { TlsFront } from '../../../src/dataplane/tls/front.ts'
import { ENGINE_SETTINGS } from '../../builders/engine-settings.ts'
import { backend, endpoint, endpointTable, prefix, routeTable, virtualHost } from '../../builders/route-table.ts'
import { certificateTableOf, type NameSpec } from '../../builders/secure-names.ts'
import { servedPairOf } from '../../builders/served-pair.ts'
import { HTTP2 } from '../../contract/engine/bench.ts'
import type { FakeClock } from '../../fakes/clock.ts'
import { FakeCounters, FakeHolds } from '../../fakes/counters.ts'
import { fixedRandom } from '../../fakes/random.ts'
import { openClient } from '../../fakes/raw-client.ts'
import { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { RawUpstream } from '../../fakes/upstream.ts'
import { realTimers } from '../harness.ts'

/** Every host of the table leads here. */
const BACKEND = 'shop/web:80'

export interface TlsBenchOptions {
  readonly names: Readonly<Record<string, NameSpec>>
  readonly engine?: EngineFactory
  readonly tls?: Partial<TlsSettings>
  readonly settings?: Partial<EngineSettings>
  readonly proxyProtocol?: ProxyProtocolSettings
  readonly h2?: Pick<Engine, 'accept'>
  /** Whether clients that choose HTTP/2 are served; `h2` goes before it. */
  readonly servesHttp2?: boolean
  /** Addresses of the backend; default: the one upstream. */
  readonly endpoints?: readonly string[]
  /** Default: more than any test opens. */
  readonly maxConnections?: number
  /** Real time where it is absent. */
  readonly clock?: FakeClock
}

export class TlsBench {
  readonly counters = new FakeCounters()
  readonly holds = new FakeHolds()
  readonly upstream: RawUpstream
  readonly engine: Engine
  readonly front: TlsFront
  port = 0
  readonly #listeners: Listeners
  readonly #sockets: { destroy(): unknown }[] = []
  readonly #options: TlsBenchOptions
  #pair: ServedPair

  private constructor(options: TlsBenchOptions, upstream: RawUpstream) {
    this.#options = options
    this.upstream = upstream
    this.#pair = this.#pairOf(options.names)
    const deps = this.#engineDeps()
    this.engine = (options.engine ?? createStandardEngine)(deps)
    const timers = options.clock ?? realTimers
    this.front = new TlsFront({
      engineDeps: deps,
      engine: this.engine,
      h2: options.h2 ?? (options.servesHttp2 ? this.#laneOf(deps) : undefined),
      settings: { minVersion: '1.2', handshakeTimeoutMs: 10_000, ...options.tls },
      timers,
    })
    this.#listeners = new Listeners({
      engine: this.engine,
      tls: this.front,
      counters: this.counters,
      log: deps.log,
      maxConnections: options.maxConnections ?? 1000,
      connectionBufferBytes: 65_536,
      proxyProtocol: options.proxyProtocol,
      timers,
    })
  }

  static async start(options: TlsBenchOptions): Promise<TlsBench> {
    const upstream = await RawUpstream.start()
    const bench = new TlsBench(options, upstream)
    const [bound] = await bench.#listeners.open([
      { host: '127.0.0.1', port: 0, group: 0, optional: false, secure: true },
    ])
    bench.port = bound?.port ?? 0
    return bench
  }

  /** From now on these names are served, as after an assignment. */
  assign(names: Readonly<Record<string, NameSpec>>): void {
    const before = this.#pair
    this.#pair = this.#pairOf(names, before)
    this.front.pairAssigned(this.#pair, before, this.#pair.endpointSlots)
  }

  /** A client that writes the bytes it is given. */
  async raw(): Promise<RecordedSocket> {
    const client = await openClient(this.port)
    this.#sockets.push(client.socket)
    return client
  }

  /** A TLS client whose handshake is done; rejects with the error that ended it. */
  async connect(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connectTls({ host: '127.0.0.1', port: this.port, rejectUnauthorized: false, ...options })
    this.#sockets.push(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed in the handshake')))
    })
    socket.on('error', () => undefined)
    return socket
  }

  /** The same, as what a test reads and writes. */
  async client(options: ConnectionOptions = {}): Promise<RecordedSocket> {
    return new RecordedSocket(await this.connect(options))
  }

  /** The common name of the certificate that a client gets, or the code of the error that it gets in its place. */
  async nameFor(options: ConnectionOptions): Promise<string> {
    try {
      const socket = await this.connect(options)
      const { subject } = socket.getPeerCertificate()
      // Not destroyed: a reset could reach the server before the end of the handshake.
      socket.resume()
      socket.end()
      return String(subject.CN)
    } catch (thrown) {
      return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    }
  }

  stop(): void {
    this.#listeners.close()
    for (const socket of this.#sockets) socket.destroy()
    this.engine.destroy()
    this.front.destroy()
    this.upstream.stop()
  }

  #laneOf({ counters, clock, random, settings }: EngineDeps): Pick<Engine, 'accept'> {
    const { limits, connectionBufferBytes } = settings
    const budget = new BufferBudget(Number.POSITIVE_INFINITY, counters)
    return new Http2Lane({
      engine: this.engine,
      http2: HTTP2,
      limits,
      connectionBufferBytes,
      counters,
      budget,
      clock,
      random,
    })
  }

  #engineDeps(): EngineDeps {
    const { clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }, settings } = this.#options
    return {
      current: () => this.#pair,
      holds: this.holds,
      counters: this.counters,
      failedChecks: new CheckVerdicts(),
      settings: {
        ...ENGINE_SETTINGS,
        ...settings,
        limits: { ...DEFAULT_LIMITS, checkIntervalMs: 5, ...settings?.limits },
      },
      clock,
      random: fixedRandom(0.25),
      log: { warn: () => undefined, info: () => undefined, debug: () => undefined },
    }
  }

  #pairOf(names: Readonly<Record<string, NameSpec>>, previous?: ServedPair): ServedPair {
    const addresses = this.#options.endpoints ?? [this.upstream.address]
    const route = prefix('', { id: 'shop', action: { kind: 'forward', backends: [{ backend: BACKEND, weight: 1 }] } })
    const table = routeTable([virtualHost('*', [route])], { backends: new Map([[BACKEND, backend(BACKEND)]]) })
    return servedPairOf({
      routes: { ...table, certificates: certificateTableOf(names) },
      endpoints: endpointTable({ [BACKEND]: addresses.map((address) => endpoint(address)) }),
      routeSlots: new Map([['shop', 0]]),
      endpointSlots: new Map(addresses.map((address, index) => [address, index + 1])),
      number: (previous?.generation ?? 0) + 1,
    })
  }
}

/** The backend of every route, for names that pass through. */
export const PASSED_TO: string = BACKEND

export type { ConnectionOrigin }
