// Relays connections that pass unread: the server name has chosen the backend, one endpoint gets all bytes (R21-30).
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../../http/forwarded.ts'
import type { Cancel, Timers } from '../../lib/timers.ts'
import { hashPoint } from '../../router/balance/hash-key.ts'
import { EndpointHealth } from '../../router/health.ts'
import { DEFAULT_RETRY } from '../../router/retry-rule.ts'
import type { AddressSet, ConnectionOrigin, EngineDeps, ServedPair } from '../engine.ts'
import type { EngineLimits } from '../engine-limits.ts'
import { Tunnel } from '../upgrade.ts'
import { RelayedConnection, type RelayParts } from './relayed-connection.ts'

export interface PassthroughDeps {
  readonly engineDeps: EngineDeps
  readonly limits: EngineLimits
  readonly timers: Timers
}

/** A client, what it sent until it was decided, and where it goes. */
export interface PassedClient {
  readonly socket: Socket
  readonly hello: Buffer
  readonly origin: ConnectionOrigin
  readonly host: string | undefined
  readonly backend: string
}

export class Passthrough {
  readonly #deps: PassthroughDeps
  readonly #parts: RelayParts
  readonly #tunnels = new Set<Tunnel>()
  readonly #connecting = new Set<RelayedConnection>()
  #cancelCheck: Cancel | undefined

  constructor(deps: PassthroughDeps) {
    this.#deps = deps
    const { engineDeps, limits } = deps
    const health = new EndpointHealth(limits.failTimeoutMs, engineDeps.failedChecks)
    const { clock } = engineDeps
    this.#parts = {
      deps: engineDeps,
      health,
      time: {
        get nowMs(): number {
          return clock.monotonicMs()
        },
      },
    }
  }

  /** Tunnels that are open, and connections that wait for their endpoint. */
  get tunnels(): number {
    return this.#tunnels.size + this.#connecting.size
  }

  /** Connects `client` to an endpoint of its backend and relays until both are done; closes it where none is left. */
  relay(client: PassedClient): void {
    const pair = this.#deps.engineDeps.current()
    const { socket, hello, backend } = client
    const plan = { pair, backend, point: this.#pointOf(pair, client), method: '', retry: DEFAULT_RETRY }
    const connection = new RelayedConnection(this.#parts, {
      client: socket,
      plan,
      connected: (upstream, ended) => this.#open({ socket, upstream, hello, ended }),
      settled: () => void this.#connecting.delete(connection),
    })
    this.#connecting.add(connection)
    connection.start()
  }

  /** Forgets what it knew of endpoints that are gone. */
  pairAssigned(served: AddressSet): void {
    this.#parts.health.retain(served)
  }

  /** Cuts all that is open. */
  destroy(): void {
    this.#cancelCheck?.()
    for (const connection of this.#connecting) connection.destroy()
    for (const tunnel of this.#tunnels) tunnel.destroy()
  }

  #open({ socket, upstream, hello, ended }: OpenTunnel): void {
    const { engineDeps, limits } = this.#deps
    const { counters, clock } = engineDeps
    const tunnel = new Tunnel(socket, upstream, {
      idleTimeoutMs: limits.tunnelIdleTimeoutMs,
      nowMs: () => clock.monotonicMs(),
      closed: () => {
        if (this.#tunnels.delete(tunnel)) counters.addProcess('tunnels', -1)
        ended()
      },
    })
    this.#tunnels.add(tunnel)
    counters.addProcess('tunnels', 1)
    tunnel.open({ toUpstream: [hello], toClient: [] })
    this.#cancelCheck ??= this.#deps.timers.after(limits.checkIntervalMs, () => this.#check())
  }

  #check(): void {
    const nowMs = this.#deps.engineDeps.clock.monotonicMs()
    for (const tunnel of this.#tunnels) tunnel.check(nowMs)
    const { timers, limits } = this.#deps
    this.#cancelCheck = this.#tunnels.size > 0 ? timers.after(limits.checkIntervalMs, () => this.#check()) : undefined
  }

  /** Of a request there is no more than who sent it and for which host. */
  #pointOf({ balancers }: ServedPair, { backend, host = '', origin, socket }: PassedClient): number {
    const key = balancers.keyOf(backend)
    if (key === undefined) return this.#deps.engineDeps.random()
    const remoteAddress = origin.proxied?.address ?? plainAddress(socket.remoteAddress ?? '')
    return hashPoint(key, { host, path: '', query: '', remoteAddress, header: () => undefined })
  }
}

interface OpenTunnel {
  readonly socket: Socket
  readonly upstream: Duplex
  readonly hello: Buffer
  /** The endpoint is free of it. */
  readonly ended: () => void
}
