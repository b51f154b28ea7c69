// One request with its response: the pump of the wire engine. It decides nothing; it asks and carries out.
import { isForgottenProxy, requestScheme } from '../../../http/forwarded.ts'
import { latin1 } from '../../../http/h1-bytes.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import { BODY_CHUNKED, BODY_UNTIL_CLOSE, type ResponseScan } from '../../../http/h1-response-scan.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { type CheckedRequest, checkRequest } from '../../../http/request-check.ts'
import { upstreamRequestHead } from '../../../http/request-head.ts'
import { checkResponse } from '../../../http/response-check.ts'
import { downstreamResponseHead, switchingFields } from '../../../http/response-head.ts'
import { asksForUpgrade } from '../../../http/upgrade-request.ts'
import type { Route } from '../../../model/route-table.ts'
import type { Decision, Redirect } from '../../../router/decision.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import { redirectLocation } from '../../../router/redirect.ts'
import { rewriteRequest } from '../../../router/rewrite.ts'
import { endpointPoint } from '../../endpoint-point.ts'
import type { ServedPair } from '../../engine.ts'
import { ExchangeDeadlines } from '../../exchange-deadlines.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import {
  type AnswerName,
  type AnswerUse,
  answerBytes,
  headBytes,
  type OwnAnswer,
  redirectAnswer,
} from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import { freshRequestId } from '../../request-id.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { TryPlan } from '../../tries.ts'
import type { ClientConnection } from './client-connection.ts'
import type { WireContext } from './context.ts'
import { Forwarding, type ForwardingOwner, isInterim } from './forwarding.ts'
import type { HopBytes } from './hop-bytes.ts'
import { isHead, methodOf } from './method.ts'
import { RequestBody, type RequestBodyOwner } from './request-body.ts'
import { ResponseBody } from './response-body.ts'
import { Tunnel } from './tunnel.ts'
import { writeListedHead } from './upstream-head.ts'
import { Valve } from './valve.ts'

/** `gathering`: the body is read before an endpoint is asked. `trying`: no response head yet. `responding`: an upstream's body runs. `answered`: all of the answer is written. */
type Phase = 'begun' | 'gathering' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')

/** Made once for a connection: it serves one request of it after the other. */
export class Exchange implements RequestBodyOwner, ForwardingOwner {
  readonly #context: WireContext
  readonly #client: ClientConnection
  readonly #hop: HopBytes
  readonly #record: ExchangeRecord
  readonly #deadlines: ExchangeDeadlines
  /** Those of the route, once there is one. */
  #limits: RouteLimits
  readonly #body: RequestBody
  readonly #forwarding: Forwarding
  readonly #relay: ResponseBody
  readonly #requestValve: Valve
  readonly #responseValve: Valve
  readonly #view = { bytes: NO_BYTES, hostStart: 0, hostEnd: 0, pathStart: 0, pathEnd: 0 }
  /** Of the request that is served; used again for each. */
  readonly #plan: Writable<TryPlan>
  #phase: Phase = 'ended'
  #minorVersion = 1
  #isHead = false
  #keepsAlive = true
  #isUpgrade = false
  #awaitsContinue = false
  #bodyBytes = 0
  /** What goes on when the body was read. */
  #gathered: { readonly checked: CheckedRequest; readonly chosen: Chosen } | undefined
  #isHeadSent = false
  #isFinished = false
  #isLast = false
  /** Whether the upstream's connection can serve another request, by what its head says. */
  #keepsUpstream = false

