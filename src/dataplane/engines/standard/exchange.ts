// One request with its response: the pump of the standard engine. It decides nothing; it asks and carries out.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fieldBytes, type HeaderList } from '../../../http/header-list.ts'
import { checkResponse, looksLikeTunnel } from '../../../http/response-check.ts'
import { ExchangeDeadlines } from '../../exchange-deadlines.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, type OwnAnswer, ownAnswer } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import { ClientResponse } from './client-response.ts'
import type { EngineContext } from './context.ts'
import type { ExchangeHost, ExchangeMessage, UpgradeOffer } from './exchange-host.ts'
import { type Course, Forwarding } from './forwarding.ts'
import { Reception, type ReceptionOwner } from './reception.ts'
import { RequestBody } from './request-body.ts'
import { ResponseBody } from './response-body.ts'

/** `gathering`: the body is read. `trying`: no response head yet. `responding`: an upstream's body runs. `answered`: all of the answer is written. */
type Phase = 'begun' | 'gathering' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

export class Exchange {
  readonly #context: EngineContext
  readonly #host: ExchangeHost
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upgrade: UpgradeOffer | undefined
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #reception: Reception
  readonly #client: ClientResponse
  readonly #deadlines: ExchangeDeadlines
  #forwarding: Forwarding | undefined
  #relay: ResponseBody | undefined
  #phase: Phase = 'begun'
  #headBytes = 0

  constructor(context: EngineContext, host: ExchangeHost, message: ExchangeMessage) {
    this.#context = context
    this.#host = host
    this.#request = message.request
    this.#response = message.response
    this.#upgrade = message.upgrade
    const record = new ExchangeRecord(context)
    record.begun()
    const body = new RequestBody(message.request, context, this.#bodyEvents())
    this.#record = record
    this.#body = body
    this.#reception = new Reception({ context, host, message, record, body, owner: this.#receptionOwner() })
    this.#client = new ClientResponse({ context, host, message, record })
    const { limits } = this.#reception
    this.#deadlines = new ExchangeDeadlines(context.limits, limits, context.deps.clock.monotonicMs())
  }

  /** Whether the request has been read to its end. */
  get hasWholeRequest(): boolean {
    return this.#request.complete
  }

  /** `bodyFault`: what is wrong with the body, where that is known; the head has its say before it. */
  start(bodyFault: AnswerName | undefined): void {
    this.#response.on('finish', () => this.#finished())
    this.#reception.receive(bodyFault)
  }

  /** The request's body turned out to be malformed: nothing of it is completed upstream (R71-3). */
  requestBroken(name: AnswerName): void {
    if (this.#phase === 'begun' || this.#phase === 'gathering' || this.#phase === 'trying') this.#answer(name)
    else if (this.#phase === 'responding') this.#cut()
    else this.#host.close()
  }

  /** The client took what was written for it; told where node:http does not see it. */
  drained(): void {
    this.#response.emit('drain')
  }

  /** The client's connection is gone. */
  connectionClosed(): void {
    if (this.#phase === 'tunnel') return
    this.#forwarding?.abort()
    this.#end()
  }

  /** Acts on a deadline that has passed (R20-79, R20-81, R20-89, R20-110, R20-111). */
  checkDeadline(nowMs: number): void {
    this.#checkBudget()
    if (this.#deadlines.isDrainOver(nowMs)) this.#host.cut()
    else if (this.#phase === 'gathering' || this.#phase === 'trying') this.#checkWaiting(nowMs)
    else if (this.#phase === 'responding' || this.#phase === 'answered') this.#checkResponding(nowMs)
  }

  // Between two movements what waits changes unseen, and what others hold may be free again.
  #checkBudget(): void {
    // A second try is the first thing to be given up: what is kept for it cannot flow off.
    if (this.#context.budget.isSpent) this.#body.forgetKept()
    this.#tellBuffers()
    this.#body.relieve()
    this.#relay?.relieve()
  }

  #tellBuffers(): void {
    if (this.#phase === 'tunnel' || this.#phase === 'ended') return
    this.#headBytes ||= fieldBytes(this.#request.rawHeaders)
    const bodies = this.#body.bufferedBytes + (this.#relay?.bufferedBytes ?? 0)
    this.#host.buffers(this.#headBytes + bodies + (this.#upgrade?.heldBytes ?? 0))
  }

  #receptionOwner(): ReceptionOwner {
    return {
      answer: (name) => this.#answer(name),
      redirect: (answer) => this.#tell(answer),
      routed: (limits) => this.#deadlines.routed(limits),
      gathering: () => {
        this.#phase = 'gathering'
      },
      forward: (course) => this.#forward(course),
    }
  }

  #forward(course: Course): void {
    this.#phase = 'trying'
    this.#forwarding = new Forwarding(this.#context, course, this.#record, {
      sent: () => this.#touch(),
      interim: (status, fields) => this.#relayInterim(status, fields),
      responded: (response) => this.#respond(response),
      upgraded: (response, socket, early) => this.#switch(response, socket, early),
      failed: (answer) => this.#answer(answer),
    })
    this.#forwarding.start()
  }

  #relayInterim(status: number, fields: HeaderList): void {
    this.#touch()
    this.#client.relayInterim(status, fields)
  }

  #respond(upstream: IncomingMessage): void {
    upstream.on('error', () => undefined)
    const { statusCode: status = 0, statusMessage: reason = '', rawHeaders: fields } = upstream
    const method = this.#reception.checked?.method ?? ''
    const checked = checkResponse({ status, fields, method }, this.#context.limits.maxResponseHeaders)
    if (!checked) {
      if (this.#forwarding?.goesOn('invalid') !== true) this.#answer('upstream-fault')
      return
    }
    if (this.#host.isStream && this.#upgrade && looksLikeTunnel(status)) {
      this.#answer('upstream-fault')
      return
    }
    this.#record.headed(status)
    this.#body.forgetKept()
    this.#forwarding?.noteKeepAlive(upstream, checked.index)
    const head = this.#client.relayHead({ ...checked, status, reason })
    if (head) this.#relayBody(upstream, head.isChunked)
    else this.#answer('upstream-fault')
  }

  #relayBody(upstream: IncomingMessage, takesTrailers: boolean): void {
    this.#phase = 'responding'
    this.#relay = new ResponseBody(upstream, this.#response, {
      context: this.#context,
      takesTrailers,
      moved: () => this.#touch(),
      received: () => this.#received(),
      cut: () => this.#cut(),
      trailersDropped: (count) => this.#record.count('droppedTrailer', count),
    })
    this.#relay.start()
  }

