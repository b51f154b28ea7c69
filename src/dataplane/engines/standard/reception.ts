// From the head of a request to where it goes: what the router says of it, and the head for the endpoint.
import type { IncomingMessage } from 'node:http'
import { isForgottenProxy, requestScheme } from '../../../http/forwarded.ts'
import { namesGrpcType } from '../../../http/grpc.ts'
import {
  type CheckedRequest,
  checkRequest,
  isTypeKnown,
  type RequestFault,
  type RequestLimits,
} from '../../../http/request-check.ts'
import { upstreamRequestHead } from '../../../http/request-head.ts'
import { speaksHttp2 } from '../../../model/upstream-tls.ts'
import type { Decision, Forward, HttpsFirst, Redirect } from '../../../router/decision.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import { rewriteRequest } from '../../../router/rewrite.ts'
import { sendOn } from '../../../router/send-on.ts'
import { endpointPoint } from '../../endpoint-point.ts'
import type { ServedPair } from '../../engine.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, type OwnAnswer, redirectAnswer } from '../../own-answers.ts'
import { freshRequestId } from '../../request-id.ts'
import { isBodyTooLarge, type RouteLimits } from '../../route-limits.ts'
import type { EngineContext } from './context.ts'
import type { ExchangeHost, ExchangeMessage } from './exchange-host.ts'
import type { Course } from './forwarding.ts'
import { rawRequest } from './node-fields.ts'
import type { RequestBody } from './request-body.ts'

/** Who carries out what becomes of the request; one of `answer`, `redirect` and `forward` is called, once. */
export interface ReceptionOwner {
  /** The request is not forwarded; this is what the client is told. */
  answer(name: AnswerName): void
  redirect(answer: OwnAnswer): void
  /** It has a route. */
  routed(limits: RouteLimits): void
  /** Its body is read before an endpoint is asked. */
  gathering(): void
  forward(course: Course): void
}

export interface ReceptionParts {
  readonly context: EngineContext
  readonly host: ExchangeHost
  readonly message: ExchangeMessage
  readonly record: ExchangeRecord
  readonly body: RequestBody
  readonly owner: ReceptionOwner
}

/** Where a request goes. */
interface Chosen {
  readonly pair: ServedPair
  readonly backend: string
  readonly decision: Forward
}

export class Reception {
  readonly #context: EngineContext
  readonly #host: ExchangeHost
  readonly #request: IncomingMessage
  readonly #isUpgrade: boolean
  readonly #awaitsContinue: boolean
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #owner: ReceptionOwner
  readonly #requestLimits: RequestLimits
  #checked: CheckedRequest | undefined
  #isGrpc: boolean
  #limits: RouteLimits

  constructor({ context, host, message, record, body, owner }: ReceptionParts) {
    this.#context = context
    this.#host = host
    this.#request = message.request
    this.#isUpgrade = message.upgrade !== undefined
    this.#awaitsContinue = message.expectsContinue
    this.#record = record
    this.#body = body
    this.#owner = owner
    this.#requestLimits = host.isStream ? context.streamRequestLimits : context.requestLimits
    this.#isGrpc = namesGrpcType(message.request.rawHeaders)
    this.#limits = context.routeLimits.of(undefined)
  }

  /** The request as it was understood; `undefined` where it was not. */
  get checked(): CheckedRequest | undefined {
    return this.#checked
  }

  /** Whether our own answers have the form that gRPC wants. */
  get isGrpc(): boolean {
    return this.#isGrpc
  }

  /** Those of its route, once it has one. */
  get limits(): RouteLimits {
    return this.#limits
  }

  /** `bodyFault`: what is wrong with the body, where that is known; the head has its say before it. */
  receive(bodyFault: AnswerName | undefined): void {
    const checked = checkRequest(rawRequest(this.#request), this.#requestLimits)
    if (!checked.ok) this.#refuse(checked.error)
    else if (bodyFault) this.#owner.answer(bodyFault)
    else if (this.#context.budget.isTight) this.#shed()
    else this.#route(checked.value)
  }

  #refuse(fault: RequestFault): void {
    // What stands behind the last field that may be there was not read, as far as anybody can see.
    const read = this.#request.rawHeaders.slice(0, this.#requestLimits.maxHeaders * 2)
    this.#isGrpc = isTypeKnown(fault) && namesGrpcType(read)
    this.#owner.answer(fault)
  }

  #shed(): void {
    this.#record.count('shedRefused')
    this.#owner.answer('over-budget')
  }

  #route(checked: CheckedRequest): void {
    this.#checked = checked
    this.#body.expect(checked.framing)
    const { deps, reader } = this.#context
    const pair = deps.current()
    if (this.#host.misdirection?.isMisdirected(pair, checked.host)) {
      this.#owner.answer('misdirected')
      return
    }
    const decision = this.#byScheme(reader.decide(pair.router, checked.host, checked.path, this.#host.memory), checked)
    this.#record.routed(pair, decision)
    switch (decision.kind) {
      case 'respond':
        this.#owner.answer(decision.reason)
        return
      case 'redirect':
      case 'https-first':
        this.#redirect(checked, decision)
        return
      case 'forward':
        this.#choose(checked, pair, decision)
    }
  }

  /** What is decided for one that came by https, where it did. */
  #byScheme(decision: Decision, { index }: CheckedRequest): Decision {
    if (decision.kind !== 'https-first') return decision
    return requestScheme(index, this.#host) === 'https' ? decision.secured : decision
  }

  #redirect(checked: CheckedRequest, decision: Redirect | HttpsFirst): void {
    const scheme = requestScheme(checked.index, this.#host)
    const sent = sendOn(decision, { ...checked, scheme }, this.#context.requestLimits)
    if (sent.ok) this.#owner.redirect(redirectAnswer(sent.value.status, sent.value.location))
    else this.#owner.answer(sent.error)
  }

  #choose(checked: CheckedRequest, pair: ServedPair, decision: Forward): void {
    const { deps, routeLimits } = this.#context
    const { action, policy } = decision.route
    const backends = action.kind === 'forward' ? action.backends : []
    const backend = pickWeighted(backends, deps.random())?.backend
    this.#limitTo(routeLimits.of(policy))
    if (isBodyTooLarge(checked.framing, this.#limits)) this.#owner.answer('body-too-large')
    else if (backend === undefined) this.#owner.answer('no-endpoint')
    else if (this.#isGrpc && !speaksHttp2(pair.routes.backends.get(backend))) this.#owner.answer('grpc-needs-http2')
    else this.#gather(checked, { pair, backend, decision })
  }

  #limitTo(limits: RouteLimits): void {
    this.#limits = limits
    this.#owner.routed(limits)
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
    this.#owner.gathering()
    this.#body.gather(requestBufferBytes, (length) => {
      const isWhole = length !== undefined && !this.#body.hasTrailers
      this.#forward(isWhole ? { ...checked, framing: { kind: 'length', bytes: length } } : checked, chosen)
    })
  }

  #forward(checked: CheckedRequest, { pair, backend, decision }: Chosen): void {
    const rewritten = rewriteRequest(decision, checked, this.#requestLimits)
    if (!rewritten.ok) {
      this.#owner.answer(rewritten.error)
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
        upgrade: this.#isUpgrade,
      },
      this.#context.requestRules,
    )
    if (!head.ok) {
      this.#owner.answer('malformed')
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
    this.#owner.forward({ pair, backend, point, message, body: this.#body, retry: this.#limits.retry })
  }
}
