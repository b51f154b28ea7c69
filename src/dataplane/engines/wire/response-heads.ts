// The heads of one response in what an upstream's connection brings, cut anywhere: interim ones, and the one that counts.
import { ResponseScan } from '../../../http/h1-response-scan.ts'
import { INVALID, NEED_MORE } from '../../../http/h1-scan.ts'
import type { WireContext } from './context.ts'
import { Stash } from './stash.ts'

/** Told in the order in which the heads stand; `scan` is that of `bytes`, and what is behind its head in `bytes[.., to)`. */
export interface ResponseHeadsOwner {
  /** Another head follows. */
  interimCame(scan: ResponseScan, bytes: Buffer, to: number): void
  /** The head that counts; nothing more is told. */
  headCame(scan: ResponseScan, bytes: Buffer, to: number): void
  /** What came is no head that counts (71 J); nothing more is told. */
  headInvalid(): void
}

/** For one response after the other. */
export class ResponseHeads {
  readonly #context: WireContext
  readonly #owner: ResponseHeadsOwner
  readonly #held = new Stash()
  #maxBytes: number
  /** Of a head that has not come whole. */
  #scan: ResponseScan | undefined

  constructor(context: WireContext, owner: ResponseHeadsOwner) {
    this.#context = context
    this.#owner = owner
    this.#maxBytes = context.limits.maxResponseHeaderBytes
  }

  /** What came of a head that is not whole. */
  get heldBytes(): number {
    return this.#held.length
  }

  /** Begins with another response, whose heads may be so large (R20-112). */
  begin(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.forget()
  }

  /** Forgets what came of a head: its connection is left. */
  forget(): void {
    this.#held.clear()
    this.#scan = undefined
  }

  /** Looks for heads in `bytes[0, length)`, behind what is held. */
  read(bytes: Buffer, length: number): void {
    if (this.#held.length === 0) {
      this.#read(bytes, 0, length)
      return
    }
    this.#held.append(bytes, 0, length)
    this.#read(this.#held.bytes, this.#held.from, this.#held.to)
  }

  #read(bytes: Buffer, from: number, to: number): void {
    const { responseScans, limits } = this.#context
    const isShared = this.#maxBytes === limits.maxResponseHeaderBytes
    const scan = this.#scan ?? (isShared ? responseScans.take() : this.#newScan())
    this.#scan = undefined
    for (let at = from; at < to; at = scan.headEnd, scan.reset()) {
      const outcome = scan.scan(bytes, at, to)
      if (outcome === NEED_MORE) {
        this.#scan = scan
        this.#held.keep(bytes, at, to)
        return
      }
      if (outcome === INVALID) {
        this.#owner.headInvalid()
        break
      }
      if (!isInterim(scan.status)) {
        this.#owner.headCame(scan, bytes, to)
        break
      }
      this.#owner.interimCame(scan, bytes, to)
    }
    // Nothing else can have come meanwhile, also where the owner has begun another try: connections tell from the event loop.
    this.#held.clear()
    if (isShared) responseScans.giveBack(scan)
  }

  #newScan(): ResponseScan {
    return new ResponseScan({ maxHeaderBytes: this.#maxBytes, maxHeaders: this.#context.limits.maxResponseHeaders })
  }
}

/** A 1xx that another head follows (R20-55). */
function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101
}
