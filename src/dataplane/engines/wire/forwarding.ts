// One request on its way to an endpoint: which one, and whether again (R20-127 to R20-130).
import { DONE, INVALID } from '../../../http/h1-request-scan.ts'
import { ResponseScan } from '../../../http/h1-response-scan.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import { DEFAULT_RETRY, type TryFailure } from '../../../router/retry-rule.ts'
import type { ConnectFailure } from '../../errors.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import type { AnswerName } from '../../own-answers.ts'
import type { RouteLimits } from '../../route-limits.ts'
import { retryField, Tries, type TryPlan } from '../../tries.ts'
import { connectFailureOfCode } from '../../upstream/connect-failure.ts'
import { failureOfStream, GOAWAY, REFUSED_STREAM, STREAM_RESET } from '../../upstream/stream-fault.ts'
import type { UpstreamWay } from '../../upstream/way.ts'
import type { WireContext } from './context.ts'
import type { RequestBody } from './request-body.ts'
import { Stash } from './stash.ts'
import type { UpstreamConnection, UpstreamUser } from './upstream-connection.ts'

export interface ForwardingOwner {
  /** The connection stands; head and what is kept of the body are in the output, and more of the body may follow. */
  sending(): void
  /** A response head came, interim ones too; `scan` is that of `bytes`, and what is behind it in `bytes[.., to)`. */
  responded(scan: ResponseScan, bytes: Buffer, to: number): void
  /** Bytes behind the response's head. */
  responseReceived(bytes: Buffer, length: number): void
  /** The upstream sends no more; `isWhole`: its connection ended as it should, by a FIN. */
  responseEnded(isWhole: boolean): void
  /** The upstream took all that was sent. */
  upstreamDrained(): void
  /** No endpoint will answer; what the client is told instead. */
  failed(answer: AnswerName): void
}

export interface ForwardingParts {
  readonly context: WireContext
  readonly record: ExchangeRecord
  readonly body: RequestBody
  readonly owner: ForwardingOwner
}

/** `trying`: no response head yet. `answered`: the rest is the owner's. */
type Stage = 'none' | 'trying' | 'answered'

export class Forwarding implements UpstreamUser {
  readonly #context: WireContext
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #owner: ForwardingOwner
  readonly #held = new Stash()
  readonly #tries: Tries
  #stage: Stage = 'none'
  #plan: TryPlan | undefined
  /** Absent: plain HTTP/1.1. */
  #way: UpstreamWay | undefined
  #limits: RouteLimits
  #upstream: UpstreamConnection | undefined
  /** Of a response head that has not come whole. */
  #scan: ResponseScan | undefined
  /** Whether an interim response came. */
  #hasSpoken = false
  /** The next try waits for it. */
  #timer: NodeJS.Timeout | undefined

  constructor({ context, record, body, owner }: ForwardingParts) {
    this.#context = context
    this.#record = record
    this.#body = body
    this.#owner = owner
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
    if (!upstream) return this.#held.length
    const { queuedBytes, heldBytes = 0 } = upstream.connection
    return this.#held.length + upstream.headLength + queuedBytes + heldBytes
  }

  /** Starts with the head that stands in the output, alone. */
  start(plan: TryPlan, limits: RouteLimits): void {
    const { output } = this.#context
    this.#stage = 'trying'
    this.#plan = plan
    const { ways } = plan.pair
    this.#way = ways.size === 0 ? undefined : ways.get(plan.backend)
    this.#limits = limits
    this.#hasSpoken = false
    this.#tries.begin(plan)
    const endpoint = this.#tries.next()
    if (endpoint) this.#try(endpoint, output.bytes, output.length)
    else this.#owner.failed('no-endpoint')
  }

