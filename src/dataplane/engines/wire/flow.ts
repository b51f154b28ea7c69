// The two streams of bytes of an exchange: each goes out of the one output, and its source is held back where its sink is
// full or the budget is spent (R20-121, R20-126).
import type { WireContext } from './context.ts'
import type { ExchangeHost } from './exchange-host.ts'
import type { Forwarding } from './forwarding.ts'
import type { RequestBody } from './request-body.ts'
import { Valve } from './valve.ts'

export interface FlowParts {
  readonly context: WireContext
  readonly client: ExchangeHost
  readonly body: RequestBody
  readonly forwarding: Forwarding
}

export class Flow {
  readonly #context: WireContext
  readonly #client: ExchangeHost
  readonly #body: RequestBody
  readonly #forwarding: Forwarding
  readonly #requestValve: Valve
  readonly #responseValve: Valve

  constructor({ context, client, body, forwarding }: FlowParts) {
    this.#context = context
    this.#client = client
    this.#body = body
    this.#forwarding = forwarding
    this.#requestValve = new Valve(context, {
      pause: () => client.intake.pause(),
      resume: () => client.readOn(),
    })
    this.#responseValve = new Valve(context, {
      pause: () => forwarding.upstream?.connection.pause(),
      resume: () => forwarding.upstream?.connection.resume(),
    })
  }

  /** Whether the client is held back, since the upstream takes nothing. */
  get isRequestHeld(): boolean {
    return this.#requestValve.isHeld
  }

  /** Whether the upstream is held back, since the client takes nothing. */
  get isResponseHeld(): boolean {
    return this.#responseValve.isHeld
  }

  /** Begins with another exchange. */
  reset(): void {
    this.#requestValve.reset()
    this.#responseValve.reset()
  }

  /** The request has another sink, or none: what held it back is gone. */
  resetRequest(): void {
    this.#requestValve.reset()
  }

  /** Sends what is in the output to the upstream, where there is one: it is no use to anybody else. */
  sendUpstream(): void {
    const { upstream } = this.#forwarding
    const { output } = this.#context
    if (output.length > 0 && upstream) {
      const { connection } = upstream
      output.sendTo(connection)
      const waiting = connection.queuedBytes
      this.#requestValve.wrote(waiting)
      if (waiting > 0) this.tellBuffers()
    }
    output.cut(0)
    if (this.#body.keptBytes > 0) this.tellBuffers()
  }

  /** Sends what is in the output to the client. */
  sendClient(): void {
    const { connection } = this.#client
    this.#context.output.sendTo(connection)
    const waiting = connection.queuedBytes
    if (waiting === 0) return
    this.tellBuffers()
    this.#responseValve.wrote(waiting)
  }

  upstreamDrained(): void {
    this.#requestValve.drained()
    this.tellBuffers()
  }

  clientDrained(): void {
    this.#responseValve.drained()
    this.tellBuffers()
  }

  /** To be called from time to time: what waits changes unseen, and what others hold may be free again. */
  check(): void {
    // A second try is the first thing to be given up: what is kept for it cannot flow off.
    if (this.#context.budget.isSpent) this.#body.forgetKept()
    this.tellBuffers()
    this.#requestValve.relieve(this.#forwarding.upstream?.connection.queuedBytes ?? 0)
    this.#responseValve.relieve(this.#client.connection.queuedBytes)
  }

  /** Tells the connection how much waits. */
  tellBuffers(): void {
    const sent = this.#forwarding.bufferedBytes + this.#body.keptBytes
    this.#client.buffers(sent + this.#client.connection.queuedBytes)
  }
}
