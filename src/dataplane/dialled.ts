// What a client dialled: what the upstream is told of it, and what redirects go by (R20-16, R20-33, R22-6).
import type { ConnectionOrigin, EngineSettings } from './engine.ts'

export interface Dialled {
  /** By the connection itself: nobody's claim. */
  readonly scheme: 'http' | 'https'
  readonly port: number
}

/** The scheme and port of a connection; those that a PROXY header names go before the listener's. */
export function dialledBy(
  { localPort, proxied, secure }: ConnectionOrigin,
  { publicHttpPort, publicHttpsPort }: Pick<EngineSettings, 'publicHttpPort' | 'publicHttpsPort'>,
): Dialled {
  const publicPort = secure ? publicHttpsPort : publicHttpPort
  return { scheme: secure ? 'https' : 'http', port: proxied?.port ?? publicPort ?? localPort }
}
