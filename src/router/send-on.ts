// Where a client is sent, and by which status: by a route that redirects, or because it came by http (R11-57).
import { err, ok, type Result } from '../lib/result.ts'
import type { RedirectStatus } from '../model/route-table.ts'
import type { HttpsFirst, Redirect } from './decision.ts'
import { type AskedUrl, encoded, redirectLocation } from './redirect.ts'
import type { RewriteFault } from './rewrite.ts'

export interface SentOn {
  readonly status: RedirectStatus
  /** The value of `Location`. */
  readonly location: string
}

export interface SendLimits {
  readonly maxTargetBytes: number
  /** The port that clients dial by TLS (R20-16). */
  readonly httpsPort: number
}

const HTTPS_PORT = 443

export function sendOn(
  decision: Redirect | HttpsFirst,
  asked: AskedUrl,
  limits: SendLimits,
): Result<SentOn, RewriteFault> {
  if (decision.kind === 'https-first') return toHttps(asked, limits)
  const location = redirectLocation(decision, asked, limits)
  return location.ok ? ok({ status: decision.action.status, location: location.value }) : location
}

/** The same path and query by https. Without a name there is nowhere to go. */
function toHttps(
  { authority, path, query }: AskedUrl,
  { httpsPort, maxTargetBytes }: SendLimits,
): Result<SentOn, RewriteFault> {
  const host = hostOf(authority)
  if (host === '') return err('malformed')
  const target = path + query
  if (target.length > maxTargetBytes) return err('target-too-long')
  const port = httpsPort === HTTPS_PORT ? '' : `:${httpsPort}`
  return ok({ status: 308, location: `https://${host}${port}${encoded(target)}` })
}

/** The authority without its port; it was judged already. */
function hostOf(authority: string): string {
  const colon = authority.lastIndexOf(':')
  return colon > authority.lastIndexOf(']') ? authority.slice(0, colon) : authority
}
