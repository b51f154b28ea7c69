// Who may ask for what (R32-2, R32-3, R32-5).
import type { IncomingMessage } from 'node:http'
import { buildCidrSet, type CidrSet, isIp } from '../lib/ip.ts'
import type { AdminToken } from './admin-token.ts'
import { type Answer, problem } from './answer.ts'

export interface GuardSettings {
  /** `--admin-protect`. */
  readonly protect: 'writes' | 'all'
  /** Of `--admin-token-file`; `undefined`: none. */
  readonly token: AdminToken | undefined
}

/** `probe`: open to everybody, always. `read` changes nothing. `write` does. */
export type Access = 'probe' | 'read' | 'write'

/** Judges requests to the admin listener. */
export class Guard {
  readonly #settings: GuardSettings
  readonly #loopback: CidrSet = buildCidrSet(['127.0.0.0/8', '::1'])

  constructor(settings: GuardSettings) {
    this.#settings = settings
  }

  /** Why a request is refused; `undefined`: it may pass. */
  async refusal(request: IncomingMessage, access: Access): Promise<Answer | undefined> {
    const { protect, token } = this.#settings
    switch (access) {
      case 'probe':
        return undefined
      case 'read':
        return protect === 'all' && token ? await refusalByToken(request, token) : undefined
      case 'write':
        if (isOfAnotherSite(request)) return problem(403, 'a page of another site may not change anything here')
        return token ? await refusalByToken(request, token) : this.#refusalWithoutToken(request)
    }
  }

  // Loopback alone would let a page change things whose name was pointed at loopback: it has that name as its Host.
  #refusalWithoutToken({ socket, rawHeaders }: IncomingMessage): Answer | undefined {
    const peer = socket.remoteAddress ?? ''
    const [host, ...others] = hostsIn(rawHeaders)
    if (this.#loopback.contains(peer) && others.length === 0 && isOwnName(host)) return undefined
    const detail =
      'without --admin-token-file changes are taken only from loopback, with an IP address or localhost as Host'
    return problem(403, detail)
  }
}

async function refusalByToken(request: IncomingMessage, token: AdminToken): Promise<Answer | undefined> {
  const { authorization } = request.headers
  if (await token.isCarriedBy(authorization)) return undefined
  const detail = authorization === undefined ? 'this needs the token of --admin-token-file' : 'this is not the token'
  return { ...problem(401, detail), headers: { 'WWW-Authenticate': 'Bearer' } }
}

function isOfAnotherSite({ headers }: IncomingMessage): boolean {
  if (headers['sec-fetch-site'] === 'cross-site') return true
  return headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host?.toLowerCase()}`
}

function isOwnName(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d*$/, '')
  return name.toLowerCase() === 'localhost' || isIp(name.replace(/^\[(.*)\]$/, '$1'))
}

/** Every `Host` that was sent, one after the other (R70-73). */
function hostsIn(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
}
