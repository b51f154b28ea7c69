// What one TLS connection remembers of the hosts that were asked for on it (R21-22, R22-7).
import { NO_CERTIFICATES } from '../model/certificate-table.ts'
import { type Handshake, misdirectionOf } from '../router/misdirection.ts'
import type { ConnectionOrigin, ServedPair } from './engine.ts'

export class MisdirectionCheck {
  readonly #handshake: Handshake
  readonly #outdated: (() => void) | undefined
  #routes: ServedPair['routes'] | undefined
  #host: string | undefined
  #isMisdirected = false

  private constructor(handshake: Handshake, outdated: (() => void) | undefined) {
    this.#handshake = handshake
    this.#outdated = outdated
  }

  /** `undefined` for a connection in plaintext, whose requests are for any host. */
  static of({ secure, stream }: ConnectionOrigin): MisdirectionCheck | undefined {
    return secure && new MisdirectionCheck({ ...secure, isHttp2: stream !== undefined }, stream?.outdated)
  }

  /** Whether a request for `host`, in its one form, is not for this connection. */
  isMisdirected({ routes }: ServedPair, host: string): boolean {
    if (this.#routes === routes && this.#host === host) return this.#isMisdirected
    const { serverNames } = routes.certificates ?? NO_CERTIFICATES
    const misdirection = misdirectionOf(serverNames, this.#handshake, host)
    this.#routes = routes
    this.#host = host
    this.#isMisdirected = misdirection !== 'none'
    if (misdirection === 'connection') this.#outdated?.()
    return this.#isMisdirected
  }
}
