import { latin1 } from '../../../http/h1-bytes.ts'
import { plainHostEnd } from '../../../http/h1-plain.ts'
import type { HostRoutes, Router } from '../../../router/router.ts'
import type { ServedPair } from '../../engine.ts'
import type { MisdirectionCheck } from '../../misdirection-check.ts'

/** The authority that a connection asked for last, and the routes that serve it (R20-3). */
export class HostMemory {
  /** Of the authority that was asked for last: whether it is not for this connection (R22-7). */
  isMisdirected = false
  readonly #check: MisdirectionCheck | undefined
  #router: Router | undefined
  #routes: HostRoutes | undefined
  #authority: Buffer = NO_BYTES

  /** `check`: of a TLS connection; in plaintext every host is served. */
  constructor(check: MisdirectionCheck | undefined) {
    this.#check = check
  }

  /** The routes for the authority `bytes[start, end)`; `undefined` where its host is not in its one form. */
  routesOf(pair: ServedPair, bytes: Buffer, start: number, end: number): HostRoutes | undefined {
    const { router } = pair
    // Another table has another router.
    if (this.#routes && this.#router === router && this.#isLast(bytes, start, end)) return this.#routes
    const hostEnd = plainHostEnd(bytes, start, end)
    if (hostEnd < 0) return undefined
    this.#router = router
    this.#routes = router.findHost(bytes, start, hostEnd)
    this.#authority = Buffer.copyBytesFrom(bytes, start, end - start)
    if (this.#check) this.isMisdirected = this.#check.isMisdirected(pair, latin1(bytes, start, hostEnd))
    return this.#routes
  }

  /** The same question for a host of which there is a string already. */
  isMisdirectedTo(pair: ServedPair, host: string): boolean {
    return this.#check?.isMisdirected(pair, host) === true
  }

  #isLast(bytes: Buffer, start: number, end: number): boolean {
    const authority = this.#authority
    if (authority.length !== end - start) return false
    for (let at = 0; at < authority.length; at += 1) if (authority[at] !== bytes[start + at]) return false
    return true
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)
