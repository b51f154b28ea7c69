// One request with its response: the pump of the wire engine. It decides nothing; it asks and carries out.
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import type { ResponseScan } from '../../../http/h1-response-scan.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName, OwnAnswer } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { TryPlan } from '../../tries.ts'
import type { WireContext } from './context.ts'
import { DeadlineWatch } from './deadline-watch.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { Flow } from './flow.ts'
import { Forwarding, type ForwardingOwner } from './forwarding.ts'
import { LastResponse } from './last-response.ts'
import { OwnResponse } from './own-response.ts'
import { ProtocolSwitch } from './protocol-switch.ts'
import { Reception } from './reception.ts'
import type { ReceptionOwner } from './reception-parts.ts'
import { RequestBody, type RequestBodyOwner } from './request-body.ts'
import { RequestFacts } from './request-facts.ts'
import { ResponseRelay, type ResponseRelayOwner } from './response-relay.ts'

/**
 * `gathering`: the body is read before an endpoint is asked. `trying`: no response head yet. `responding`: an upstream's
 * body runs. `answered`: all of the answer is written.
 */
type Phase = 'begun' | 'gathering' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

/** Made once for a connection: it serves one request of it after the other. */
export class Exchange implements RequestBodyOwner, ReceptionOwner, ForwardingOwner, ResponseRelayOwner {
  readonly #context: WireContext
  readonly #client: ExchangeHost
  readonly #reception: Reception
  readonly #facts: Readonly<RequestFacts>
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #forwarding: Forwarding
  readonly #flow: Flow
  readonly #watch: DeadlineWatch
  readonly #last: LastResponse
  readonly #own: OwnResponse
  readonly #relay: ResponseRelay
  readonly #switch: ProtocolSwitch
  #phase: Phase = 'ended'
  #isHeadSent = false
  #isFinished = false

  constructor(context: WireContext, client: ExchangeHost) {
    const record = new ExchangeRecord(context)
    const facts = new RequestFacts(context.routeLimits.of(undefined))
    const body = new RequestBody({ context, record, owner: this })
    const forwarding = new Forwarding({ context, record, body, owner: this })
    const flow = new Flow({ context, client, body, forwarding })
    const last = new LastResponse(client, facts)
    this.#context = context
    this.#client = client
    this.#record = record
    this.#facts = facts
    this.#body = body
    this.#forwarding = forwarding
    this.#flow = flow
    this.#last = last
    this.#watch = new DeadlineWatch({ context, facts, body, forwarding, flow })
    this.#reception = new Reception({ context, client, record, body, facts, owner: this })
    this.#own = new OwnResponse({ context, facts, body, last })
    this.#relay = new ResponseRelay({ context, record, facts, forwarding, flow, last, owner: this })
    this.#switch = new ProtocolSwitch({ context, client, record, facts, forwarding, closed: () => this.#end() })
  }

  /** Whether the request has been read to its end. */
  get hasWholeRequest(): boolean {
    return this.#body.isEnded
  }

  /** Whether bytes of the client may be read now. */
  get wantsBytes(): boolean {
    return !this.#flow.isRequestHeld
  }

  /** Begins with the request whose head `scan` found in `bytes`. */
  start(scan: RequestScan, bytes: Buffer): void {
    this.#phase = 'begun'
    this.#isHeadSent = false
    this.#isFinished = false
    this.#last.reset()
    this.#flow.reset()
    this.#record.begun()
    this.#watch.begin()
    this.#reception.receive(scan, bytes)
  }

  routed(limits: RouteLimits): void {
    this.#watch.routed(limits)
  }

  gathering(): void {
    this.#phase = 'gathering'
  }

  forward(plan: TryPlan): void {
    this.#phase = 'trying'
    this.#forwarding.start(plan, this.#facts.limits)
  }

  redirect(answer: OwnAnswer): void {
    this.#told(this.#own.writeOnce(answer))
  }

  bodyGathered(): void {
    this.#reception.bodyGathered()
  }

  /** Takes what is of the request's body; the place behind it. */
  takeBody(bytes: Buffer, from: number, to: number): number {
    const end = this.#body.take(bytes, from, to)
    if (end > from) this.#watch.moved()
    return end
  }

  /** All that one read brought was taken: what goes on goes out in one write (R60-21). */
  readDone(): void {
    this.#flow.sendUpstream()
  }

