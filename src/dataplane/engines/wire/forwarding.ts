// One request on its way to an endpoint: which one, and whether again (R20-127 to R20-130).
import type { ResponseScan } from '../../../http/h1-response-scan.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import { DEFAULT_RETRY, type TryFailure } from '../../../router/retry-rule.ts'
import type { ConnectFailure } from '../../errors.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName } from '../../own-answers.ts'
import type { RouteLimits } from '../../route-limits.ts'
import { retryField, Tries, type TryPlan } from '../../tries.ts'
import { connectFailureOfCode } from '../../upstream/connect-failure.ts'
import { failureOfStream, STREAM_RESET } from '../../upstream/stream-fault.ts'
import type { UpstreamWay } from '../../upstream/way.ts'
import type { WireContext } from './context.ts'
import type { RequestBody } from './request-body.ts'
import { ResponseHeads, type ResponseHeadsOwner } from './response-heads.ts'
import type { UpstreamConnection, UpstreamUser } from './upstream-connection.ts'

export interface ForwardingOwner {
  /** The connection stands; head and what is kept of the body are in the output, and more of the body may follow. */
  sending(): void
  /** An interim head came, as `ResponseHeadsOwner` says. */
  interimCame(scan: ResponseScan, bytes: Buffer): void
  /** The head of the response came, likewise. */
  responded(scan: ResponseScan, bytes: Buffer, to: number): void
  /** Bytes behind the response's head. */
  responseReceived(bytes: Buffer, length: number): void
  /** The upstream sends no more; `isWhole`: its connection ended as it should, by a FIN. */
  responseEnded(isWhole: boolean): void
  /** The upstream took all that was sent. */
  upstreamDrained(): void
  /** No endpoint will answer; what the client is told instead. */
  answer(name: AnswerName): void
}

export interface ForwardingParts {
  readonly context: WireContext
  readonly record: ExchangeRecord
  readonly body: RequestBody
  readonly owner: ForwardingOwner
}

/** `trying`: no response head yet. `answered`: the rest is the owner's. */
type Stage = 'none' | 'trying' | 'answered'

export class Forwarding implements UpstreamUser, ResponseHeadsOwner {
  readonly #context: WireContext
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #owner: ForwardingOwner
  readonly #heads: ResponseHeads
  readonly #tries: Tries
  #stage: Stage = 'none'
  #plan: TryPlan | undefined
  /** Absent: plain HTTP/1.1. */
  #way: UpstreamWay | undefined
  #limits: RouteLimits
  #upstream: UpstreamConnection | undefined
  /** Whether an interim response came. */
  #hasSpoken = false
  /** The next try waits for it. */
  #timer: NodeJS.Timeout | undefined

  constructor({ context, record, body, owner }: ForwardingParts) {
    this.#context = context
    this.#record = record
    this.#body = body
    this.#owner = owner
    this.#heads = new ResponseHeads(context, this)
    this.#tries = new Tries(context)
    this.#limits = context.routeLimits.of(undefined)
  }

  /** The connection to the endpoint, where one is in use. */
  get upstream(): UpstreamConnection | undefined {
    return this.#upstream
  }

  /** Whether no connection stands yet: that wait has its own deadline. */
  get isConnecting(): boolean {
    return this.#upstream?.isConnecting ?? true
  }

  /** Bytes that wait for the upstream or are kept for a second try, and what came of a response head. */
  get bufferedBytes(): number {
    const upstream = this.#upstream
    if (!upstream) return this.#heads.heldBytes
    const { queuedBytes, heldBytes = 0 } = upstream.connection
    return this.#heads.heldBytes + upstream.headLength + queuedBytes + heldBytes
  }

  /** Starts with the head that stands in the output, alone. */
  start(plan: TryPlan, limits: RouteLimits): void {
    const { output } = this.#context
    this.#stage = 'trying'
    this.#plan = plan
    const { ways } = plan.pair
    this.#way = ways.size === 0 ? undefined : ways.get(plan.backend)
    this.#limits = limits
    this.#heads.begin(limits.maxResponseHeaderBytes)
    this.#hasSpoken = false
    this.#tries.begin(plan)
    const endpoint = this.#tries.next()
    if (endpoint) this.#try(endpoint, output.bytes, output.length)
    else this.#owner.answer('no-endpoint')
  }

  /** The try took too long, or its response is none that counts: whether another one follows it. */
  goesOn(failure: TryFailure): boolean {
    const upstream = this.#upstream
    const next = upstream && this.#tries.after(failure, this.#canTryAgain)
    const endpoint = next === 'other-endpoint' ? this.#tries.next() : undefined
    if (!upstream || !endpoint) return false
    if (typeof failure === 'number') this.#record.headed(failure)
    this.#tryAfter(failure, endpoint, upstream)
    return true
  }

