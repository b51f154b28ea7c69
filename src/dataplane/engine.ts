// What every HTTP/1.1 engine is given and must do. The worker owns listeners, pair and counters; an engine owns bytes.
import type { Socket } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { HistogramName, ProcessField, SlotField } from '../model/counters.ts'
import type { RouteTable } from '../model/route-table.ts'
import type { Balancers } from '../router/balance/balancers.ts'
import type { FailedChecks } from '../router/health.ts'
import type { Router } from '../router/router.ts'
import type { BufferBudget } from './buffer-budget.ts'
import type { EngineLimits } from './engine-limits.ts'
import type { AnswerForm, AnswerName } from './own-answers.ts'
import type { Connection, Transport } from './transport/transport.ts'
import type { UpstreamWays } from './upstream/way.ts'

/** The engines that serve HTTP/1.1, by what `--engine` says (R20-1). */
export const ENGINE_NAMES = ['wire', 'standard'] as const
export type EngineName = (typeof ENGINE_NAMES)[number]

/** The pair as a worker serves it: the tables and what was built from them. Immutable but for balancing state. */
export interface ServedPair {
  readonly generation: number
  readonly digest: string
  readonly endpointsVersion: number
  readonly endpointsDigest: string
  readonly routes: RouteTable
  readonly router: Router
  readonly balancers: Balancers
  /** How the endpoints of a backend are reached; those that it does not name, in plain HTTP/1.1. */
  readonly ways: UpstreamWays
  /** Slot of a route's counters, by `Route.id`. */
  readonly routeSlots: ReadonlyMap<string, number>
  /**
   * Slot of an endpoint's counters, by `Endpoint.address`. Also of endpoints that are gone, while a request may choose
   * them from a pair before: what the pair itself has is told by `pairAssigned`.
   */
  readonly endpointSlots: ReadonlyMap<string, number>
}

/** Addresses of endpoints that can be asked for one of them. */
export interface AddressSet {
  has(address: string): boolean
}

/** This worker's column of the counters, and sums over all columns for balancing. Plain memory writes, no lock. */
export interface WorkerCounters {
  add(slot: number, field: SlotField, value: number): void
  addProcess(field: ProcessField, value: number): void
  observe(histogram: HistogramName, seconds: number): void
  /** Requests in flight of an endpoint's slot, over all workers. */
  inFlight(slot: number): number
}

