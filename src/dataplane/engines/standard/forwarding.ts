// One request on its way to an endpoint: which one, and whether again (R20-127 to R20-130).
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HeaderIndex, HeaderList } from '../../../http/header-list.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import { pickEndpoint } from '../../../router/health.ts'
import { afterFailedTry } from '../../../router/retry-rule.ts'
import type { ServedPair } from '../../engine.ts'
import type { ConnectFailure } from '../../errors.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName } from '../../own-answers.ts'
import { Attempt, type AttemptEvents, type AttemptRequest, type TryFault } from './attempt.ts'
import type { EngineContext } from './context.ts'
import type { RequestBody } from './request-body.ts'

/** Where a request goes: one pair, one backend and one head for all its tries (R20-130). */
export interface Course {
  readonly pair: ServedPair
  readonly backend: string
  /** What endpoints are picked by. */
  readonly point: number
  readonly message: AttemptRequest
  readonly body: RequestBody
}

export interface ForwardingEvents {
  /** The connection stands; the request goes out on it. */
  sent(): void
  interim(status: number, fields: HeaderList): void
  responded(response: IncomingMessage): void
  upgraded(response: IncomingMessage, socket: Socket, early: Buffer): void
  /** No endpoint will answer; what the client is told instead. */
  failed(answer: AnswerName): void
}

export class Forwarding {
  readonly #context: EngineContext
  readonly #course: Course
  readonly #record: ExchangeRecord
  readonly #events: ForwardingEvents
  readonly #tried: Endpoint[] = []
  #attempt: Attempt | undefined
  #connects = 0
  #reusedRetries = 0

  constructor(context: EngineContext, course: Course, record: ExchangeRecord, events: ForwardingEvents) {
    this.#context = context
    this.#course = course
    this.#record = record
    this.#events = events
  }

  /** Whether no connection stands yet: that wait has its own deadline. */
  get isConnecting(): boolean {
    return this.#attempt?.isConnecting ?? true
  }

  start(): void {
    this.#tryNext('no-endpoint')
  }

  /** Ends the try that runs, and its connection unless the exchange on it is complete. */
  abort(): void {
    this.#attempt?.abort()
    this.#record.leftEndpoint()
  }

  /** Remembers how long the upstream keeps a connection that is not used. */
  noteKeepAlive(response: IncomingMessage, index: HeaderIndex): void {
    const [announced] = index.values('keep-alive')
    if (announced !== undefined) this.#attempt?.agent.noteKeepAlive(response.socket, announced)
  }

  /** Tries an endpoint that was not tried yet; `otherwise` is the answer where there is none. */
  #tryNext(otherwise: AnswerName): void {
    const { pair, backend, point } = this.#course
    const { deps, health } = this.#context
    const endpoint = pickEndpoint(pair.balancers, health, {
      backend,
      point,
      tried: this.#tried,
      nowMs: deps.clock.monotonicMs(),
    })
    if (!endpoint) {
      this.#events.failed(otherwise)
      return
    }
    this.#tried.push(endpoint)
    this.#try(endpoint)
  }

  #try(endpoint: Endpoint): void {
    this.#connects += 1
    this.#record.chosen(endpoint, this.#course.backend)
    const agent = this.#context.pool.agentFor(endpoint)
    try {
      this.#attempt = new Attempt(endpoint, agent, this.#course.message, this.#attemptEvents(endpoint))
    } catch {
      // The serializer of node:http found a name or value that could split a message (R20-47).
      this.#record.leftEndpoint()
      this.#events.failed('malformed')
    }
  }

  #attemptEvents(endpoint: Endpoint): AttemptEvents {
    return {
      connected: (request) => {
        this.#record.sent(this.#context.deps.clock.monotonicMs())
        this.#context.health.succeeded(endpoint.address)
        this.#events.sent()
        this.#course.body.sendTo(request)
      },
      interim: (status, fields) => this.#events.interim(status, fields),
      responded: (response) => this.#events.responded(response),
      upgraded: (response, socket, early) => this.#events.upgraded(response, socket, early),
      failed: (fault) => this.#tryFailed(fault, endpoint),
    }
  }

  #connectFailed({ address }: Endpoint, failure: ConnectFailure): void {
    const { deps, health } = this.#context
    this.#record.connectFailed(failure)
    // `other` is as likely our own fault, no descriptor for one.
    if (failure !== 'other') health.failed(address, deps.clock.monotonicMs())
  }

  #tryFailed(fault: TryFault, endpoint: Endpoint): void {
    this.#record.leftEndpoint()
    this.#course.body.detach()
    if (fault.kind === 'connect') this.#connectFailed(endpoint, fault.fault.failure)
    const next = afterFailedTry(
      {
        method: this.#course.message.method,
        failure: fault.kind,
        canReplayBody: this.#course.body.canReplay,
        connects: this.#connects,
        reusedRetries: this.#reusedRetries,
      },
      this.#context.deps.settings.maxConnectAttempts,
    )
    switch (next) {
      case 'other-endpoint':
        this.#record.count('retriesConnect')
        this.#tryNext(answerTo(fault))
        return
      case 'fresh-connection':
        this.#record.count('retriesReused')
        this.#reusedRetries += 1
        // The other idle connections of this endpoint are no better, so the next one is fresh.
        this.#attempt?.agent.closeIdle()
        this.#try(endpoint)
        return
      case 'give-up':
        this.#events.failed(answerTo(fault))
    }
  }
}

function answerTo(fault: TryFault): AnswerName {
  switch (fault.kind) {
    case 'connect':
      return fault.fault.status === 504 ? 'connect-timeout' : 'no-connection'
    case 'reused':
    case 'broken':
      return 'upstream-fault'
  }
}
