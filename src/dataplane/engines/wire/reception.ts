// From the head of a request to where it goes: what the router says of it, and the head for the endpoint. An ordinary
// request is bytes all the way; of any other, and for what is made of its parts, there are strings.
import { isForgottenProxy, requestScheme } from '../../../http/forwarded.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import {
  type CheckedRequest,
  checkRequest,
  isTypeKnown,
  type RequestFault,
  type RequestLimits,
} from '../../../http/request-check.ts'
import { upstreamRequestHead } from '../../../http/request-head.ts'
import { asksForUpgrade } from '../../../http/upgrade-request.ts'
import type { Route } from '../../../model/route-table.ts'
import { speaksHttp2 } from '../../../model/upstream-tls.ts'
import type { Decision, HttpsFirst, Redirect } from '../../../router/decision.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import { rewriteRequest } from '../../../router/rewrite.ts'
import { sendOn } from '../../../router/send-on.ts'
import { endpointPoint } from '../../endpoint-point.ts'
import type { ServedPair } from '../../engine.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, type OwnAnswer, redirectAnswer } from '../../own-answers.ts'
import { freshRequestId } from '../../request-id.ts'
import type { RouteLimits } from '../../route-limits.ts'
import type { TryPlan } from '../../tries.ts'
import type { WireContext } from './context.ts'
import type { ExchangeHost } from './exchange-host.ts'
import type { HopBytes } from './hop-bytes.ts'
import { isHead, methodOf } from './method.ts'
import type { RequestBody } from './request-body.ts'
import { writeListedHead } from './upstream-head.ts'

/** What is known of the request that is served. */
export interface RequestFacts {
  /** 0 for HTTP/1.0. */
  readonly minorVersion: number
  readonly isHead: boolean
  /** Whether the client takes another answer on its connection. */
  readonly keepsAlive: boolean
  readonly isUpgrade: boolean
  /** Whether our own answers have the form that gRPC wants; false also where the content type did not become known. */
  readonly isGrpc: boolean
  /** Whether the client waits for a `100`, as far as its head says. */
  readonly awaitsContinue: boolean
  /** The length that the head announced of the body. */
  readonly bodyBytes: number
  /** Those of the route, once there is one. */
  readonly limits: RouteLimits
}

export interface ReceptionOwner {
  /** The request is not forwarded, or not as it is; this is what the client is told. */
  answer(name: AnswerName): void
  redirect(answer: OwnAnswer): void
  /** It has a route. */
  routed(limits: RouteLimits): void
  /** Its body is read before an endpoint is asked. */
  gathering(): void
  /** Its head stands in the output, alone. */
  forward(plan: TryPlan): void
}

export interface ReceptionParts {
  readonly context: WireContext
  readonly client: ExchangeHost
  readonly record: ExchangeRecord
  readonly body: RequestBody
  readonly owner: ReceptionOwner
}

export class Reception {
  readonly facts: Writable<RequestFacts>
  readonly #context: WireContext
  readonly #client: ExchangeHost
  readonly #record: ExchangeRecord
  readonly #body: RequestBody
  readonly #owner: ReceptionOwner
  readonly #hop: HopBytes
  readonly #requestLimits: RequestLimits
  /** Used again for each request, and likewise the plan. */
  readonly #view = { bytes: NO_BYTES, hostStart: 0, hostEnd: 0, pathStart: 0, pathEnd: 0 }
  readonly #plan: Writable<TryPlan>
  /** What goes on when the body was read. */
  #gathered: { readonly checked: CheckedRequest; readonly chosen: Chosen } | undefined

  constructor({ context, client, record, body, owner }: ReceptionParts) {
    const limits = context.routeLimits.of(undefined)
    this.#context = context
    this.#client = client
    this.#record = record
    this.#body = body
    this.#owner = owner
    this.#hop = context.hops.make(client.peer, client)
    this.#requestLimits = client.isStream ? context.streamRequestLimits : context.requestLimits
    this.#plan = { pair: context.deps.current(), backend: '', point: 0, method: '', retry: limits.retry }
    this.facts = {
      minorVersion: 1,
      isHead: false,
      keepsAlive: true,
      isUpgrade: false,
      isGrpc: false,
      awaitsContinue: false,
      bodyBytes: 0,
      limits,
    }
  }

