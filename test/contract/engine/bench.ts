// What the contract suite sets up around an engine: real sockets before it and behind it, and a table between.
import { createServer, type Server } from 'node:net'
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
import { DEFAULT_LIMITS, type EngineLimits } from '../../../src/dataplane/engine-limits.ts'
import { Http2Lane } from '../../../src/dataplane/engines/http2/lane.ts'
import type { Http2Settings } from '../../../src/dataplane/secure-settings.ts'
import type { Endpoint } from '../../../src/model/endpoint-table.ts'
import type { RoutePolicy } from '../../../src/model/policy.ts'
import type { Backend, RefusalReason, Route } from '../../../src/model/route-table.ts'
import { ENGINE_SETTINGS } from '../../builders/engine-settings.ts'
import { backend, endpoint, endpointTable, prefix, routeTable, virtualHost } from '../../builders/route-table.ts'
import { servedPairOf } from '../../builders/served-pair.ts'
import type { KeyPair } from '../../fakes/certificates.ts'
import { FakeClock, settled } from '../../fakes/clock.ts'
import { FakeCounters, FakeHolds } from '../../fakes/counters.ts'
import { listening } from '../../fakes/listening.ts'
import { FakeLogger } from '../../fakes/logger.ts'
import { fixedRandom } from '../../fakes/random.ts'
import { openClient } from '../../fakes/raw-client.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { openSecureClient } from '../../fakes/secure-client.ts'
import { serveSecurelyFrom } from '../../fakes/secure-front.ts'
import { RawUpstream } from '../../fakes/upstream.ts'
import { type Arrival, serveFrom } from '../../fakes/wire-engines.ts'

/** Every request of a test has this host unless it says another. */
export const HOST = 'shop.example'
export const ROUTE_SLOT = 0
/** The backend that `HOST` leads to. */
export const BACKEND = 'shop/web:80'

/** The defaults of the flags. */
export const HTTP2: Http2Settings = {
  maxStreams: 100,
  maxHeaders: 256,
  maxResets: 100,
  maxControlFrames: 1000,
  floodBytes: 256 * 1024,
  maxAgeMs: 3_600_000,
}

export interface BenchOptions {
  readonly settings?: Partial<EngineSettings>
  readonly limits?: Partial<EngineLimits>
  /** Addresses of the backend of `HOST`; default: the one upstream. */
  readonly endpoints?: readonly string[]
  /** How that backend differs from the smallest one: its policy, for one. */
  readonly backend?: Partial<Backend>
  /** What the route of `HOST` sets for itself; where `routes` are given they say it. */
  readonly policy?: RoutePolicy
  /** The routes of `HOST`; default: one that takes every path. */
  readonly routes?: readonly Route[]
  /** The routes of other hosts refuse for a reason. */
  readonly refusing?: Readonly<Record<string, RefusalReason>>
  readonly localPort?: number
  /** How its connections came, if not in plaintext from whom their sockets say. */
  readonly origin?: Partial<ConnectionOrigin>
  /** Its clients come by TLS, through the product's own front; the engine is told of plaintext, so that answers are the same. */
  readonly isSecure?: boolean
  /** Its upstreams speak TLS, by this certificate. */
  readonly upstreamPair?: KeyPair
  /** Where this is given HTTP/2 is served too, with these limits in place of the defaults. */
  readonly http2?: Partial<Http2Settings>
}

export class EngineBench {
  readonly engine: Engine
  /** Serves HTTP/2 around the engine, where the options ask for it. */
  readonly lane: Http2Lane | undefined
  readonly clock: FakeClock
  readonly log: FakeLogger = new FakeLogger()
  readonly counters: FakeCounters
  readonly holds: FakeHolds
  readonly failedChecks = new CheckVerdicts()
  readonly upstream: RawUpstream
  readonly port: number
  readonly #front: Server
  readonly #clients: RecordedSocket[] = []
  /** The engine's ends of the connections, by the port of the client's. */
  readonly #accepted = new Map<number | undefined, Arrival>()
  readonly #upstreams: RawUpstream[]
  readonly #shop: Shop
  readonly #isSecure: boolean
  readonly #upstreamPair: KeyPair | undefined
  #pair: ServedPair

