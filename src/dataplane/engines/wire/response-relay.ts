// The response of an upstream on its way to the client: interim heads, the head that counts, and the body behind it.
import type { Framing } from '../../../http/framing.ts'
import { latin1 } from '../../../http/h1-bytes.ts'
import { BODY_CHUNKED, BODY_UNTIL_CLOSE, type ResponseScan } from '../../../http/h1-response-scan.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { checkResponse } from '../../../http/response-check.ts'
import { downstreamResponseHead, interimFields } from '../../../http/response-head.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import { type AnswerName, headBytes } from '../../own-answers.ts'
import type { WireContext } from './context.ts'
import type { Flow } from './flow.ts'
import type { Forwarding } from './forwarding.ts'
import type { LastResponse } from './last-response.ts'
import type { RequestFacts } from './request-facts.ts'
import { ResponseBody } from './response-body.ts'
import { writeListedHead } from './upstream-head.ts'

export interface ResponseRelayOwner {
  /** The head is written, and the body follows. */
  headWritten(status: number): void
  /** The upstream said something that nobody can be told; what the client is told instead. */
  answer(name: AnswerName): void
  /** The response is complete, and all of it sent. */
  received(): void
  /** The response cannot be ended truthfully (R20-59). */
  cut(): void
}

export interface ResponseRelayParts {
  readonly context: WireContext
  readonly record: ExchangeRecord
  readonly facts: RequestFacts
  readonly forwarding: Forwarding
  readonly flow: Flow
  readonly last: LastResponse
  readonly owner: ResponseRelayOwner
}

const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')

/** For one response after the other. */
export class ResponseRelay {
  readonly #parts: ResponseRelayParts
  readonly #body: ResponseBody
  /** By what the head says, and by what came behind the body. */
  #keepsUpstream = false

  constructor(parts: ResponseRelayParts) {
    this.#parts = parts
    this.#body = new ResponseBody(parts.context)
  }

  /** Whether the upstream's connection can serve another request. */
  get keepsUpstream(): boolean {
    return this.#keepsUpstream
  }

  /** Relays a head that another one follows. */
  interim(scan: ResponseScan, bytes: Buffer): void {
    const { context, record, facts, flow } = this.#parts
    if (facts.minorVersion === 0) return
    const { output } = context
    record.interim()
    if (scan.status === 100) {
      facts.awaitsContinue = false
      output.appendAll(CONTINUE)
    } else {
      const fields = interimFields(new HeaderIndex(scan.list(bytes)))
      output.appendAll(headBytes(scan.status, scan.reason(bytes), fields))
    }
    flow.sendClient()
  }

  /** Begins with the head that counts, and what is behind it up to `to`. */
  begin(scan: ResponseScan, bytes: Buffer, to: number): void {
    if (scan.isPlain && this.#parts.facts.minorVersion > 0) this.#beginPlain(scan, bytes, to)
    else this.#beginListed(scan, bytes, to)
  }

  /** More of it came. */
  take(bytes: Buffer, from: number, to: number): void {
    const { record, flow, owner } = this.#parts
    const body = this.#body
    const at = body.take(bytes, from, to)
    flow.sendClient()
    if (body.isBroken) {
      owner.cut()
      return
    }
    if (!body.isEnded) return
    // More bytes than the response has would be taken for the next one (R20-60).
    if (at < to) this.#keepsUpstream = false
    record.count('droppedTrailer', body.droppedTrailers)
    owner.received()
  }

  /** The upstream sends no more; `isWhole`: its connection ended as it should, by a FIN. */
  end(isWhole: boolean): void {
    const { flow, owner } = this.#parts
    this.#keepsUpstream = false
    if (isWhole && this.#body.endWithConnection()) {
      flow.sendClient()
      owner.received()
    } else owner.cut()
  }

  #beginPlain(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { context, facts, last } = this.#parts
    const length = scan.bodyLength(facts.isHead)
    this.#noteUpstream(scan, bytes)
    context.responseWriter.write(scan, bytes, length, last.decide(false))
    this.#headWritten(scan.status)
    this.#body.begin(length, length === BODY_CHUNKED || length === BODY_UNTIL_CLOSE ? 'chunked' : 'length')
    this.take(bytes, scan.headEnd, to)
  }

  #beginListed(scan: ResponseScan, bytes: Buffer, to: number): void {
    const { context, facts, forwarding, last, owner } = this.#parts
    const { limits, output } = context
    const { status } = scan
    // Of the request's method only this much matters here.
    const method = facts.isHead ? 'HEAD' : 'GET'
    const checked = checkResponse({ status, fields: scan.list(bytes), method }, limits.maxResponseHeaders)
    if (!checked) {
      if (!forwarding.goesOn('invalid')) owner.answer('upstream-fault')
      return
    }
    this.#noteUpstream(scan, bytes)
    const head = downstreamResponseHead({
      ...checked,
      status,
      clientMinorVersion: facts.minorVersion,
      closes: last.decide(false),
      date: context.date(),
    })
    if (!writeListedHead(`HTTP/1.1 ${status} ${scan.reason(bytes)}`, head.fields, output)) {
      owner.answer('upstream-fault')
      return
    }
    this.#headWritten(status)
    if (head.body === 'close') last.decide(true)
    this.#body.begin(lengthOf(checked.framing), head.body)
    this.take(bytes, scan.headEnd, to)
  }

  #noteUpstream(scan: ResponseScan, bytes: Buffer): void {
    this.#keepsUpstream = scan.keepsOpen
    const { keepAliveAt } = scan.notes
    if (keepAliveAt < 0) return
    const field = latin1(bytes, scan.fields.valueStart(keepAliveAt), scan.fields.valueEnd(keepAliveAt))
    this.#parts.forwarding.upstream?.noteKeepAlive(field)
  }

  #headWritten(status: number): void {
    const { record, owner } = this.#parts
    record.headed(status)
    owner.headWritten(status)
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