  /** The request's body is not what it should be: nothing of it is completed upstream (R71-3). */
  bodyRefused(name: AnswerName): void {
    switch (this.#phase) {
      case 'begun':
      case 'gathering':
      case 'trying':
        this.answer(name)
        return
      case 'responding':
        this.cut()
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
    this.#watch.moved()
    this.#flow.clientDrained()
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
    this.#flow.check()
    if (this.#watch.isDrainOver(nowMs)) this.#client.connection.close()
    else if (this.#phase === 'gathering' || this.#phase === 'trying') this.#checkWaiting(nowMs)
    else if (this.#phase === 'responding' || this.#phase === 'answered') this.#checkResponding(nowMs)
  }

  bodyEnded(): void {
    if (this.#isFinished) this.#end()
  }

  drainExceeded(): void {
    this.#client.connection.close()
  }

  sending(): void {
    this.#watch.moved()
    // Of a try before this one it may be held, whose connection will never tell that it took anything.
    this.#flow.resetRequest()
    if (this.#client.intake.isReading) return
    this.readDone()
    this.#client.readOn()
  }

  upstreamDrained(): void {
    this.#watch.moved()
    this.#flow.upstreamDrained()
  }

  interimCame(scan: ResponseScan, bytes: Buffer): void {
    this.#watch.moved()
    this.#relay.interim(scan, bytes)
  }

  responded(scan: ResponseScan, bytes: Buffer, to: number): void {
    this.#watch.moved()
    const isSwitch = scan.status === 101
    if (isSwitch && this.#switch.perform(scan, bytes, to)) this.#phase = 'tunnel'
    else if (isSwitch || this.#switch.isFeigned(scan.status)) this.answer('upstream-fault')
    else this.#relay.begin(scan, bytes, to)
  }

  responseReceived(bytes: Buffer, length: number): void {
    this.#watch.moved()
    this.#relay.take(bytes, 0, length)
  }

  responseEnded(isWhole: boolean): void {
    if (this.#phase === 'responding') this.#relay.end(isWhole)
  }

  headWritten(status: number): void {
    this.#isHeadSent = true
    this.#body.forgetKept()
    this.#record.settled()
    this.#record.answered(status)
    this.#phase = 'responding'
  }

  /** The upstream's response is complete; what is left of the request has no reader any more. */
  received(): void {
    this.#phase = 'answered'
    if (this.#body.isEnded) {
      this.#record.leftEndpoint()
      this.#forwarding.release(this.#relay.keepsUpstream && !this.#flow.isResponseHeld)
    } else this.#forwarding.abort()
    this.#drainRequest()
    this.#finishIfSent()
  }

  /** Answers by ourselves; where an answer has begun already, only a cut is left (R20-73). */
  answer(name: AnswerName): void {
    if (this.#isHeadSent) {
      this.cut()
      return
    }
    this.#context.output.cut(0)
    this.#forwarding.abort()
    const field = refusalField(name)
    if (field) this.#record.count(field)
    this.#told(this.#own.write(name))
  }

  /** Cuts both sides: what was begun cannot be ended truthfully (R20-73). */
  cut(): void {
    this.#context.output.cut(0)
    this.#forwarding.abort()
    this.#client.connection.close()
  }

  /** An answer of ours stands in the output. */
  #told(status: number): void {
    this.#watch.moved()
    this.headWritten(status)
    this.#phase = 'answered'
    this.#flow.sendClient()
    this.#drainRequest()
    this.#finishIfSent()
  }

  #drainRequest(): void {
    this.#body.drain(this.#context.limits.drainBytes)
    this.#flow.resetRequest()
    if (this.#body.isEnded) return
    this.#watch.drains()
    this.#client.readOn()
  }

  #finishIfSent(): void {
    if (this.#phase !== 'answered' || this.#isFinished || this.#client.connection.queuedBytes > 0) return
    this.#isFinished = true
    this.#record.completed()
    // Where the connection ends, what is left of the request is what is left of the connection.
    if (this.#body.isEnded || this.#last.isLast) this.#end()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#body.forgetKept()
    this.#record.ended()
    this.#client.exchangeEnded(this.#last.isLast)
  }

  #checkWaiting(nowMs: number): void {
    const overdue = this.#watch.overdue(nowMs, this.#phase === 'trying')
    if (overdue === 'client') this.answer('body-too-slow')
    if (overdue !== 'upstream') return
    this.#record.count('timeoutHead')
    this.#watch.moved()
    if (!this.#forwarding.goesOn('timeout')) this.answer('response-timeout')
  }

  #checkResponding(nowMs: number): void {
    const stalled = this.#watch.stalled(nowMs, this.#phase === 'answered')
    if (!stalled) return
    this.#record.count(stalled === 'client' ? 'refusedSendTimeout' : 'timeoutBody')
    this.cut()
  }
}
