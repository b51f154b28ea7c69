// The path of a request that cannot be copied on its own bytes: one that is no ordinary one, and one of whose parts
// something is made. What is decided on it is decided on strings, with the same result.
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
import type { Decision, HttpsFirst, Redirect } from '../../../router/decision.ts'
import { rewriteRequest } from '../../../router/rewrite.ts'
import { sendOn } from '../../../router/send-on.ts'
import { endpointPoint } from '../../endpoint-point.ts'
import type { ServedPair } from '../../engine.ts'
import { redirectAnswer } from '../../own-answers.ts'
import { freshRequestId } from '../../request-id.ts'
import type { BackendChoice } from './backend-choice.ts'
import type { ReceptionParts } from './reception-parts.ts'
import { writeListedHead } from './upstream-head.ts'

/** Where a request goes, and why. */
export interface Chosen {
  readonly pair: ServedPair
  readonly backend: string
  readonly decision: Decision
}

export class ListedReception {
  readonly #parts: ReceptionParts
  readonly #choice: BackendChoice
  readonly #requestLimits: RequestLimits
  /** What goes on when the body was read. */
  #gathered: { readonly checked: CheckedRequest; readonly chosen: Chosen } | undefined

  constructor(parts: ReceptionParts, choice: BackendChoice) {
    const { context, client } = parts
    this.#parts = parts
    this.#choice = choice
    this.#requestLimits = client.isStream ? context.streamRequestLimits : context.requestLimits
  }

  /**
   * Whether the body is read first (R11-71); who waits for a 100 waits for the upstream's (R20-43), and a call of gRPC may
   * go on only when it was answered.
   */
  get gathers(): boolean {
    const { body, facts } = this.#parts
    return facts.limits.requestBufferBytes > 0 && !body.isEnded && !facts.awaitsContinue && !facts.isGrpc
  }

  /** Receives a request of which nothing is known but its head. */
  receive(scan: RequestScan, bytes: Buffer): void {
    const { context, client, facts, record, owner } = this.#parts
    // Whatever it is answered: bytes behind a request for another protocol are no request (R70-51).
    facts.isUpgrade = asksForOther(scan)
    const checked = this.#check(scan, bytes)
    if (!checked) return
    const { index, minorVersion, host, path } = checked
    facts.isUpgrade &&= asksForUpgrade(index, minorVersion)
    if (context.budget.isTight) {
      record.count('shedRefused')
      owner.answer('over-budget')
      return
    }
    const pair = context.deps.current()
    if (client.memory.isMisdirectedTo(pair, host)) {
      owner.answer('misdirected')
      return
    }
    let decision = context.reader.decide(pair.router, host, path, context.hostMemory)
    if (decision.kind === 'https-first' && requestScheme(index, client) === 'https') decision = decision.secured
    const backend = this.#choice.of(pair, decision)
    if (backend !== undefined) this.#gather(checked, { pair, backend, decision })
    else if (isSentOn(decision)) this.#redirect(checked, decision)
  }

  /** Goes on with an ordinary request that has its backend. */
  goOn(scan: RequestScan, bytes: Buffer, chosen: Chosen): void {
    const checked = this.#check(scan, bytes)
    if (checked) this.#gather(checked, chosen)
  }

  /** Tells the client of an ordinary request where to ask instead, if that was decided; else there is an answer already. */
  sendOn(scan: RequestScan, bytes: Buffer, decision: Decision): void {
    if (!isSentOn(decision)) return
    const checked = this.#check(scan, bytes)
    if (checked) this.#redirect(checked, decision)
  }

  /** The body was read, as far as it is read first. */
  bodyGathered(): void {
    const { body } = this.#parts
    const gathered = this.#gathered
    this.#gathered = undefined
    if (!gathered) return
    const { checked, chosen } = gathered
    if (!body.isEnded || body.hasTrailers) {
      this.#forward(checked, chosen)
      return
    }
    body.sendAsLength()
    this.#forward({ ...checked, framing: { kind: 'length', bytes: body.bytes } }, chosen)
  }

  /** Forgets a request whose body was not read to its end. */
  forget(): void {
    this.#gathered = undefined
  }

  /** The request, or nothing where it was refused for a fault. */
  #check(scan: RequestScan, bytes: Buffer): CheckedRequest | undefined {
    const checked = checkRequest(scan.rawRequest(bytes), this.#requestLimits)
    if (checked.ok) return checked.value
    this.#refuse(checked.error)
    return undefined
  }

  #refuse(fault: RequestFault): void {
    const { facts, owner } = this.#parts
    facts.isGrpc &&= isTypeKnown(fault)
    owner.answer(fault)
  }

  #gather(checked: CheckedRequest, chosen: Chosen): void {
    const { body, facts, owner } = this.#parts
    if (!this.gathers) {
      this.#forward(checked, chosen)
      return
    }
    owner.gathering()
    this.#gathered = { checked, chosen }
    body.gather(facts.limits.requestBufferBytes)
  }

  #redirect(checked: CheckedRequest, decision: Redirect | HttpsFirst): void {
    const { context, client, owner } = this.#parts
    const scheme = requestScheme(checked.index, client)
    const sent = sendOn(decision, { ...checked, scheme }, context.requestLimits)
    if (sent.ok) owner.redirect(redirectAnswer(sent.value.status, sent.value.location))
    else owner.answer(sent.error)
  }

  #forward(checked: CheckedRequest, { pair, backend, decision }: Chosen): void {
    const { context, client, facts, record, owner } = this.#parts
    const { index, framing, authority, method } = checked
    const { peer, port, scheme } = client
    const { deps, requestRules, privateRanges, output } = context
    const rewritten = decision.kind === 'forward' ? rewriteRequest(decision, checked, this.#requestLimits) : undefined
    if (!rewritten?.ok) {
      owner.answer(rewritten?.error ?? 'malformed')
      return
    }
    const { target, forwardedPrefix: prefix } = rewritten.value
    const hop = { peer, authority, port, scheme, freshId: freshRequestId(deps.random), prefix }
    const head = upstreamRequestHead({ index, framing, hop, upgrade: facts.isUpgrade }, requestRules)
    if (!head.ok) {
      owner.answer('malformed')
      return
    }
    record.dropped(head.value.dropped)
    if (isForgottenProxy(index, peer, privateRanges)) record.count('untrustedForwardedFor')
    if (!writeListedHead(`${method} ${target} HTTP/1.1`, head.value.fields, output)) {
      owner.answer('malformed')
      return
    }
    const picked = { balancers: pair.balancers, backend, request: checked, client: head.value.client }
    owner.forward({ pair, backend, point: endpointPoint(picked, deps.random), method, retry: facts.limits.retry })
  }
}

function asksForOther({ notes }: RequestScan): boolean {
  return notes.saysUpgrade && notes.upgradeCount > 0
}

/** Whether the client is told to ask elsewhere. */
function isSentOn(decision: Decision): decision is Redirect | HttpsFirst {
  return decision.kind === 'redirect' || decision.kind === 'https-first'
}