  /** The try took too long, or its response is none that counts: whether another one follows it. */
  goesOn(failure: TryFailure): boolean {
    const upstream = this.#upstream
    const next = upstream && this.#tries.after(failure, this.#canTryAgain)
    const endpoint = next === 'other-endpoint' ? this.#tries.next() : undefined
    if (!upstream || !endpoint) return false
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
    if (this.#stage !== 'trying') this.#owner.responseReceived(bytes, length)
    else if (this.#held.length === 0) this.#readHead(bytes, 0, length)
    else {
      this.#held.append(bytes, 0, length)
      this.#readHead(this.#held.bytes, this.#held.from, this.#held.to)
    }
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
    if (this.#stage === 'answered') this.#owner.responseEnded(false)
    else if (error === GOAWAY || error === REFUSED_STREAM) this.#tryFailed(failureOfStream(error), 'upstream-fault')
    else if (this.#upstream?.isConnecting === true) this.#connectFailed(connectFailureOfCode(error ?? ''))
    else this.#broken(error !== STREAM_RESET)
  }

  /** Not behind an interim response, which the client has: a second one would follow it (R20-129). */
  get #canTryAgain(): boolean {
    return !this.#hasSpoken && this.#body.canReplay
  }

  #leave(): void {
    this.#upstream = undefined
    this.#stage = 'none'
    this.#plan = undefined
    this.#held.clear()
    this.#scan = undefined
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
        else this.#owner.failed(answer)
        return
      }
      case 'fresh-connection':
        // The other idle connections of this endpoint are no better, so the next one is fresh.
        upstream.pool.closeIdle()
        this.#leaveTry(failure, upstream)
        this.#try(upstream.pool.endpoint, upstream.head, upstream.headLength)
        return
      case 'give-up':
        this.#owner.failed(answer)
    }
  }

  #tryAfter(failure: TryFailure, endpoint: Endpoint, { head, headLength }: UpstreamConnection): void {
    const { waitMs } = this.#tries
    if (this.#upstream) this.#leaveTry(failure, this.#upstream)
    if (waitMs === 0) {
      this.#try(endpoint, head, headLength)
      return
    }
    this.#timer = setTimeout(() => {
      this.#context.time.tick()
      this.#try(endpoint, head, headLength)
    }, waitMs)
  }

  #leaveTry(failure: TryFailure, upstream: UpstreamConnection): void {
    this.#stage = 'trying'
    this.#upstream = undefined
    this.#held.clear()
    this.#scan = undefined
    upstream.abandon()
    this.#record.leftEndpoint()
    this.#record.count(retryField(failure))
    this.#body.hold()
  }

  /** Looks for heads in `bytes[from, to)`; interim ones may come before the one that counts. */
  #readHead(bytes: Buffer, from: number, to: number): void {
    const { responseScans } = this.#context
    const isShared = this.#limits.maxResponseHeaderBytes === this.#context.limits.maxResponseHeaderBytes
    const scan = this.#scan ?? (isShared ? responseScans.take() : this.#newScan())
    this.#scan = undefined
    let at = from
    while (at < to) {
      const outcome = scan.scan(bytes, at, to)
      if (outcome === INVALID) {
        this.#tryFailed('invalid', 'upstream-fault')
        break
      }
      if (outcome !== DONE) {
        this.#scan = scan
        this.#held.keep(bytes, at, to)
        return
      }
      if (isInterim(scan.status)) {
        this.#hasSpoken = true
        this.#owner.responded(scan, bytes, to)
      } else {
        this.#answered(scan, bytes, to)
        break
      }
      at = scan.headEnd
      scan.reset()
    }
    if (this.#stage === 'answered' || at >= to) this.#held.clear()
    if (isShared) responseScans.giveBack(scan)
  }

  // A response whose status the route's author does not want to see goes to nobody, as long as there is another to ask.
  #answered(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { status } = scan
    const upstream = this.#upstream
    if (status >= FIRST_FAULT && this.#limits.retry !== DEFAULT_RETRY && upstream) {
      const next = this.#tries.after(status, this.#canTryAgain)
      const endpoint = next === 'other-endpoint' ? this.#tries.next() : undefined
      if (endpoint) {
        this.#record.headed(status)
        this.#tryAfter(status, endpoint, upstream)
        return
      }
    }
    this.#stage = 'answered'
    this.#owner.responded(scan, bytes, to)
  }

  #newScan(): ResponseScan {
    const { maxResponseHeaders } = this.#context.limits
    return new ResponseScan({ maxHeaderBytes: this.#limits.maxResponseHeaderBytes, maxHeaders: maxResponseHeaders })
  }
}

/** Below it no status is one that anybody would ask another endpoint for. */
const FIRST_FAULT = 400

/** A 1xx that another head follows (R20-55). */
export function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101
}