  #switch(response: IncomingMessage, socket: Socket, early: Buffer): void {
    if (!this.#upgrade) {
      socket.destroy()
      this.#answer('upstream-fault')
      return
    }
    this.#record.headed(101)
    this.#record.interim()
    this.#record.settled()
    this.#phase = 'tunnel'
    this.#host.buffers(0)
    const { tunnelIdleTimeoutMs: idleTimeoutMs } = this.#reception.limits
    this.#upgrade.accept(response, socket, early, { idleTimeoutMs, ended: () => this.#end() })
  }

  /** Answers by ourselves; where an answer has begun already, only a cut is left. */
  #answer(name: AnswerName): void {
    this.#forwarding?.abort()
    if (this.#client.hasBegun) {
      this.#host.cut()
      return
    }
    const field = refusalField(name)
    if (field) this.#record.count(field)
    this.#tell(ownAnswer(name, this.#reception.isGrpc ? 'grpc' : 'text'))
  }

  #tell(answer: OwnAnswer): void {
    this.#phase = 'answered'
    this.#touch()
    this.#client.tell(answer, this.#hasMuchUnread())
    this.#drainRequest()
  }

  #hasMuchUnread(): boolean {
    const framing = this.#reception.checked?.framing
    return framing?.kind === 'length' && framing.bytes > this.#context.limits.drainBytes && !this.#request.complete
  }

  /** The upstream's response is complete; what is left of the request has no reader any more. */
  #received(): void {
    this.#touch()
    this.#phase = 'answered'
    if (this.#body.isEnded) this.#record.leftEndpoint()
    else this.#forwarding?.abort()
    this.#drainRequest()
  }

  #drainRequest(): void {
    const { limits, deps } = this.#context
    this.#body.drain(limits.drainBytes)
    if (!this.#body.isEnded) this.#deadlines.drains(deps.clock.monotonicMs())
  }

  #finished(): void {
    this.#record.completed()
    if (this.#body.isEnded) this.#end()
  }

  #cut(): void {
    this.#forwarding?.abort()
    this.#host.cut()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#record.ended()
    this.#host.exchangeEnded(this.#client.isLast)
  }

  #bodyEvents(): ConstructorParameters<typeof RequestBody>[2] {
    return {
      moved: () => this.#touch(),
      refused: (answer) => this.#answer(answer),
      ended: () => {
        this.#touch()
        if (this.#client.isFinished) this.#end()
      },
      drainExceeded: () => this.#host.cut(),
      trailersDropped: (count) => this.#record.count('droppedTrailer', count),
    }
  }

  #touch(): void {
    this.#deadlines.moved(this.#context.deps.clock.monotonicMs())
    this.#tellBuffers()
  }

  #checkWaiting(nowMs: number): void {
    const overdue = this.#deadlines.overdue(nowMs, {
      // Who waits for a 100 owes nothing until it comes.
      forClient: !this.#body.isEnded && !this.#body.isHeld && !this.#client.awaitsContinue,
      isSending: this.#body.isHeld,
      isConnecting: this.#forwarding?.isConnecting ?? false,
      isGrpc: this.#reception.isGrpc,
      bodyBytes: this.#body.bytes,
    })
    if (overdue === 'client') this.#answer('body-too-slow')
    if (overdue !== 'upstream') return
    this.#record.count('timeoutHead')
    this.#touch()
    if (this.#forwarding?.goesOn('timeout') !== true) this.#answer('response-timeout')
  }

  #checkResponding(nowMs: number): void {
    const forClient = this.#phase === 'answered' || (this.#relay?.waitsForClient ?? false)
    if (!this.#deadlines.isStalled(nowMs, forClient)) return
    this.#record.count(forClient ? 'refusedSendTimeout' : 'timeoutBody')
    this.#cut()
  }
}
