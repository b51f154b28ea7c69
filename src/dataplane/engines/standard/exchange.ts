// One request with its response: the pump of the standard engine. It decides nothing; it asks and carries out.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isForgottenProxy, requestScheme } from '../../../http/forwarded.ts'
import { namesGrpcType } from '../../../http/grpc.ts'
import { fieldBytes, HeaderIndex, type HeaderList, listTokens } from '../../../http/header-list.ts'
import {
  type CheckedRequest,
  checkRequest,
  isTypeKnown,
  type RequestFault,
  type RequestLimits,
} from '../../../http/request-check.ts'
import { upstreamRequestHead } from '../../../http/request-head.ts'
import { checkResponse, looksLikeTunnel } from '../../../http/response-check.ts'
import { downstreamResponseHead, interimFields } from '../../../http/response-head.ts'
import { speaksHttp2 } from '../../../model/upstream-tls.ts'
import type { Decision, Forward, HttpsFirst, Redirect } from '../../../router/decision.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import { rewriteRequest } from '../../../router/rewrite.ts'
import { sendOn } from '../../../router/send-on.ts'
import { endpointPoint } from '../../endpoint-point.ts'
import type { ServedPair } from '../../engine.ts'
import { ExchangeDeadlines } from '../../exchange-deadlines.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, answerFields, type OwnAnswer, ownAnswer, redirectAnswer } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import { freshRequestId } from '../../request-id.ts'
import { isBodyTooLarge, type RouteLimits } from '../../route-limits.ts'
import type { EngineContext } from './context.ts'
import type { ExchangeHost, ExchangeMessage, UpgradeOffer } from './exchange-host.ts'
import { type Course, Forwarding } from './forwarding.ts'
import { nodeFields, rawRequest } from './node-fields.ts'
import { RequestBody } from './request-body.ts'
import { ResponseBody } from './response-body.ts'

/** `gathering`: the body is read. `trying`: no response head yet. `responding`: an upstream's body runs. `answered`: all of the answer is written. */
type Phase = 'begun' | 'gathering' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

/** Where a request goes. */
interface Chosen {
  readonly pair: ServedPair
  readonly backend: string
  readonly decision: Forward
}

export class Exchange {
  readonly #context: EngineContext
  readonly #host: ExchangeHost
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upgrade: UpgradeOffer | undefined
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #requestLimits: RequestLimits
  #checked: CheckedRequest | undefined
  #forwarding: Forwarding | undefined
  #relay: ResponseBody | undefined
  #phase: Phase = 'begun'
  #awaitsContinue: boolean
  #isLast = false
  readonly #deadlines: ExchangeDeadlines
  #headBytes = 0
  /** Whether our own answers have the form that gRPC wants. */
  #isGrpc: boolean
  #limits: RouteLimits

  constructor(context: EngineContext, host: ExchangeHost, message: ExchangeMessage) {
    this.#context = context
    this.#host = host
    this.#request = message.request
    this.#response = message.response
    this.#upgrade = message.upgrade
    this.#awaitsContinue = message.expectsContinue
    this.#isGrpc = namesGrpcType(message.request.rawHeaders)
    this.#requestLimits = host.isStream ? context.streamRequestLimits : context.requestLimits
    this.#record = new ExchangeRecord(context)
    this.#record.begun()
    this.#body = new RequestBody(message.request, context, this.#bodyEvents())
    this.#limits = context.routeLimits.of(undefined)
    this.#deadlines = new ExchangeDeadlines(context.limits, this.#limits, context.deps.clock.monotonicMs())
  }

  /** Whether the request has been read to its end. */
  get hasWholeRequest(): boolean {
    return this.#request.complete
  }

