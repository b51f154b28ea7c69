import { plainHostEnd } from '../../../http/h1-plain.ts'
import type { HostRoutes, Router } from '../../../router/router.ts'

/** The authority that a connection asked for last, and the routes that serve it (R20-3). */
export class HostMemory {
  #router: Router | undefined
  #routes: HostRoutes | undefined
  #authority: Buffer = NO_BYTES

  /** The routes for the authority `bytes[start, end)`; `undefined` where its host is not in its one form. */
  routesOf(router: Router, bytes: Buffer, start: number, end: number): HostRoutes | undefined {
    if (this.#routes && this.#router === router && this.#isLast(bytes, start, end)) return this.#routes
    const hostEnd = plainHostEnd(bytes, start, end)
    if (hostEnd < 0) return undefined
    this.#router = router
    this.#routes = router.findHost(bytes, start, hostEnd)
    this.#authority = Buffer.copyBytesFrom(bytes, start, end - start)
    return this.#routes
  }

  #isLast(bytes: Buffer, start: number, end: number): boolean {
    const authority = this.#authority
    if (authority.length !== end - start) return false
    for (let at = 0; at < authority.length; at += 1) if (authority[at] !== bytes[start + at]) return false
    return true
  }
}

const NO_BYTES: Buffer = Buffer.alloc(0)