  /** Ends the try that runs, and its connection. */
  abort(): void {
    const upstream = this.#upstream
    clearTimeout(this.#timer)
    this.#leave()
    upstream?.abandon()
    this.#record.leftEndpoint()
  }

  /** The exchange on the connection is complete: it may serve another one, unless `keeps` is false. */
  release(keeps: boolean): void {
    const upstream = this.#upstream
    this.#leave()
    if (!upstream) return
    if (keeps) upstream.pool.release(upstream, this.#context.time.nowMs)
    else upstream.abandon()
  }

  /** Gives the connection up to who asks; nothing of it is told any more. */
  handOver(): UpstreamConnection | undefined {
    const upstream = this.#upstream
    this.#leave()
    if (upstream) {
      upstream.user = undefined
      upstream.pool.closed(upstream)
    }
    return upstream
  }

  upstreamOpened(): void {
    const upstream = this.#upstream
    if (!upstream) return
    this.#context.time.tick()
    this.#context.output.append(upstream.head, 0, upstream.headLength)
    this.#connected(upstream)
  }

  upstreamTimedOut(): void {
    this.#context.time.tick()
    this.#connectFailed('timeout')
  }

  upstreamReceived(bytes: Buffer, length: number): void {
    this.#context.time.tick()
    if (this.#stage === 'trying') this.#heads.read(bytes, length)
    else this.#owner.responseReceived(bytes, length)
  }

  upstreamEnded(): void {
    this.#context.time.tick()
    if (this.#stage === 'answered') this.#owner.responseEnded(true)
    else this.#broken(true)
  }

  upstreamDrained(): void {
    this.#context.time.tick()
    this.#owner.upstreamDrained()
  }

  upstreamClosed(error: string | undefined): void {
    this.#context.time.tick()
    const failure = failureOfStream(error)
    if (this.#stage === 'answered') this.#owner.responseEnded(false)
    else if (failure) this.#tryFailed(failure, 'upstream-fault')
    else if (this.#upstream?.isConnecting === true) this.#connectFailed(connectFailureOfCode(error ?? ''))
    else this.#broken(error !== STREAM_RESET)
  }

  interimCame(scan: ResponseScan, bytes: Buffer): void {
    this.#hasSpoken = true
    this.#owner.interimCame(scan, bytes)
  }

  // A response whose status the route's author does not want to see goes to nobody, as long as there is another to ask.
  headCame(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { status } = scan
    if (status >= FIRST_FAULT && this.#limits.retry !== DEFAULT_RETRY && this.goesOn(status)) return
    this.#stage = 'answered'
    this.#owner.responded(scan, bytes, to)
  }

  headInvalid(): void {
    this.#tryFailed('invalid', 'upstream-fault')
  }

  /** Not behind an interim response, which the client has: a second one would follow it (R20-129). */
  get #canTryAgain(): boolean {
    return !this.#hasSpoken && this.#body.canReplay
  }

  #leave(): void {
    this.#upstream = undefined
    this.#stage = 'none'
    this.#plan = undefined
    this.#heads.forget()
  }

  #try(endpoint: Endpoint, head: Buffer, headLength: number): void {
    this.#record.chosen(endpoint, this.#plan?.backend ?? '')
    const { pool, output } = this.#context
    const endpointPool = pool.of(endpoint, this.#way)
    const idle = endpointPool.take()
    const upstream = idle ?? pool.connect(endpointPool, this.#limits.connectTimeoutMs)
    upstream.user = this
    upstream.keepHead(head, headLength)
    this.#upstream = upstream
    if (!idle) {
      output.cut(0)
      return
    }
    if (output.length === 0) output.append(upstream.head, 0, headLength)
    this.#connected(upstream)
  }

  #connected({ pool }: UpstreamConnection): void {
    this.#record.sent()
    this.#context.health.succeeded(pool.endpoint.address)
    this.#body.send()
    this.#owner.sending()
  }

  #connectFailed(failure: ConnectFailure): void {
    const address = this.#upstream?.pool.endpoint.address
    this.#record.connectFailed(failure)
    // `other` is as likely our own fault, no descriptor for one.
    if (failure !== 'other' && address !== undefined) this.#context.health.failed(address, this.#context.time.nowMs)
    if (failure === 'timeout') this.#tryFailed('connect-timeout', 'connect-timeout')
    else this.#tryFailed('connect', 'no-connection')
  }

  /** `isAll`: with its connection, and not one stream of it alone. */
  #broken(isAll: boolean): void {
    const upstream = this.#upstream
    const isDead = isAll && upstream?.isReused === true && upstream.isUnanswered
    this.#tryFailed(isDead ? 'reused' : 'broken', 'upstream-fault')
  }

  #tryFailed(failure: TryFailure, answer: AnswerName): void {
    const upstream = this.#upstream
    if (!upstream) return
    switch (this.#tries.after(failure, this.#canTryAgain)) {
      case 'other-endpoint': {
        const next = this.#tries.next()
        if (next) this.#tryAfter(failure, next, upstream)
        else this.#owner.answer(answer)
        return
      }
      case 'fresh-connection':
        // The other idle connections of this endpoint are no better, so the next one is fresh.
        upstream.pool.closeIdle()
        this.#leaveTry(failure, upstream)
        this.#try(upstream.pool.endpoint, upstream.head, upstream.headLength)
        return
      case 'give-up':
        this.#owner.answer(answer)
    }
  }

  #tryAfter(failure: TryFailure, endpoint: Endpoint, { head, headLength }: UpstreamConnection): void {
    const { waitMs } = this.#tries
    if (this.#upstream) this.#leaveTry(failure, this.#upstream)
    const again = (): void => this.#try(endpoint, head, headLength)
    if (waitMs === 0) again()
    else
      this.#timer = setTimeout(() => {
        this.#context.time.tick()
        again()
      }, waitMs)
  }

  #leaveTry(failure: TryFailure, upstream: UpstreamConnection): void {
    this.#stage = 'trying'
    this.#upstream = undefined
    this.#heads.forget()
    upstream.abandon()
    this.#record.leftEndpoint()
    this.#record.count(retryField(failure))
    this.#body.hold()
  }
}

/** Below it no status is one that anybody would ask another endpoint for. */
const FIRST_FAULT = 400
