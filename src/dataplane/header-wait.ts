import { plainAddress } from '../http/forwarded.ts'
import { type ProxyHeaderParse, parseProxyHeader } from '../http/proxy-protocol.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { ProxiedOrigin } from './engine.ts'

/** What a header said, and what came behind it, in a buffer of its own. */
export interface ReadHeader {
  /** `undefined`: the socket's own addresses stay. */
  readonly proxied: ProxiedOrigin | undefined
  readonly rest: Buffer
}

type HeaderFailure = 'missing' | 'malformed' | 'timeout'

/** The wait for one connection's PROXY header. It ends once: with the header, or with one call of `fail`. */
export class HeaderWait {
  readonly #fail: (failure: HeaderFailure) => void
  readonly #cancel: Cancel
  /** At most as long as a header may be: what is longer is one, or is none. */
  #held: Buffer | undefined
  #isOver = false

  constructor(timers: Timers, timeoutMs: number, fail: (failure: HeaderFailure) => void) {
    this.#fail = fail
    this.#cancel = timers.after(timeoutMs, () => this.#end('timeout'))
  }

  /** The header, once it is whole. */
  read(bytes: Buffer, length: number): ReadHeader | undefined {
    if (this.#isOver) return undefined
    const came = bytes.subarray(0, length)
    const all = this.#held ? Buffer.concat([this.#held, came]) : came
    const parsed = parseProxyHeader(all, 0, all.length)
    switch (parsed.kind) {
      case 'need-more':
        this.#held = Buffer.from(all)
        return undefined
      case 'invalid':
        this.#end(parsed.fault === 'Signature' ? 'missing' : 'malformed')
        return undefined
      case 'done':
        return this.#done(parsed, all)
    }
  }

  /** The peer ended, or the connection is gone. */
  ended(): void {
    this.#end(this.#held ? 'malformed' : 'missing')
  }

  #done({ connection, length }: Extract<ProxyHeaderParse, { kind: 'done' }>, all: Buffer): ReadHeader {
    this.#isOver = true
    this.#cancel()
    const proxied = connection && { address: plainAddress(connection.address), port: connection.localPort }
    return { proxied, rest: Buffer.from(all.subarray(length)) }
  }

  #end(failure: HeaderFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel()
    this.#fail(failure)
  }
}