  private constructor(parts: BenchParts, pair: ServedPair, makeEngine: EngineFactory, settings: EngineSettings) {
    const { http2 } = parts
    this.upstream = parts.upstream
    this.port = parts.port
    this.#front = parts.front
    this.#upstreams = [parts.upstream]
    this.#shop = parts.shop
    this.clock = new FakeClock()
    this.counters = new FakeCounters()
    this.holds = new FakeHolds()
    this.#pair = pair
    const budget = new BufferBudget(settings.bufferBudgetBytes ?? Number.POSITIVE_INFINITY, this.counters)
    const deps: EngineDeps = {
      current: () => this.#pair,
      holds: this.holds,
      counters: this.counters,
      failedChecks: this.failedChecks,
      settings,
      clock: this.clock,
      random: fixedRandom(0.25),
      log: this.log,
      budget,
      takeHttp2: http2 && ((socket, origin) => this.lane?.accept(socket, origin)),
    }
    this.engine = makeEngine(deps)
    this.lane = http2 && this.#makeLane(http2, settings, budget)
    const { origin } = parts
    const arrived = (port: number, end: Arrival): void => void this.#accepted.set(port, end)
    this.#isSecure = parts.isSecure
    this.#upstreamPair = parts.upstreamPair
    const { engine } = this
    if (this.#isSecure) serveSecurelyFrom(this.#front, { engine, deps }, { host: HOST, origin, arrived })
    else serveFrom(this.#front, engine, { origin, arrived })
  }

  static async start(makeEngine: EngineFactory, options: BenchOptions = {}): Promise<EngineBench> {
    const upstream = await RawUpstream.start(options.upstreamPair)
    const front = createServer({ allowHalfOpen: true })
    const port = await listening(front)
    const { endpoints = [upstream.address], refusing = {}, localPort = 8080 } = options
    const origin = { localPort, proxied: undefined, ...options.origin }
    const shop = shopOf(options)
    const pair = servedPair(endpoints, refusing, shop)
    const settings: EngineSettings = {
      ...ENGINE_SETTINGS,
      ...options.settings,
      // Deadlines are a matter of the fake clock; how often they are looked at is real.
      limits: { ...DEFAULT_LIMITS, checkIntervalMs: 2, ...options.limits },
    }
    const http2 = options.http2 && { ...HTTP2, ...options.http2 }
    const { isSecure = false, upstreamPair } = options
    const parts = { upstream, front, port, origin, shop, http2, isSecure, upstreamPair }
    return new EngineBench(parts, pair, makeEngine, settings)
  }

  #makeLane(http2: Http2Settings, settings: EngineSettings, budget: BufferBudget): Http2Lane {
    const { engine, counters, clock } = this
    const { limits, connectionBufferBytes } = settings
    const random = fixedRandom(0.25)
    return new Http2Lane({ engine, http2, limits, connectionBufferBytes, counters, budget, clock, random })
  }

  /** Another origin, stopped with the bench. */
  async addUpstream(): Promise<RawUpstream> {
    const upstream = await RawUpstream.start(this.#upstreamPair)
    this.#upstreams.push(upstream)
    return upstream
  }

  /** From now on `HOST` leads to these addresses; `fields`: and its backend is like this. */
  assign(endpoints: readonly string[], fields: Partial<Backend> = this.#shop.backend): void {
    this.#pair = servedPair(endpoints, {}, { ...this.#shop, backend: fields }, this.#pair)
    this.engine.pairAssigned(this.#pair, this.#pair.endpointSlots)
  }

  async client(): Promise<RecordedSocket> {
    const client = await (this.#isSecure ? openSecureClient(this.port, HOST) : openClient(this.port))
    this.#clients.push(client)
    return client
  }

  /** A new client that sends these bytes. */
  async send(bytes: string): Promise<RecordedSocket> {
    return (await this.client()).write(bytes)
  }

  /** Like `send`, in two parts: the second goes out when the engine has read the first. */
  async sendCut(bytes: string, cut: number): Promise<RecordedSocket> {
    const client = await this.send(bytes.slice(0, cut))
    if (cut === 0) return client.write(bytes)
    await this.heard(client, cut)
    return client.write(bytes.slice(cut))
  }

  /** Resolves when the engine has read so many bytes of this client, or has given it up. */
  heard(client: RecordedSocket, bytes: number): Promise<void> {
    return this.when(() => {
      const accepted = this.#accepted.get(client.socket.localPort)
      return accepted !== undefined && (accepted.bytesRead >= bytes || accepted.isClosed)
    })
  }

  /** Sends a request of `HOST` on a new connection; `lines` are header lines. */
  get(path = '/', lines: readonly string[] = []): Promise<RecordedSocket> {
    return this.send(request('GET', path, lines))
  }

  /** Lets the event loop turn once. */
  turn(): Promise<void> {
    return settled()
  }

  /** Resolves when `isSo`; looked at after each turn of the event loop, until the test's own timeout. */
  async when(isSo: () => boolean): Promise<void> {
    while (!isSo()) await settled()
  }

  /** Resolves when nothing is in flight and no client is connected. */
  quiet(): Promise<void> {
    return this.when(() => {
      const { connections, requests, tunnels } = this.engine.load()
      return connections + requests + tunnels === 0
    })
  }

  stop(): void {
    this.lane?.destroy()
    this.engine.destroy()
    this.#front.close()
    for (const { socket } of this.#clients) socket.destroy()
    for (const upstream of this.#upstreams) upstream.stop()
  }
}

interface BenchParts {
  readonly upstream: RawUpstream
  readonly front: Server
  readonly port: number
  readonly origin: ConnectionOrigin
  readonly shop: Shop
  readonly http2: Http2Settings | undefined
  readonly isSecure: boolean
  readonly upstreamPair: KeyPair | undefined
}

/** What `HOST` is: its routes, and how the backend behind them differs from the smallest one. */
interface Shop {
  readonly routes: readonly Route[]
  readonly backend: Partial<Backend>
}

function shopOf({ routes, policy, backend: fields = {} }: BenchOptions): Shop {
  return { routes: routes ?? [prefix('', { id: 'shop', ...(policy && { policy }) })], backend: fields }
}

/** A request of `HOST` with its empty line and `body`. */
export function request(method: string, path: string, lines: readonly string[] = [], body = ''): string {
  return `${[`${method} ${path} HTTP/1.1`, `Host: ${HOST}`, ...lines].join('\r\n')}\r\n\r\n${body}`
}

/** The header lines of the first head in `text`, without its first line. */
export function linesOf(text: string): readonly string[] {
  return text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1)
}

/** The first line of the first head in `text`. */
export function lineOf(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf('\r\n')))
}

/** What stands behind the first head in `text`. */
export function bodyOf(text: string): string {
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? '' : text.slice(end + 4)
}

/** The value of the first field of this name (in any case); `undefined` where there is none. */
export function fieldOf(text: string, name: string): string | undefined {
  const line = linesOf(text).find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  return line?.slice(name.length + 1).trim()
}

function servedPair(
  addresses: readonly string[],
  refusing: Readonly<Record<string, RefusalReason>>,
  shop: Shop,
  previous?: ServedPair,
): ServedPair {
  const endpoints: Endpoint[] = addresses.map((address) => endpoint(address))
  const routes = routeTable(
    [
      virtualHost(HOST, shop.routes),
      ...Object.entries(refusing).map(([host, reason]) => virtualHost(host, [refusingRoute(host, reason)])),
    ],
    { backends: new Map([[BACKEND, backend(BACKEND, shop.backend)]]) },
  )
  return servedPairOf({
    routes,
    endpoints: endpointTable({ [BACKEND]: endpoints }),
    routeSlots: new Map([['shop', ROUTE_SLOT]]),
    endpointSlots: new Map(addresses.map((address, index) => [address, index + 1])),
    number: (previous?.generation ?? 0) + 1,
    ...(previous && { ways: previous.ways }),
  })
}

function refusingRoute(host: string, reason: RefusalReason): Route {
  return prefix('', { id: host, action: { kind: 'refuse', reason } })
}