  /** `bodyFault`: what is wrong with the body, where that is known; the head has its say before it. */
  start(bodyFault: AnswerName | undefined): void {
    this.#response.on('finish', () => this.#finished())
    const checked = checkRequest(rawRequest(this.#request), this.#requestLimits)
    if (!checked.ok) this.#refuse(checked.error)
    else if (bodyFault) this.#answer(bodyFault)
    else if (this.#context.budget.isTight) this.#shed()
    else this.#route(checked.value)
  }

  #refuse(fault: RequestFault): void {
    // What stands behind the last field that may be there was not read, as far as anybody can see.
    const read = this.#request.rawHeaders.slice(0, this.#requestLimits.maxHeaders * 2)
    this.#isGrpc = isTypeKnown(fault) && namesGrpcType(read)
    this.#answer(fault)
  }

  #shed(): void {
    this.#record.count('shedRefused')
    this.#answer('over-budget')
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
    this.#host.buffers(this.#headBytes + this.#body.bufferedBytes + (this.#relay?.bufferedBytes ?? 0))
  }

  #route(checked: CheckedRequest): void {
    this.#checked = checked
    this.#body.expect(checked.framing)
    const { deps, reader } = this.#context
    const pair = deps.current()
    if (this.#host.misdirection?.isMisdirected(pair, checked.host)) {
      this.#answer('misdirected')
      return
    }
    const decision = this.#byScheme(reader.decide(pair.router, checked.host, checked.path, this.#host.memory), checked)
    this.#record.routed(pair, decision)
    switch (decision.kind) {
      case 'respond':
        this.#answer(decision.reason)
        return
      case 'redirect':
      case 'https-first':
        this.#redirect(checked, decision)
        return
      case 'forward': {
        const { action } = decision.route
        const backends = action.kind === 'forward' ? action.backends : []
        const backend = pickWeighted(backends, deps.random())?.backend
        this.#limitTo(this.#context.routeLimits.of(decision.route.policy))
        if (isBodyTooLarge(checked.framing, this.#limits)) this.#answer('body-too-large')
        else if (backend === undefined) this.#answer('no-endpoint')
        else if (this.#isGrpc && !speaksHttp2(pair.routes.backends.get(backend))) this.#answer('grpc-needs-http2')
        else this.#gather(checked, { pair, backend, decision })
      }
    }
  }

  #limitTo(limits: RouteLimits): void {
    this.#limits = limits
    this.#deadlines.routed(limits)
    this.#body.limitTo(limits.maxBodyBytes)
  }

  /**
   * Reads the body first where the route asks for that (R11-71); who waits for a 100 waits for the upstream's (R20-43), and
   * a call of gRPC may go on only when it was answered.
   */
  #gather(checked: CheckedRequest, chosen: Chosen): void {
    const { requestBufferBytes } = this.#limits
    if (requestBufferBytes === 0 || this.#body.isEnded || this.#awaitsContinue || this.#isGrpc) {
      this.#forward(checked, chosen)
      return
    }
    this.#phase = 'gathering'
    this.#body.gather(requestBufferBytes, (length) => {
      const isWhole = length !== undefined && !this.#body.hasTrailers
      this.#forward(isWhole ? { ...checked, framing: { kind: 'length', bytes: length } } : checked, chosen)
    })
  }

  /** What is decided for one that came by https, where it did. */
  #byScheme(decision: Decision, { index }: CheckedRequest): Decision {
    if (decision.kind !== 'https-first') return decision
    return requestScheme(index, this.#host) === 'https' ? decision.secured : decision
  }

  #redirect(checked: CheckedRequest, decision: Redirect | HttpsFirst): void {
    const scheme = requestScheme(checked.index, this.#host)
    const sent = sendOn(decision, { ...checked, scheme }, this.#context.requestLimits)
    if (sent.ok) this.#tell(redirectAnswer(sent.value.status, sent.value.location))
    else this.#answer(sent.error)
  }

  #forward(checked: CheckedRequest, { pair, backend, decision }: Chosen): void {
    const rewritten = rewriteRequest(decision, checked, this.#requestLimits)
    if (!rewritten.ok) {
      this.#answer(rewritten.error)
      return
    }
    const { target, forwardedPrefix } = rewritten.value
    const { index, framing, authority } = checked
    const { peer, port, scheme } = this.#host
    const freshId = freshRequestId(this.#context.deps.random)
    const head = upstreamRequestHead(
      {
        index,
        framing,
        hop: { peer, authority, port, scheme, freshId, prefix: forwardedPrefix },
        upgrade: this.#upgrade !== undefined,
      },
      this.#context.requestRules,
    )
    if (!head.ok) {
      this.#answer('malformed')
      return
    }
    this.#record.dropped(head.value.dropped)
    if (isForgottenProxy(index, peer, this.#context.privateRanges)) this.#record.count('untrustedForwardedFor')
    const message = {
      method: checked.method,
      target,
      fields: head.value.fields,
      maxHeaderBytes: this.#limits.maxResponseHeaderBytes,
      connectTimeoutMs: this.#limits.connectTimeoutMs,
    }
    const picked = { balancers: pair.balancers, backend, request: checked, client: head.value.client }
    const point = endpointPoint(picked, this.#context.deps.random)
    this.#start({ pair, backend, point, message, body: this.#body, retry: this.#limits.retry })
  }

  #start(course: Course): void {
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
    if (this.#response.headersSent || this.#request.httpVersionMinor === 0) return
    this.#record.interim()
    if (status === 100) {
      this.#awaitsContinue = false
      this.#response.writeContinue()
    } else this.#response.writeInformation(status, interimFields(new HeaderIndex(fields)))
  }

  #respond(upstream: IncomingMessage): void {
    upstream.on('error', () => undefined)
    const { statusCode: status = 0, statusMessage = '', rawHeaders: fields } = upstream
    const method = this.#checked?.method ?? ''
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
    const head = downstreamResponseHead({
      ...checked,
      status,
      clientMinorVersion: this.#request.httpVersionMinor,
      closes: this.#decideLast(false),
      date: this.#context.date(),
    })
    // Behind a request that Node's parser has left, nobody else ends the connection with the body.
    if (head.body === 'close') this.#isLast = true
    if (this.#writeHead(status, statusMessage, head.fields)) this.#relayBody(upstream, head.body === 'chunked')
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
    const { tunnelIdleTimeoutMs: idleTimeoutMs } = this.#limits
    this.#upgrade.accept(response, socket, early, { idleTimeoutMs, ended: () => this.#end() })
  }

  /** Answers by ourselves; where an answer has begun already, only a cut is left. */
  #answer(name: AnswerName): void {
    this.#forwarding?.abort()
    if (this.#response.headersSent) {
      this.#host.cut()
      return
    }
    const field = refusalField(name)
    if (field) this.#record.count(field)
    this.#tell(ownAnswer(name, this.#isGrpc ? 'grpc' : 'text'))
  }

  #tell(answer: OwnAnswer): void {
    const fields = answerFields(answer, {
      closes: this.#decideLast(answer.closes || this.#hasMuchUnread()),
      clientMinorVersion: this.#request.httpVersionMinor,
      date: this.#context.date(),
    })
    this.#phase = 'answered'
    this.#touch()
    if (this.#writeHead(answer.status, answer.reason, fields)) this.#response.end(answer.body)
    this.#drainRequest()
  }

  /** False where the serializer found a name or value that could split a message (R20-47); nothing was written. */
  #writeHead(status: number, reason: string, fields: HeaderList): boolean {
    const response = this.#response
    this.#record.settled()
    // Node's own Connection field; ours is among `fields` where one is needed (R20-5).
    response.removeHeader('connection')
    if (this.#request.httpVersionMinor === 0) response.useChunkedEncodingByDefault = false
    try {
      response.writeHead(status, reason, nodeFields(fields))
    } catch {
      return false
    }
    this.#record.answered(status)
    return true
  }

  /** Whether the connection ends with this response. */
  #decideLast(mustBe: boolean): boolean {
    // Whoever waits for a 100 that never came may or may not send the body: only the end of the connection is clear.
    const isUnclear = this.#awaitsContinue || (this.#upgrade?.hasEarlyBytes() ?? false)
    this.#isLast = mustBe || isUnclear || !this.#keepsAlive() || this.#host.mustClose()
    return this.#isLast
  }

  /** Of an HTTP/1.0 client Node takes `Proxy-Connection` for a wish, and `keep-alive` beside `close` (RFC 9112, 9.3). */
  #keepsAlive(): boolean {
    // The parser reads nothing behind a request that it takes for the last, by a field of its trailer too.
    if (!this.#response.shouldKeepAlive || closesInTrailer(this.#request)) return false
    if (this.#request.httpVersionMinor > 0) return true
    const options = listTokens([this.#request.headers.connection ?? ''])
    return options.includes('keep-alive') && !options.includes('close')
  }

  #hasMuchUnread(): boolean {
    const framing = this.#checked?.framing
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
    this.#host.exchangeEnded(this.#isLast)
  }

  #bodyEvents(): ConstructorParameters<typeof RequestBody>[2] {
    return {
      moved: () => this.#touch(),
      refused: (answer) => this.#answer(answer),
      ended: () => {
        this.#touch()
        if (this.#response.writableFinished) this.#end()
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
      forClient: !this.#body.isEnded && !this.#body.isHeld && !this.#awaitsContinue,
      isSending: this.#body.isHeld,
      isConnecting: this.#forwarding?.isConnecting ?? false,
      isGrpc: this.#isGrpc,
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

function closesInTrailer({ rawTrailers }: IncomingMessage): boolean {
  if (rawTrailers.length === 0) return false
  const index = new HeaderIndex(rawTrailers)
  return index.has('connection') || index.has('proxy-connection')
}
