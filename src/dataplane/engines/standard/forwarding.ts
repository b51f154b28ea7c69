// One request on its way to an endpoint: which one, and whether again (R20-127 to R20-130).
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HeaderIndex, HeaderList } from '../../../http/header-list.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import type { RetryPolicy } from '../../../model/policy.ts'
import type { TryFailure } from '../../../router/retry-rule.ts'
import type { ServedPair } from '../../engine.ts'
import type { ConnectFailure } from '../../errors.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName } from '../../own-answers.ts'
import { retryField, Tries } from '../../tries.ts'
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
  readonly retry: RetryPolicy
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
  readonly #tries: Tries
  #attempt: Attempt | undefined
  /** Whether an interim response came. */
  #hasSpoken = false
  /** The next try waits for it. */
  #timer: NodeJS.Timeout | undefined

  constructor(context: EngineContext, course: Course, record: ExchangeRecord, events: ForwardingEvents) {
    this.#context = context
    this.#course = course
    this.#record = record
    this.#events = events
    this.#tries = new Tries(context)
  }

  /** Whether no connection stands yet: that wait has its own deadline. */
  get isConnecting(): boolean {
    return this.#attempt?.isConnecting ?? true
  }

  start(): void {
    const { pair, backend, point, message, retry } = this.#course
    this.#tries.begin({ pair, backend, point, method: message.method, retry })
    const endpoint = this.#tries.next()
    if (endpoint) this.#try(endpoint)
    else this.#events.failed('no-endpoint')
  }

  /** Ends the try that runs, and its connection unless the exchange on it is complete. */
  abort(): void {
    clearTimeout(this.#timer)
    this.#attempt?.abort()
    this.#record.leftEndpoint()
  }

  /** Remembers how long the upstream keeps a connection that is not used. */
  noteKeepAlive(response: IncomingMessage, index: HeaderIndex): void {
    const [announced] = index.values('keep-alive')
    if (announced !== undefined) this.#attempt?.agent.noteKeepAlive(response.socket, announced)
  }

  /** The try took too long, or its response is none: whether another one follows it. */
  goesOn(failure: 'timeout' | 'invalid'): boolean {
    return this.#endpointAfter(failure, (endpoint) => {
      this.#attempt?.abort()
      this.#tryAfter(failure, endpoint)
    })
  }

  /** Not behind an interim response, which the client has: a second one would follow it (R20-129). */
  get #canTryAgain(): boolean {
    return !this.#hasSpoken && this.#course.body.canReplay
  }

  /** Asks another endpoint, if there is one to ask; whether it does. */
  #endpointAfter(failure: TryFailure, ask: (endpoint: Endpoint) => void): boolean {
    const next = this.#tries.after(failure, this.#canTryAgain)
    const endpoint = next === 'other-endpoint' ? this.#tries.next() : undefined
    if (endpoint) ask(endpoint)
    return endpoint !== undefined
  }

  #tryAfter(failure: TryFailure, endpoint: Endpoint): void {
    this.#record.leftEndpoint()
    this.#course.body.detach()
    this.#record.count(retryField(failure))
    const { waitMs } = this.#tries
    this.#attempt = undefined
    if (waitMs === 0) this.#try(endpoint)
    else this.#timer = setTimeout(() => this.#try(endpoint), waitMs)
  }

  #try(endpoint: Endpoint): void {
    this.#record.chosen(endpoint, this.#course.backend)
    const agent = this.#context.pool.agentFor(endpoint, this.#course.pair.ways.get(this.#course.backend))
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
        this.#record.sent()
        this.#context.health.succeeded(endpoint.address)
        this.#events.sent()
        this.#course.body.sendTo(request)
      },
      interim: (status, fields) => {
        this.#hasSpoken = true
        this.#events.interim(status, fields)
      },
      responded: (response) => this.#responded(response),
      upgraded: (response, socket, early) => this.#events.upgraded(response, socket, early),
      failed: (fault) => this.#tryFailed(fault, endpoint),
    }
  }

  /** A response whose status the route's author does not want to see goes to nobody, as long as there is another to ask. */
  #responded(response: IncomingMessage): void {
    const { statusCode: status = 0 } = response
    const isDropped = this.#endpointAfter(status, (endpoint) => {
      response.on('error', () => undefined)
      response.destroy()
      this.#record.headed(status)
      this.#tryAfter(status, endpoint)
    })
    if (!isDropped) this.#events.responded(response)
  }

  #connectFailed({ address }: Endpoint, failure: ConnectFailure): void {
    const { deps, health } = this.#context
    this.#record.connectFailed(failure)
    // `other` is as likely our own fault, no descriptor for one.
    if (failure !== 'other') health.failed(address, deps.clock.monotonicMs())
  }

  #tryFailed(fault: TryFault, endpoint: Endpoint): void {
    if (fault.kind === 'connect') this.#connectFailed(endpoint, fault.fault.failure)
    const failure = failureOf(fault)
    switch (this.#tries.after(failure, this.#canTryAgain)) {
      case 'other-endpoint': {
        const next = this.#tries.next()
        if (next) this.#tryAfter(failure, next)
        else this.#giveUp(fault)
        return
      }
      case 'fresh-connection':
        // The other idle connections of this endpoint are no better, so the next one is fresh.
        this.#attempt?.agent.closeIdle()
        this.#record.leftEndpoint()
        this.#course.body.detach()
        this.#record.count(retryField(failure))
        this.#try(endpoint)
        return
      case 'give-up':
        this.#giveUp(fault)
    }
  }

  #giveUp(fault: TryFault): void {
    this.#record.leftEndpoint()
    this.#course.body.detach()
    this.#events.failed(answerTo(fault))
  }
}

function failureOf(fault: TryFault): TryFailure {
  if (fault.kind !== 'connect') return fault.kind
  return fault.fault.failure === 'timeout' ? 'connect-timeout' : 'connect'
}

function answerTo(fault: TryFault): AnswerName {
  switch (fault.kind) {
    case 'connect':
      return fault.fault.failure === 'timeout' ? 'connect-timeout' : 'no-connection'
    case 'reused':
    case 'broken':
    case 'invalid':
    case 'refused-stream':
    case 'goaway':
      return 'upstream-fault'
  }
}