  constructor(context: WireContext, client: ClientConnection) {
    this.#context = context
    this.#client = client
    this.#plan = {
      pair: context.deps.current(),
      backend: '',
      point: 0,
      method: '',
      retry: context.routeLimits.of(undefined).retry,
    }
    this.#hop = context.hops.make(client.peer, client.port)
    this.#record = new ExchangeRecord(context)
    this.#limits = context.routeLimits.of(undefined)
    this.#deadlines = new ExchangeDeadlines(context.limits, this.#limits, 0)
    this.#body = new RequestBody(context, this)
    this.#forwarding = new Forwarding({ context, record: this.#record, body: this.#body, owner: this })
    this.#relay = new ResponseBody(context)
    this.#requestValve = new Valve(context, {
      pause: () => client.pause(),
      resume: () => client.readOn(),
    })
    this.#responseValve = new Valve(context, {
      pause: () => this.#forwarding.upstream?.connection.pause(),
      resume: () => this.#forwarding.upstream?.connection.resume(),
    })
  }

  /** Whether the request has been read to its end. */
  get hasWholeRequest(): boolean {
    return this.#body.isEnded
  }

  /** Whether bytes of the client may be read now. */
  get wantsBytes(): boolean {
    return !this.#requestValve.isHeld
  }

  /** Begins with the request whose head `scan` found in `bytes`. */
  start(scan: RequestScan, bytes: Buffer): void {
    const { fields, minorVersion } = scan
    this.#phase = 'begun'
    this.#minorVersion = minorVersion
    this.#isHead = isHead(scan, bytes)
    this.#keepsAlive = minorVersion === 0 ? fields.saysKeepAlive : !fields.saysClose
    this.#awaitsContinue = minorVersion > 0 && fields.expectsContinue
    this.#isUpgrade = false
    this.#isHeadSent = false
    this.#isFinished = false
    this.#isLast = false
    this.#bodyBytes = 0
    this.#requestValve.reset()
    this.#responseValve.reset()
    this.#record.begun()
    this.#limits = this.#context.routeLimits.of(undefined)
    this.#deadlines.begin(this.#limits, this.#context.time.nowMs)
    if (!this.#startPlain(scan, bytes)) this.#startListed(scan, bytes)
  }

  /** Takes what is of the request's body; the place behind it. */
  takeBody(bytes: Buffer, from: number, to: number): number {
    const end = this.#body.take(bytes, from, to)
    if (end > from) this.#deadlines.moved(this.#context.time.nowMs)
    return end
  }

  /** All that one read brought was taken: what goes on goes out in one write (R60-21). */
  readDone(): void {
    const { upstream } = this.#forwarding
    const { output } = this.#context
    if (output.length > 0 && upstream) this.#sendUpstream(upstream.connection)
    output.cut(0)
    if (this.#body.keptBytes > 0) this.#tellBuffers()
  }

  /** The request's body turned out to be malformed: nothing of it is completed upstream (R71-3). */
  requestBroken(name: AnswerName): void {
    switch (this.#phase) {
      case 'begun':
      case 'gathering':
      case 'trying':
        this.#answer(name)
        return
      case 'responding':
        this.#cut()
        return
      case 'answered':
        this.#client.close()
        return
      case 'tunnel':
      case 'ended':
        return
    }
  }

  /** The client took all that was sent. */
  clientDrained(): void {
    if (this.#phase === 'ended' || this.#phase === 'tunnel') return
    this.#deadlines.moved(this.#context.time.nowMs)
    this.#responseValve.drained()
    this.#tellBuffers()
    this.#finishIfSent()
  }

  /** The client's connection is gone. */
  connectionClosed(): void {
    if (this.#phase === 'tunnel' || this.#phase === 'ended') return
    this.#forwarding.abort()
    this.#end()
  }

  /** Acts on a deadline that has passed (R20-79, R20-81, R20-89, R20-110, R20-111). */
  checkDeadline(nowMs: number): void {
    this.#checkBudget()
    if (this.#deadlines.isDrainOver(nowMs)) this.#client.cut()
    else if (this.#phase === 'gathering' || this.#phase === 'trying') this.#checkWaiting(nowMs)
    else if (this.#phase === 'responding' || this.#phase === 'answered') this.#checkResponding(nowMs)
  }

  bodyRefused(answer: AnswerName): void {
    this.requestBroken(answer)
  }

  bodyEnded(): void {
    if (this.#isFinished) this.#end()
  }

  drainExceeded(): void {
    this.#client.cut()
  }

  trailersDropped(count: number): void {
    this.#record.count('droppedTrailer', count)
  }

  sending(): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    if (this.#client.isReading) return
    this.readDone()
    this.#client.readOn()
  }

  upstreamDrained(): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    this.#requestValve.drained()
    this.#tellBuffers()
  }

  failed(answer: AnswerName): void {
    this.#answer(answer)
  }

  responded(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { status } = scan
    if (status === 101) this.#switch(scan, bytes, to)
    else if (isInterim(status)) this.#relayInterim(scan, bytes)
    else this.#respond(scan, bytes, to)
  }

  responseReceived(bytes: Buffer, length: number): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    this.#relayBody(bytes, 0, length)
  }

  responseEnded(isWhole: boolean): void {
    if (this.#phase !== 'responding') return
    this.#keepsUpstream = false
    if (isWhole && this.#relay.endWithConnection()) {
      this.#sendClient()
      this.#received()
    } else this.#cut()
  }

  /** An ordinary request is looked at as bytes alone; false: it is none. */
  #startPlain(scan: RequestScan, bytes: Buffer): boolean {
    const { fields } = scan
    if (!scan.isPlain || (this.#client.peer.trusted && fields.forwardedCount > 0)) return false
    const pair = this.#context.deps.current()
    const { hostAt } = fields
    const host = this.#client.memory.routesOf(pair.router, bytes, fields.valueStart(hostAt), fields.valueEnd(hostAt))
    if (!host) return false
    if (this.#context.budget.isTight) {
      this.#shed()
      return true
    }
    this.#expect(Math.max(0, fields.contentLength), fields.codingCount > 0)
    this.#view.bytes = bytes
    this.#view.pathStart = scan.targetStart
    this.#view.pathEnd = scan.pathEnd
    const decision = pair.router.findRoute(host, this.#view)
    this.#view.bytes = NO_BYTES
    const backend = this.#decided(pair, decision)
    if (backend === undefined) this.#answerDecision(decision, scan, bytes)
    else if (this.#needsStrings(pair, backend, decision)) this.#goOnListed(pair, decision, { backend, scan, bytes })
    else this.#forwardPlain(scan, bytes, pair, backend)
    return true
  }

  /** What is made of path or fields is made of strings. */
  #needsStrings({ balancers }: ServedPair, backend: string, { route }: Decision): boolean {
    const policy = route?.policy
    if (policy?.rewrite || policy?.forwardedPrefix || balancers.keyOf(backend) !== undefined) return true
    return this.#gathers()
  }

  /** Whether the body is read first (R11-71); who waits for a 100 waits for the upstream's (R20-43). */
  #gathers(): boolean {
    return this.#limits.requestBufferBytes > 0 && !this.#body.isEnded && !this.#awaitsContinue
  }

  #forwardPlain(scan: RequestScan, bytes: Buffer, pair: ServedPair, backend: string): void {
    const { deps, requestWriter } = this.#context
    const { fields } = scan
    const { trusted } = this.#client.peer
    this.#record.count('droppedManaged', fields.proxyCount + (trusted ? 0 : fields.forwardedCount))
    if (fields.forwardedForCount > 0 && this.#isForgottenProxy()) this.#record.count('untrustedForwardedFor')
    requestWriter.write(scan, bytes, this.#hop)
    const plan = this.#plan
    plan.pair = pair
    plan.backend = backend
    plan.point = deps.random()
    plan.method = methodOf(scan, bytes)
    this.#forward()
  }

  #startListed(scan: RequestScan, bytes: Buffer): void {
    const { requestLimits, budget, deps, reader, hostMemory } = this.#context
    const checked = checkRequest(scan.rawRequest(bytes), requestLimits)
    if (!checked.ok) {
      this.#answer(checked.error)
      return
    }
    if (budget.isTight) {
      this.#shed()
      return
    }
    const { framing, index, minorVersion, host, path } = checked.value
    const { saysUpgrade, upgradeCount } = scan.fields
    this.#isUpgrade = saysUpgrade && upgradeCount > 0 && asksForUpgrade(index, minorVersion)
    this.#expect(framing.kind === 'length' ? framing.bytes : 0, framing.kind === 'chunked')
    const pair = deps.current()
    const decision = reader.decide(pair.router, host, path, hostMemory)
    const backend = this.#decided(pair, decision)
    if (backend !== undefined) this.#gather(checked.value, { pair, backend, decision })
    else if (decision.kind === 'redirect') this.#redirect(checked.value, decision)
  }

  #goOnListed(pair: ServedPair, decision: Decision, { backend, scan, bytes }: PlainTarget): void {
    const checked = checkRequest(scan.rawRequest(bytes), this.#context.requestLimits)
    if (checked.ok) this.#gather(checked.value, { pair, backend, decision })
    else this.#answer(checked.error)
  }

  #answerDecision(decision: Decision, scan: RequestScan, bytes: Buffer): void {
    if (decision.kind !== 'redirect') return
    const checked = checkRequest(scan.rawRequest(bytes), this.#context.requestLimits)
    if (checked.ok) this.#redirect(checked.value, decision)
    else this.#answer(checked.error)
  }

  #gather(checked: CheckedRequest, chosen: Chosen): void {
    if (!this.#gathers()) {
      this.#forwardListed(checked, chosen)
      return
    }
    this.#phase = 'gathering'
    this.#gathered = { checked, chosen }
    this.#body.gather(this.#limits.requestBufferBytes)
  }

  bodyGathered(): void {
    const gathered = this.#gathered
    this.#gathered = undefined
    if (!gathered) return
    const { checked, chosen } = gathered
    if (!this.#body.isEnded || this.#body.hasTrailers) {
      this.#forwardListed(checked, chosen)
      return
    }
    this.#body.sendAsLength()
    this.#forwardListed({ ...checked, framing: { kind: 'length', bytes: this.#body.bytes } }, chosen)
  }

  #redirect(checked: CheckedRequest, decision: Redirect): void {
    const scheme = requestScheme(checked.index, { peer: this.#client.peer, scheme: 'http' })
    const location = redirectLocation(decision, { ...checked, scheme }, this.#context.requestLimits)
    if (!location.ok) {
      this.#answer(location.error)
      return
    }
    const answer = redirectAnswer(decision.action.status, location.value)
    const bytes = answerBytes(answer, this.#useOf(answer))
    this.#context.output.append(bytes, 0, this.#isHead ? bytes.length - answer.body.length : bytes.length)
    this.#told(answer.status)
  }

  #forwardListed(checked: CheckedRequest, { pair, backend, decision }: Chosen): void {
    const { index, framing, authority, method } = checked
    const { peer, port } = this.#client
    const { deps, requestRules, requestLimits, privateRanges, output } = this.#context
    const rewritten = decision.kind === 'forward' ? rewriteRequest(decision, checked, requestLimits) : undefined
    if (!rewritten?.ok) {
      this.#answer(rewritten?.error ?? 'malformed')
      return
    }
    const { target, forwardedPrefix: prefix } = rewritten.value
    const hop = { peer, authority, port, scheme: 'http' as const, freshId: freshRequestId(deps.random), prefix }
    const head = upstreamRequestHead({ index, framing, hop, upgrade: this.#isUpgrade }, requestRules)
    if (!head.ok) {
      this.#answer('malformed')
      return
    }
    this.#record.dropped(head.value.dropped)
    if (isForgottenProxy(index, peer, privateRanges)) this.#record.count('untrustedForwardedFor')
    if (!writeListedHead(`${method} ${target} HTTP/1.1`, head.value.fields, output)) {
      this.#answer('malformed')
      return
    }
    const picked = { balancers: pair.balancers, backend, request: checked, client: head.value.client }
    const plan = this.#plan
    plan.pair = pair
    plan.backend = backend
    plan.point = endpointPoint(picked, deps.random)
    plan.method = method
    this.#forward()
  }

  #shed(): void {
    this.#record.count('shedRefused')
    this.#answer('over-budget')
  }

  #expect(length: number, isChunked: boolean): void {
    this.#bodyBytes = length
    this.#body.begin(length, isChunked)
  }

  /** The backend that the request goes to; `undefined`: it does not, and is answered unless it is sent elsewhere. */
  #decided(pair: ServedPair, decision: Decision): string | undefined {
    this.#record.routed(pair, decision)
    switch (decision.kind) {
      case 'respond':
        this.#answer(decision.reason)
        return undefined
      case 'redirect':
        return undefined
      case 'forward':
        return this.#choose(decision.route)
    }
  }

  #choose({ action, policy }: Route): string | undefined {
    const backends = action.kind === 'forward' ? action.backends : []
    const [only] = backends
    const chosen =
      backends.length === 1 && only && only.weight > 0 ? only : pickWeighted(backends, this.#context.deps.random())
    const backend = chosen?.backend
    const limits = this.#context.routeLimits.of(policy)
    this.#limits = limits
    this.#deadlines.routed(limits)
    this.#body.limitTo(limits.maxBodyBytes)
    if (limits.maxBodyBytes > 0 && this.#bodyBytes > limits.maxBodyBytes) {
      this.#answer('body-too-large')
      return undefined
    }
    if (backend === undefined) this.#answer('no-endpoint')
    return backend
  }

  #forward(): void {
    this.#phase = 'trying'
    this.#plan.retry = this.#limits.retry
    this.#forwarding.start(this.#plan, this.#limits)
  }

  #isForgottenProxy(): boolean {
    const { peer } = this.#client
    return !peer.trusted && this.#context.privateRanges.contains(peer.address)
  }

  #relayInterim(scan: ResponseScan, bytes: Buffer): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    if (this.#minorVersion === 0) return
    const { output } = this.#context
    this.#record.interim()
    if (scan.status === 100) {
      this.#awaitsContinue = false
      output.appendAll(CONTINUE)
    } else output.appendAll(headBytes(scan.status, scan.reason(bytes), scan.list(bytes)))
    this.#sendClient()
  }

  #respond(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { responseWriter } = this.#context
    if (!scan.isPlain || this.#minorVersion === 0) {
      this.#respondListed(scan, bytes, to)
      return
    }
    const length = scan.bodyLength(this.#isHead)
    this.#headed(scan, bytes)
    responseWriter.write(scan, bytes, length, this.#decideLast(false))
    this.#record.headed(scan.status)
    this.#headWritten(scan.status)
    this.#relay.begin(length, length === BODY_CHUNKED || length === BODY_UNTIL_CLOSE ? 'chunked' : 'length')
    this.#relayBody(bytes, scan.headEnd, to)
  }

  #respondListed(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { limits, output } = this.#context
    const { status } = scan
    // Of the request's method only this much matters here.
    const method = this.#isHead ? 'HEAD' : 'GET'
    const checked = checkResponse({ status, fields: scan.list(bytes), method }, limits.maxResponseHeaders)
    if (!checked) {
      if (!this.#forwarding.goesOn('invalid')) this.#answer('upstream-fault')
      return
    }
    this.#headed(scan, bytes)
    const head = downstreamResponseHead({
      ...checked,
      status,
      clientMinorVersion: this.#minorVersion,
      closes: this.#decideLast(false),
      date: this.#context.date(),
    })
    if (!writeListedHead(`HTTP/1.1 ${status} ${scan.reason(bytes)}`, head.fields, output)) {
      this.#answer('upstream-fault')
      return
    }
    this.#record.headed(status)
    this.#headWritten(status)
    if (head.body === 'close') this.#isLast = true
    this.#relay.begin(lengthOf(checked.framing), head.body)
    this.#relayBody(bytes, scan.headEnd, to)
  }

  /** A response head that is good came. */
  #headed(scan: ResponseScan, bytes: Buffer): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    this.#body.forgetKept()
    this.#keepsUpstream = scan.keepsOpen
    const { keepAliveAt } = scan.fields
    const { upstream } = this.#forwarding
    if (keepAliveAt >= 0 && upstream) {
      upstream.noteKeepAlive(latin1(bytes, scan.fields.valueStart(keepAliveAt), scan.fields.valueEnd(keepAliveAt)))
    }
  }

  #headWritten(status: number): void {
    this.#isHeadSent = true
    this.#record.settled()
    this.#record.answered(status)
    this.#phase = 'responding'
  }

  #relayBody(bytes: Buffer, from: number, to: number): void {
    const at = this.#relay.take(bytes, from, to)
    this.#sendClient()
    if (this.#relay.isBroken) {
      this.#cut()
      return
    }
    if (!this.#relay.isEnded) return
    // More bytes than the response has would be taken for the next one (R20-60).
    if (at < to) this.#keepsUpstream = false
    this.#record.count('droppedTrailer', this.#relay.droppedTrailers)
    this.#received()
  }

  #switch(scan: ResponseScan, bytes: Buffer, to: number): void {
    const index = new HeaderIndex(scan.list(bytes))
    const isAnswer = this.#isUpgrade && index.has('upgrade') && scan.fields.saysUpgrade
    if (!isAnswer) {
      this.#answer('upstream-fault')
      return
    }
    const { time, output, keeper } = this.#context
    const upstream = this.#forwarding.handOver()
    if (!upstream) return
    this.#record.headed(101)
    this.#record.interim()
    this.#record.settled()
    this.#phase = 'tunnel'
    const client = this.#client
    output.appendAll(headBytes(101, scan.reason(bytes), switchingFields(index)))
    output.append(bytes, scan.headEnd, to)
    output.sendTo(client.connection)
    const tunnel = new Tunnel(
      { connection: client.connection, hasEnded: client.hasEnded },
      { connection: upstream.connection, hasEnded: false },
      {
        output,
        time,
        bufferBytes: this.#context.deps.settings.connectionBufferBytes,
        idleTimeoutMs: this.#limits.tunnelIdleTimeoutMs,
        closed: () => {
          keeper.tunnelClosed(tunnel)
          this.#end()
        },
      },
    )
    client.becomeTunnel((early, from, end) => {
      output.append(early, from, end)
      output.sendTo(upstream.connection)
    })
    keeper.tunnelOpened(tunnel)
    tunnel.open()
  }

  /** Answers by ourselves; where an answer has begun already, only a cut is left. */
  #answer(name: AnswerName): void {
    const { output, answers } = this.#context
    output.cut(0)
    this.#forwarding.abort()
    if (this.#isHeadSent) {
      this.#client.cut()
      return
    }
    const field = refusalField(name)
    if (field) this.#record.count(field)
    const answer = answers.of(name)
    answers.write(name, this.#useOf(answer), output, this.#isHead)
    this.#told(answer.status)
  }

  #useOf(answer: OwnAnswer): AnswerUse {
    return {
      closes: this.#decideLast(answer.closes || this.#hasMuchUnread()),
      clientMinorVersion: this.#minorVersion,
      date: this.#context.date(),
    }
  }

  /** An answer of ours stands in the output. */
  #told(status: number): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    this.#headWritten(status)
    this.#phase = 'answered'
    this.#sendClient()
    this.#drainRequest()
    this.#finishIfSent()
  }

  /** Whether the connection ends with this response. */
  #decideLast(mustBe: boolean): boolean {
    // Whoever waits for a 100 that never came may or may not send the body: only the end of the connection is clear.
    const isUnclear = this.#awaitsContinue || (this.#isUpgrade && this.#client.hasEarlyBytes)
    this.#isLast = mustBe || isUnclear || !this.#keepsAlive || this.#client.mustClose()
    return this.#isLast
  }

  #hasMuchUnread(): boolean {
    return this.#bodyBytes > this.#context.limits.drainBytes && !this.#body.isEnded
  }

  /** The upstream's response is complete; what is left of the request has no reader any more. */
  #received(): void {
    this.#phase = 'answered'
    if (this.#body.isEnded) {
      this.#record.leftEndpoint()
      this.#forwarding.release(this.#keepsUpstream && !this.#responseValve.isHeld)
    } else this.#forwarding.abort()
    this.#drainRequest()
    this.#finishIfSent()
  }

  #drainRequest(): void {
    const { limits, time } = this.#context
    this.#body.drain(limits.drainBytes)
    this.#requestValve.reset()
    if (this.#body.isEnded) return
    this.#deadlines.drains(time.nowMs)
    this.#client.readOn()
  }

  #finishIfSent(): void {
    if (this.#phase !== 'answered' || this.#isFinished || this.#client.connection.queuedBytes > 0) return
    this.#isFinished = true
    this.#record.completed()
    // Where the connection ends, what is left of the request is what is left of the connection.
    if (this.#body.isEnded || this.#isLast) this.#end()
  }

  #cut(): void {
    this.#context.output.cut(0)
    this.#forwarding.abort()
    this.#client.cut()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#body.forgetKept()
    this.#record.ended()
    this.#client.exchangeEnded(this.#isLast)
  }

  #sendUpstream(connection: { readonly queuedBytes: number } & Parameters<WireContext['output']['sendTo']>[0]): void {
    this.#context.output.sendTo(connection)
    const waiting = connection.queuedBytes
    this.#requestValve.wrote(waiting)
    if (waiting > 0) this.#tellBuffers()
  }

  #sendClient(): void {
    const { connection } = this.#client
    this.#context.output.sendTo(connection)
    const waiting = connection.queuedBytes
    if (waiting === 0) return
    this.#tellBuffers()
    this.#responseValve.wrote(waiting)
  }

  #tellBuffers(): void {
    if (this.#phase === 'tunnel' || this.#phase === 'ended') return
    const sent = this.#forwarding.bufferedBytes + this.#body.keptBytes
    this.#client.buffers(sent + this.#client.connection.queuedBytes)
  }

  // Between two movements what waits changes unseen, and what others hold may be free again.
  #checkBudget(): void {
    if (this.#phase === 'tunnel' || this.#phase === 'ended') return
    // A second try is the first thing to be given up: what is kept for it cannot flow off.
    if (this.#context.budget.isSpent) this.#body.forgetKept()
    this.#tellBuffers()
    this.#requestValve.relieve(this.#forwarding.upstream?.connection.queuedBytes ?? 0)
    this.#responseValve.relieve(this.#client.connection.queuedBytes)
  }

  #checkWaiting(nowMs: number): void {
    const overdue = this.#deadlines.overdue(nowMs, {
      // Who waits for a 100 owes nothing until it comes.
      forClient: !this.#body.isEnded && !this.#requestValve.isHeld && !this.#awaitsContinue,
      isSending: !this.#body.isEnded && this.#requestValve.isHeld,
      isConnecting: this.#phase === 'trying' && this.#forwarding.isConnecting,
      bodyBytes: this.#body.bytes,
    })
    if (overdue === 'client') this.#answer('body-too-slow')
    if (overdue !== 'upstream') return
    this.#record.count('timeoutHead')
    this.#deadlines.moved(nowMs)
    if (!this.#forwarding.goesOn('timeout')) this.#answer('response-timeout')
  }

  #checkResponding(nowMs: number): void {
    const forClient = this.#phase === 'answered' || this.#responseValve.isHeld
    if (!this.#deadlines.isStalled(nowMs, forClient)) return
    this.#record.count(forClient ? 'refusedSendTimeout' : 'timeoutBody')
    this.#cut()
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Target {
  readonly pair: ServedPair
  readonly backend: string
}

interface Chosen extends Target {
  readonly decision: Decision
}

interface PlainTarget {
  readonly backend: string
  readonly scan: RequestScan
  readonly bytes: Buffer
}

const NO_BYTES: Buffer = Buffer.alloc(0)

function lengthOf(framing: CheckedRequest['framing']): number {
  switch (framing.kind) {
    case 'none':
      return 0
    case 'length':
      return framing.bytes
    case 'chunked':
      return BODY_CHUNKED
    case 'until-close':
      return BODY_UNTIL_CLOSE
  }
}