/** Log records leave a worker as messages to the main thread, which writes them (target `proxy`). */
export interface WorkerLog {
  warn(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  debug(fields: LogFields, message: string): void
}
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export interface EngineSettings {
  /** CIDRs whose forwarded set is trusted (R20-50). */
  readonly trustedProxies: readonly string[]
  readonly underscoreHeaders: 'drop' | 'keep' | 'reject'
  readonly encodedSlash: 'keep' | 'reject'
  /** The port clients dial, for X-Forwarded-Port; `undefined`: the port that took the connection (R20-16). */
  readonly publicHttpPort: number | undefined
  /** The same for what came by TLS; absent: the port that took the connection. */
  readonly publicHttpsPort?: number | undefined
  /** The port that clients are sent to for https; `undefined`: 443. */
  readonly redirectPort?: number | undefined
  readonly connectTimeoutMs: number
  readonly maxConnectAttempts: number
  /** Bytes that may wait in one direction of one connection before the other side is paused (R20-121). */
  readonly connectionBufferBytes: number
  /** Bytes that this worker may hold in buffers; `undefined`: any number (R20-122). */
  readonly bufferBudgetBytes?: number | undefined
  /** Sockets of clients and upstreams that may be open; idle upstream ones make room. `undefined`: any number (R20-97). */
  readonly maxSockets?: number | undefined
  /** Where one is absent, that of `DEFAULT_LIMITS`. */
  readonly limits?: Partial<EngineLimits> | undefined
}

/**
 * Which pairs a request may still choose an endpoint from. A slot is given to another route or endpoint only when no
 * held pair names it and nothing is in flight in it (R00-16): so an exchange counts `inFlight` of its route from its
 * decision to its end, and that of its endpoint from the choice to the end; lowering them is the last it does.
 */
export interface PairHolds {
  /** A request has read `pair` and may choose (again) later than in this step. */
  hold(pair: ServedPair): void
  /** It cannot any more: its answer began, it became a tunnel, or it ended. Exactly once for each `hold`. */
  release(pair: ServedPair): void
}

export interface EngineDeps {
  /** The one reference that an assignment replaces. A request reads it once and keeps what it read (R00-13). */
  readonly current: () => ServedPair
  readonly holds: PairHolds
  readonly counters: WorkerCounters
  /** What the main thread's health checks found (R20-151). */
  readonly failedChecks: FailedChecks
  readonly settings: EngineSettings
  readonly clock: Clock
  readonly random: Random
  readonly log: WorkerLog
  /** How the wire engine reads and writes sockets, tested and able to serve; `undefined`: it has no part in this worker. */
  readonly transport?: Transport | undefined
  /** What the worker may hold in buffers, where others count in it as well; absent: the engine's own by the settings. */
  readonly budget?: BufferBudget | undefined
  /**
   * Takes a client that opened in plaintext with the preface of HTTP/2; its bytes are put back into the socket (R20-6).
   * Absent: such a client is told that its version is not served.
   */
  readonly takeHttp2?: ((socket: Socket, origin: ConnectionOrigin) => void) | undefined
}

/** Where a client connection comes from, as far as its socket does not tell. */
export interface ConnectionOrigin {
  /** The port of the listener. */
  readonly localPort: number
  /** What a PROXY header said; `undefined`: there was none, or it keeps the socket's own addresses (R20-163). */
  readonly proxied: ProxiedOrigin | undefined
  /** Absent: it came in plaintext. */
  readonly secure?: SecureOrigin
  /**
   * One stream of a connection that is counted, limited and kept elsewhere: it carries HTTP/1.1 messages that were
   * made from HTTP/2 ones, and the client never sees it (R20-6).
   */
  readonly stream?: StreamOrigin
}

/** What the handshake of a connection agreed on: what 421 is decided by (R21-22, R22-7). */
export interface SecureOrigin {
  /** The name that the client asked for, in the one form; `undefined`: none, or one that is no host. */
  readonly serverName: string | undefined
  /** `digestOfPolicy` of the policy that the handshake was held to. */
  readonly policyDigest: string
}

/** What a stream's request is answered by on its own connection. */
export interface StreamOrigin {
  readonly protocol: 'h2'
  /** The client's end of the connection that the stream is part of. */
  readonly peerAddress: string
  /** Told when no stream of its connection can be served any more, and what is asked on it is misdirected (R21-22). */
  readonly outdated?: (() => void) | undefined
  /** What comes is no message that could be read as one: it is answered so, and not read. */
  readonly refused?: { readonly answer: AnswerName; readonly form: AnswerForm } | undefined
}

/** The two ends of the connection that a load balancer relays, and that count in place of the socket's (R20-49). */
export interface ProxiedOrigin {
  /** The source's address, without brackets; IPv4-mapped ones in their IPv4 form. */
  readonly address: string
  /** The port that was dialled, for X-Forwarded-Port in place of any other (R20-163). */
  readonly port: number
}

export interface EngineLoad {
  /** Client connections open, tunnels left out, and streams: their connections are counted elsewhere. */
  readonly connections: number
  /** Exchanges of which a body has not ended in either direction, those of streams left out. */
  readonly requests: number
  readonly tunnels: number
}

export interface Engine {
  /** Takes over an accepted client connection. The engine owns the socket from here. */
  accept(socket: Socket, origin: ConnectionOrigin): void
  /**
   * The same for a connection of the engine's transport, and the way by which a listener hands over all of its own;
   * absent: this engine takes sockets. The engine sets `events` before it returns. What was read behind a PROXY header
   * then comes by `events.received`, before anything else.
   */
  serve?(connection: Connection, origin: ConnectionOrigin): void
  /**
   * Called in the same step as the assignment: closes the idle upstream sockets of endpoints that are gone (R00-13).
   * `served` has the addresses of the pair's endpoints, and later those of the pair that serves then.
   */
  pairAssigned(pair: ServedPair, served: AddressSet): void
  /** From now on every answer carries `Connection: close` (R20-166). */
  startDraining(): void
  /** Closes the connections on which no request is in flight (R20-167). */
  closeIdle(): void
  /**
   * Something threw out of a callback: whatever it had begun must not end up in what another connection is sent. Called
   * before any other callback runs.
   */
  recover(): void
  /** Cuts what is left: requests, tunnels, upstream sockets, timers. */
  destroy(): void
  load(): EngineLoad
}

export type EngineFactory = (deps: EngineDeps) => Engine
