import type { UpstreamConnection } from './upstream-connection.ts'

/** Idle connections in the order in which they became idle. Linked through themselves: nothing is allocated. */
export class IdleList {
  #oldest: UpstreamConnection | undefined
  #newest: UpstreamConnection | undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  get oldest(): UpstreamConnection | undefined {
    return this.#oldest
  }

  push(upstream: UpstreamConnection): void {
    upstream.previous = this.#newest
    if (this.#newest) this.#newest.next = upstream
    else this.#oldest = upstream
    this.#newest = upstream
    this.#length += 1
  }

  /** To be called once for each that was pushed. */
  remove(upstream: UpstreamConnection): void {
    const { previous, next } = upstream
    if (previous) previous.next = next
    else this.#oldest = next
    if (next) next.previous = previous
    else this.#newest = previous
    upstream.previous = undefined
    upstream.next = undefined
    this.#length -= 1
  }
}