  /** Receives the request whose head `scan` found in `bytes`. */
  receive(scan: RequestScan, bytes: Buffer): void {
    const { facts } = this
    const { fields, minorVersion } = scan
    facts.minorVersion = minorVersion
    facts.isHead = isHead(scan, bytes)
    const keepsAlive = !fields.saysClose && (minorVersion > 0 || fields.saysKeepAlive)
    facts.keepsAlive = keepsAlive && hasClearEnd(scan)
    facts.awaitsContinue = minorVersion > 0 && fields.expectsContinue
    facts.isUpgrade = false
    facts.isGrpc = scan.isGrpc(bytes)
    facts.bodyBytes = 0
    facts.limits = this.#context.routeLimits.of(undefined)
    this.#gathered = undefined
    // As far as the head is sound: what is answered before it was judged has a body too, which is no request (R20-58).
    this.#expect(Math.max(0, fields.contentLength), fields.codingCount > 0)
    if (!this.#startPlain(scan, bytes)) this.#startListed(scan, bytes)
  }

  /** The upstream's `100` was relayed. */
  continued(): void {
    this.facts.awaitsContinue = false
  }

  /** An ordinary request is looked at as bytes alone; false: it is none. */
  #startPlain(scan: RequestScan, bytes: Buffer): boolean {
    const { fields } = scan
    if (!scan.isPlain || (this.#client.peer.trusted && fields.forwardedCount > 0)) return false
    const pair = this.#context.deps.current()
    const { hostAt } = fields
    const { memory } = this.#client
    const host = memory.routesOf(pair, bytes, fields.valueStart(hostAt), fields.valueEnd(hostAt))
    if (!host) return false
    if (memory.isMisdirected) {
      this.#owner.answer('misdirected')
      return true
    }
    if (this.#context.budget.isTight) {
      this.#shed()
      return true
    }
    this.#view.bytes = bytes
    this.#view.pathStart = scan.targetStart
    this.#view.pathEnd = scan.pathEnd
    let decision = pair.router.findRoute(host, this.#view)
    this.#view.bytes = NO_BYTES
    // Nobody who is trusted says another scheme: such a request is no ordinary one.
    if (decision.kind === 'https-first' && this.#client.scheme === 'https') decision = decision.secured
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

  /**
   * Whether the body is read first (R11-71); who waits for a 100 waits for the upstream's (R20-43), and a call of gRPC may
   * go on only when it was answered.
   */
  #gathers(): boolean {
    const { limits, awaitsContinue, isGrpc } = this.facts
    return limits.requestBufferBytes > 0 && !this.#body.isEnded && !awaitsContinue && !isGrpc
  }

  #forwardPlain(scan: RequestScan, bytes: Buffer, pair: ServedPair, backend: string): void {
    const { requestWriter } = this.#context
    const { fields } = scan
    const { trusted } = this.#client.peer
    this.#record.count('droppedManaged', fields.proxyCount + (trusted ? 0 : fields.forwardedCount))
    if (fields.forwardedForCount > 0 && this.#isForgottenProxy()) this.#record.count('untrustedForwardedFor')
    requestWriter.write(scan, bytes, this.#hop)
    const plan = this.#plan
    plan.pair = pair
    plan.backend = backend
    plan.point = requestWriter.point
    plan.method = methodOf(scan, bytes)
    this.#forward()
  }

  #startListed(scan: RequestScan, bytes: Buffer): void {
    const { budget, deps, reader, hostMemory } = this.#context
    // Whatever it is answered: bytes behind a request for another protocol are no request (R70-51).
    this.facts.isUpgrade = asksForOther(scan)
    const checked = checkRequest(scan.rawRequest(bytes), this.#requestLimits)
    if (!checked.ok) {
      this.#refuse(checked.error)
      return
    }
    const { index, minorVersion, host, path } = checked.value
    this.facts.isUpgrade &&= asksForUpgrade(index, minorVersion)
    if (budget.isTight) {
      this.#shed()
      return
    }
    const pair = deps.current()
    if (this.#client.memory.isMisdirectedTo(pair, host)) {
      this.#owner.answer('misdirected')
      return
    }
    let decision = reader.decide(pair.router, host, path, hostMemory)
    if (decision.kind === 'https-first' && requestScheme(index, this.#client) === 'https') decision = decision.secured
    const backend = this.#decided(pair, decision)
    if (backend !== undefined) this.#gather(checked.value, { pair, backend, decision })
    else if (isSentOn(decision)) this.#redirect(checked.value, decision)
  }

  #goOnListed(pair: ServedPair, decision: Decision, { backend, scan, bytes }: PlainTarget): void {
    const checked = checkRequest(scan.rawRequest(bytes), this.#requestLimits)
    if (checked.ok) this.#gather(checked.value, { pair, backend, decision })
    else this.#refuse(checked.error)
  }

  #answerDecision(decision: Decision, scan: RequestScan, bytes: Buffer): void {
    if (!isSentOn(decision)) return
    const checked = checkRequest(scan.rawRequest(bytes), this.#requestLimits)
    if (checked.ok) this.#redirect(checked.value, decision)
    else this.#refuse(checked.error)
  }

  #refuse(fault: RequestFault): void {
    this.facts.isGrpc &&= isTypeKnown(fault)
    this.#owner.answer(fault)
  }

  #gather(checked: CheckedRequest, chosen: Chosen): void {
    if (!this.#gathers()) {
      this.#forwardListed(checked, chosen)
      return
    }
    this.#owner.gathering()
    this.#gathered = { checked, chosen }
    this.#body.gather(this.facts.limits.requestBufferBytes)
  }

  /** The body was read, as far as it is read first. */
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

  #redirect(checked: CheckedRequest, decision: Redirect | HttpsFirst): void {
    const scheme = requestScheme(checked.index, this.#client)
    const sent = sendOn(decision, { ...checked, scheme }, this.#context.requestLimits)
    if (sent.ok) this.#owner.redirect(redirectAnswer(sent.value.status, sent.value.location))
    else this.#owner.answer(sent.error)
  }

  #forwardListed(checked: CheckedRequest, { pair, backend, decision }: Chosen): void {
    const { index, framing, authority, method } = checked
    const { peer, port, scheme } = this.#client
    const { deps, requestRules, privateRanges, output } = this.#context
    const rewritten = decision.kind === 'forward' ? rewriteRequest(decision, checked, this.#requestLimits) : undefined
    if (!rewritten?.ok) {
      this.#owner.answer(rewritten?.error ?? 'malformed')
      return
    }
    const { target, forwardedPrefix: prefix } = rewritten.value
    const hop = { peer, authority, port, scheme, freshId: freshRequestId(deps.random), prefix }
    const head = upstreamRequestHead({ index, framing, hop, upgrade: this.facts.isUpgrade }, requestRules)
    if (!head.ok) {
      this.#owner.answer('malformed')
      return
    }
    this.#record.dropped(head.value.dropped)
    if (isForgottenProxy(index, peer, privateRanges)) this.#record.count('untrustedForwardedFor')
    if (!writeListedHead(`${method} ${target} HTTP/1.1`, head.value.fields, output)) {
      this.#owner.answer('malformed')
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
    this.#owner.answer('over-budget')
  }

  #expect(length: number, isChunked: boolean): void {
    this.facts.bodyBytes = length
    this.#body.begin(length, isChunked)
  }

  /** The backend that the request goes to; `undefined`: it does not, and is answered unless it is sent elsewhere. */
  #decided(pair: ServedPair, decision: Decision): string | undefined {
    this.#record.routed(pair, decision)
    switch (decision.kind) {
      case 'respond':
        this.#owner.answer(decision.reason)
        return undefined
      case 'redirect':
      case 'https-first':
        return undefined
      case 'forward':
        return this.#choose(pair, decision.route)
    }
  }

  #choose(pair: ServedPair, { action, policy }: Route): string | undefined {
    const backends = action.kind === 'forward' ? action.backends : []
    const [only] = backends
    const chosen =
      backends.length === 1 && only && only.weight > 0 ? only : pickWeighted(backends, this.#context.deps.random())
    const backend = chosen?.backend
    const limits = this.#context.routeLimits.of(policy)
    this.facts.limits = limits
    this.#owner.routed(limits)
    this.#body.limitTo(limits.maxBodyBytes)
    if (limits.maxBodyBytes > 0 && this.facts.bodyBytes > limits.maxBodyBytes) {
      this.#owner.answer('body-too-large')
      return undefined
    }
    if (backend === undefined) this.#owner.answer('no-endpoint')
    else if (this.facts.isGrpc && !speaksHttp2(pair.routes.backends.get(backend))) {
      this.#owner.answer('grpc-needs-http2')
      return undefined
    }
    return backend
  }

  #forward(): void {
    this.#plan.retry = this.facts.limits.retry
    this.#owner.forward(this.#plan)
  }

  #isForgottenProxy(): boolean {
    const { peer } = this.#client
    return !peer.trusted && this.#context.privateRanges.contains(peer.address)
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

function asksForOther({ fields }: RequestScan): boolean {
  return fields.saysUpgrade && fields.upgradeCount > 0
}

/** Whether the client is told to ask elsewhere. */
function isSentOn(decision: Decision): decision is Redirect | HttpsFirst {
  return decision.kind === 'redirect' || decision.kind === 'https-first'
}

/** Whether there is one way to tell where the body ends; behind any other no request can be found. */
function hasClearEnd({ fields }: RequestScan): boolean {
  const { lengthCount, codingCount } = fields
  if (lengthCount + codingCount === 0) return true
  return lengthCount + codingCount === 1 && (codingCount === 1 ? fields.isChunked : fields.contentLength >= 0)
}

const NO_BYTES: Buffer = Buffer.alloc(0)
