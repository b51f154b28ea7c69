// Whether a request that asks for another protocol is taken at its word.
import { type HeaderIndex, listTokens } from './header-list.ts'

/**
 * Whether a request with `Upgrade` may become a tunnel: not with a body and not in HTTP/1.0 (R20-157), and not to h2c
 * (R22-1). Requests inside a tunnel of HTTP/2 would reach the endpoint without a route and without our header rules.
 */
export function asksForUpgrade(index: HeaderIndex, minorVersion: number): boolean {
  if (minorVersion === 0 || index.has('transfer-encoding')) return false
  if (index.values('content-length').some((length) => length !== '0')) return false
  return !listTokens(index.values('upgrade')).includes('h2c')
}
