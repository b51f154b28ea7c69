// The way of one passed connection to its endpoint: connects are tried again, and nothing else is (R21-30).
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from '../../model/endpoint-table.ts'
import type { EngineParts } from '../engine-parts.ts'
import { countConnectFailure } from '../exchange-record.ts'
import { retryField, Tries, type TryPlan } from '../tries.ts'
import { type ConnectFault, connectEndpoint } from '../upstream/connect.ts'

/** What the tries of all relayed connections share. */
export type RelayParts = Pick<EngineParts, 'deps' | 'health' | 'time'>

export interface RelayOptions {
  /** Paused; it has its `error` listener. */
  readonly client: Socket
  readonly plan: TryPlan
  /** An endpoint took the connection. `ended` is to be called once when it is done with it. */
  readonly connected: (upstream: Duplex, ended: () => void) => void
  /** No further try is made, with or without an endpoint. */
  readonly settled: () => void
}

export class RelayedConnection {
  readonly #parts: RelayParts
  readonly #options: RelayOptions
  readonly #tries: Tries
  readonly #clientClosed = (): void => this.destroy()
  #upstream: Duplex | undefined
  #isSettled = false

  constructor(parts: RelayParts, options: RelayOptions) {
    this.#parts = parts
    this.#options = options
    this.#tries = new Tries(parts)
  }

  /** Begins the first try. Until `settled` the pair is held. */
  start(): void {
    const { client, plan } = this.#options
    this.#parts.deps.holds.hold(plan.pair)
    client.once('close', this.#clientClosed)
    this.#tries.begin(plan)
    this.#try()
  }

  /** Gives up: no endpoint, or no client. */
  destroy(): void {
    if (!this.#settle()) return
    this.#upstream?.destroy()
    this.#options.client.destroy()
  }

  #try(): void {
    const endpoint = this.#tries.next()
    if (!endpoint) {
      this.destroy()
      return
    }
    const { deps } = this.#parts
    const { connectTimeoutMs, connectionBufferBytes } = deps.settings
    const leave = this.#enter(endpoint)
    const options = { timeoutMs: connectTimeoutMs, bufferBytes: connectionBufferBytes }
    this.#upstream = connectEndpoint(endpoint, options, (fault, upstream) => {
      if (fault) leave()
      if (this.#isSettled) {
        if (!fault) leave()
        upstream.destroy()
      } else if (fault) this.#failed(endpoint, fault)
      else this.#connected(endpoint, upstream, leave)
    })
  }

  /** Counts the endpoint as in use; the result takes that back, once. */
  #enter({ address }: Endpoint): () => void {
    const { counters } = this.#parts.deps
    const slot = this.#options.plan.pair.endpointSlots.get(address)
    if (slot === undefined) return () => undefined
    counters.add(slot, 'inFlight', 1)
    let isIn = true
    return () => {
      if (isIn) counters.add(slot, 'inFlight', -1)
      isIn = false
    }
  }

  #connected({ address }: Endpoint, upstream: Duplex, leave: () => void): void {
    const { deps, health } = this.#parts
    const slot = this.#options.plan.pair.endpointSlots.get(address)
    if (slot !== undefined) deps.counters.add(slot, 'requests', 1)
    health.succeeded(address)
    this.#settle()
    this.#options.connected(upstream, leave)
  }

  #failed({ address }: Endpoint, { failure }: ConnectFault): void {
    const { deps, health, time } = this.#parts
    countConnectFailure(deps.counters, failure, this.#options.plan.pair.endpointSlots.get(address))
    if (failure !== 'other') health.failed(address, time.nowMs)
    const kind = failure === 'timeout' ? 'connect-timeout' : 'connect'
    if (this.#tries.after(kind, true) === 'give-up') {
      this.destroy()
      return
    }
    deps.counters.addProcess(retryField(kind), 1)
    this.#try()
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    const { client, plan, settled } = this.#options
    client.off('close', this.#clientClosed)
    this.#parts.deps.holds.release(plan.pair)
    settled()
    return true
  }
}
