// One request with its response: the pump of the wire engine. It decides nothing; it asks and carries out.

import type { Framing } from '../../../http/framing.ts'
import { latin1 } from '../../../http/h1-bytes.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import { BODY_CHUNKED, BODY_UNTIL_CLOSE, type ResponseScan } from '../../../http/h1-response-scan.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { checkResponse } from '../../../http/response-check.ts'
import { downstreamResponseHead, interimFields, switchingFields } from '../../../http/response-head.ts'
import { ExchangeDeadlines } from '../../exchange-deadlines.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, type AnswerUse, answerBytes, headBytes, type OwnAnswer } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { TryPlan } from '../../tries.ts'
import type { WireContext } from './context.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { Forwarding, type ForwardingOwner, isInterim } from './forwarding.ts'
import { Reception, type ReceptionOwner, type RequestFacts } from './reception.ts'
import { RequestBody, type RequestBodyOwner } from './request-body.ts'
import { ResponseBody } from './response-body.ts'
import { Tunnel } from './tunnel.ts'
import { writeListedHead } from './upstream-head.ts'
import { Valve } from './valve.ts'

/**
 * `gathering`: the body is read before an endpoint is asked. `trying`: no response head yet. `responding`: an upstream's
 * body runs. `answered`: all of the answer is written.
 */
type Phase = 'begun' | 'gathering' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')

/** Made once for a connection: it serves one request of it after the other. */
export class Exchange implements RequestBodyOwner, ReceptionOwner, ForwardingOwner {
  readonly #context: WireContext
  readonly #client: ExchangeHost
  readonly #reception: Reception
  readonly #facts: RequestFacts
  readonly #record: ExchangeRecord
  readonly #deadlines: ExchangeDeadlines
  readonly #body: RequestBody
  readonly #forwarding: Forwarding
  readonly #relay: ResponseBody
  readonly #requestValve: Valve
  readonly #responseValve: Valve
  #phase: Phase = 'ended'
  #isHeadSent = false
  #isFinished = false
  #isLast = false
  /** Whether the upstream's connection can serve another request, by what its head says. */
  #keepsUpstream = false

  constructor(context: WireContext, client: ExchangeHost) {
    this.#context = context
    this.#client = client
    this.#record = new ExchangeRecord(context)
    this.#deadlines = new ExchangeDeadlines(context.limits, context.routeLimits.of(undefined), 0)
    this.#body = new RequestBody(context, this)
    this.#reception = new Reception({ context, client, record: this.#record, body: this.#body, owner: this })
    this.#facts = this.#reception.facts
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
    this.#phase = 'begun'
    this.#isHeadSent = false
    this.#isFinished = false
    this.#isLast = false
    this.#requestValve.reset()
    this.#responseValve.reset()
    this.#record.begun()
    this.#deadlines.begin(this.#context.routeLimits.of(undefined), this.#context.time.nowMs)
    this.#reception.receive(scan, bytes)
  }

  routed(limits: RouteLimits): void {
    this.#deadlines.routed(limits)
  }

  gathering(): void {
    this.#phase = 'gathering'
  }

  forward(plan: TryPlan): void {
    this.#phase = 'trying'
    this.#forwarding.start(plan, this.#facts.limits)
  }

  redirect(answer: OwnAnswer): void {
    const bytes = answerBytes(answer, this.#useOf(answer))
    this.#context.output.append(bytes, 0, this.#facts.isHead ? bytes.length - answer.body.length : bytes.length)
    this.#told(answer.status)
  }

  bodyGathered(): void {
    this.#reception.bodyGathered()
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
        this.answer(name)
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
    // Of a try before this one it may be held, whose connection will never tell that it took anything.
    this.#requestValve.reset()
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
    this.answer(answer)
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

  #relayInterim(scan: ResponseScan, bytes: Buffer): void {
    this.#deadlines.moved(this.#context.time.nowMs)
    if (this.#facts.minorVersion === 0) return
    const { output } = this.#context
    this.#record.interim()
    if (scan.status === 100) {
      this.#reception.continued()
      output.appendAll(CONTINUE)
    } else {
      const fields = interimFields(new HeaderIndex(scan.list(bytes)))
      output.appendAll(headBytes(scan.status, scan.reason(bytes), fields))
    }
    this.#sendClient()
  }

  #respond(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { responseWriter } = this.#context
    if (!scan.isPlain || this.#facts.minorVersion === 0) {
      this.#respondListed(scan, bytes, to)
      return
    }
    const length = scan.bodyLength(this.#facts.isHead)
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
    const method = this.#facts.isHead ? 'HEAD' : 'GET'
    const checked = checkResponse({ status, fields: scan.list(bytes), method }, limits.maxResponseHeaders)
    if (!checked) {
      if (!this.#forwarding.goesOn('invalid')) this.answer('upstream-fault')
      return
    }
    this.#headed(scan, bytes)
    const head = downstreamResponseHead({
      ...checked,
      status,
      clientMinorVersion: this.#facts.minorVersion,
      closes: this.#decideLast(false),
      date: this.#context.date(),
    })
    if (!writeListedHead(`HTTP/1.1 ${status} ${scan.reason(bytes)}`, head.fields, output)) {
      this.answer('upstream-fault')
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
    const isAnswer = this.#facts.isUpgrade && index.has('upgrade') && scan.fields.saysUpgrade
    if (!isAnswer) {
      this.answer('upstream-fault')
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
        idleTimeoutMs: this.#facts.limits.tunnelIdleTimeoutMs,
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
  answer(name: AnswerName): void {
    const { output, answers } = this.#context
    output.cut(0)
    this.#forwarding.abort()
    if (this.#isHeadSent) {
      this.#client.cut()
      return
    }
    const field = refusalField(name)
    if (field) this.#record.count(field)
    const answer = answers.of(name, this.#facts.isGrpc ? 'grpc' : 'text')
    answers.write(answer, this.#useOf(answer), output, this.#facts.isHead)
    this.#told(answer.status)
  }

  #useOf(answer: OwnAnswer): AnswerUse {
    return {
      closes: this.#decideLast(answer.closes || this.#hasMuchUnread()),
      clientMinorVersion: this.#facts.minorVersion,
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
    const isUnclear = this.#facts.awaitsContinue || (this.#facts.isUpgrade && this.#client.hasEarlyBytes)
    this.#isLast = mustBe || isUnclear || !this.#facts.keepsAlive || this.#client.mustClose()
    return this.#isLast
  }

  #hasMuchUnread(): boolean {
    return this.#facts.bodyBytes > this.#context.limits.drainBytes && !this.#body.isEnded
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
      forClient: !this.#body.isEnded && !this.#requestValve.isHeld && !this.#facts.awaitsContinue,
      isSending: !this.#body.isEnded && this.#requestValve.isHeld,
      isConnecting: this.#phase === 'trying' && this.#forwarding.isConnecting,
      isGrpc: this.#facts.isGrpc,
      bodyBytes: this.#body.bytes,
    })
    if (overdue === 'client') this.answer('body-too-slow')
    if (overdue !== 'upstream') return
    this.#record.count('timeoutHead')
    this.#deadlines.moved(nowMs)
    if (!this.#forwarding.goesOn('timeout')) this.answer('response-timeout')
  }

  #checkResponding(nowMs: number): void {
    const forClient = this.#phase === 'answered' || this.#responseValve.isHeld
    if (!this.#deadlines.isStalled(nowMs, forClient)) return
    this.#record.count(forClient ? 'refusedSendTimeout' : 'timeoutBody')
    this.#cut()
  }
}

function lengthOf(framing: Framing): number {
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
