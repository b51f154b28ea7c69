// From the head of a request to where it goes: what the router says of it, and the head for the endpoint. An ordinary
// request is bytes all the way; of any other, and for what is made of its parts, there are strings.
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import type { Decision } from '../../../router/decision.ts'
import type { ServedPair } from '../../engine.ts'
import type { TryPlan } from '../../tries.ts'
import { BackendChoice } from './backend-choice.ts'
import type { HopBytes } from './hop-bytes.ts'
import { ListedReception } from './listed-reception.ts'
import { methodOf } from './method.ts'
import type { ReceptionParts } from './reception-parts.ts'

export class Reception {
  readonly #parts: ReceptionParts
  readonly #choice: BackendChoice
  readonly #listed: ListedReception
  readonly #hop: HopBytes
  /** Used again for each request, and likewise the plan. */
  readonly #view = { bytes: NO_BYTES, hostStart: 0, hostEnd: 0, pathStart: 0, pathEnd: 0 }
  readonly #plan: Writable<TryPlan>

  constructor(parts: ReceptionParts) {
    const { context, client, facts } = parts
    this.#parts = parts
    this.#choice = new BackendChoice(parts)
    this.#listed = new ListedReception(parts, this.#choice)
    this.#hop = context.hops.make(client.peer, client)
    this.#plan = { pair: context.deps.current(), backend: '', point: 0, method: '', retry: facts.limits.retry }
  }

  /** Receives the request whose head `scan` found in `bytes`. */
  receive(scan: RequestScan, bytes: Buffer): void {
    const { context, facts, body } = this.#parts
    facts.take(scan, bytes, context.routeLimits.of(undefined))
    this.#listed.forget()
    // As far as the head is sound: what is answered before it was judged has a body too, which is no request (R20-58).
    body.begin(facts.bodyBytes, scan.notes.codingCount > 0)
    if (!this.#receivePlain(scan, bytes)) this.#listed.receive(scan, bytes)
  }

  /** The body was read, as far as it is read first. */
  bodyGathered(): void {
    this.#listed.bodyGathered()
  }

  /** An ordinary request is looked at as bytes alone; false: it is none. */
  #receivePlain(scan: RequestScan, bytes: Buffer): boolean {
    const { context, client, record, owner } = this.#parts
    const { fields, notes } = scan
    if (!scan.isPlain || (client.peer.trusted && notes.forwardedCount > 0)) return false
    const pair = context.deps.current()
    const { hostAt } = notes
    const { memory } = client
    const host = memory.routesOf(pair, bytes, fields.valueStart(hostAt), fields.valueEnd(hostAt))
    if (!host) return false
    if (memory.isMisdirected) {
      owner.answer('misdirected')
      return true
    }
    if (context.budget.isTight) {
      record.count('shedRefused')
      owner.answer('over-budget')
      return true
    }
    this.#view.bytes = bytes
    this.#view.pathStart = scan.targetStart
    this.#view.pathEnd = scan.pathEnd
    let decision = pair.router.findRoute(host, this.#view)
    this.#view.bytes = NO_BYTES
    // Nobody who is trusted says another scheme: such a request is no ordinary one.
    if (decision.kind === 'https-first' && client.scheme === 'https') decision = decision.secured
    const backend = this.#choice.of(pair, decision)
    if (backend === undefined) this.#listed.sendOn(scan, bytes, decision)
    else if (this.#needsStrings(pair, backend, decision)) this.#listed.goOn(scan, bytes, { pair, backend, decision })
    else this.#forward(scan, bytes, pair, backend)
    return true
  }

  /** What is made of path or fields is made of strings. */
  #needsStrings({ balancers }: ServedPair, backend: string, { route }: Decision): boolean {
    const policy = route?.policy
    if (policy?.rewrite || policy?.forwardedPrefix || balancers.keyOf(backend) !== undefined) return true
    return this.#listed.gathers
  }

  #forward(scan: RequestScan, bytes: Buffer, pair: ServedPair, backend: string): void {
    const { context, client, record, facts, owner } = this.#parts
    const { requestWriter } = context
    const { notes } = scan
    record.count('droppedManaged', notes.proxyCount + (client.peer.trusted ? 0 : notes.forwardedCount))
    if (notes.forwardedForCount > 0 && this.#isForgottenProxy()) record.count('untrustedForwardedFor')
    requestWriter.write(scan, bytes, this.#hop)
    const plan = this.#plan
    plan.pair = pair
    plan.backend = backend
    plan.point = requestWriter.point
    plan.method = methodOf(scan, bytes)
    plan.retry = facts.limits.retry
    owner.forward(plan)
  }

  #isForgottenProxy(): boolean {
    const { context, client } = this.#parts
    return !client.peer.trusted && context.privateRanges.contains(client.peer.address)
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const NO_BYTES: Buffer = Buffer.alloc(0)
