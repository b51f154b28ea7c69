// The heads of the requests of one connection, in what it brings.

import type { RequestScan } from '../../../http/h1-request-scan.ts'
import { DONE, INVALID } from '../../../http/h1-scan.ts'
import { prefaceIn } from '../../../http/h2-preface.ts'
import { isTypeKnown } from '../../../http/request-check.ts'
import type { AnswerForm, AnswerName } from '../../own-answers.ts'
import type { WireContext } from './context.ts'
import type { Spare } from './spare.ts'

export interface RequestHeadsOwner {
  /** Whether it is one stream of a connection that is kept elsewhere. */
  readonly isStream: boolean
  /** Whether somebody takes the connection if it opens with the preface of HTTP/2. */
  readonly mayBeHttp2: boolean
  /** The head that `scan` found in `bytes`; so many bytes are behind it. */
  requestCame(scan: RequestScan, bytes: Buffer, left: number): void
  /** It opened with the preface of HTTP/2; `early` is all that was read. */
  http2Came(early: Buffer): void
  /** What came is no head. */
  refuse(name: AnswerName, form: AnswerForm): void
}

export class RequestHeads {
  /** When the first byte of a head came that is not whole. */
  sinceMs = 0
  readonly #context: WireContext
  readonly #owner: RequestHeadsOwner
  /** Of a head that has not come whole. */
  #scan: RequestScan | undefined

  constructor(context: WireContext, owner: RequestHeadsOwner) {
    this.#context = context
    this.#owner = owner
  }

  /** Whether a head has begun and is not whole. */
  get hasBegun(): boolean {
    return this.#scan !== undefined
  }

  /** Looks for the head that begins at `from`. The place behind all that was taken; `from` where it is not whole, or none. */
  read(bytes: Buffer, from: number, to: number): number {
    const scans = this.#scans
    const scan = this.#scan ?? scans.take()
    const outcome = scan.scan(bytes, from, to)
    if (outcome === DONE) {
      this.#scan = undefined
      this.#owner.requestCame(scan, bytes, to - scan.headEnd)
      const at = scan.headEnd
      scans.giveBack(scan)
      return at
    }
    const preface = outcome === INVALID ? this.#prefaceIn(scan, bytes, { from, to }) : 'part'
    if (preface === 'none') this.#refuse(scan, bytes)
    else if (preface === 'whole') {
      this.forget()
      this.#owner.http2Came(Buffer.copyBytesFrom(bytes, from, to - from))
      return to
    } else this.#hold(scan)
    return from
  }

  /** Forgets what came of a head: its connection reads no more. */
  forget(): void {
    this.#scan = undefined
  }

  get #scans(): Spare<RequestScan> {
    return this.#owner.isStream ? this.#context.streamScans : this.#context.scans
  }

  #hold(scan: RequestScan): void {
    if (this.#scan) return
    this.#scan = scan
    this.sinceMs = this.#context.time.nowMs
  }

  #refuse(scan: RequestScan, bytes: Buffer): void {
    this.#scan = undefined
    const { fault } = scan
    const form = isTypeKnown(fault) && scan.isGrpc(bytes) ? 'grpc' : 'text'
    this.#scans.giveBack(scan)
    this.#owner.refuse(fault, form)
  }

  /** How much is there of the preface of HTTP/2, where somebody would take it. */
  #prefaceIn(
    { fault }: RequestScan,
    bytes: Buffer,
    { from, to }: { readonly from: number; readonly to: number },
  ): ReturnType<typeof prefaceIn> {
    return fault === 'version-not-supported' && this.#owner.mayBeHttp2 ? prefaceIn(bytes, from, to) : 'none'
  }
}
