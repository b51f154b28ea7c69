// How the path of a request goes on (R11-46, R11-154, R11-43). The result is judged as every path is (R10-31).
import { isFieldValue } from '../lib/field-names.ts'
import { canonicalPath, type PathOptions } from '../lib/request-path.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { PathRewrite } from '../model/policy.ts'
import type { Forward } from './decision.ts'
import { expandTemplate, readCaptures } from './template.ts'

/** Path and query of a request: the path canonical, the query with its `?` or empty. */
export interface AskedPath {
  readonly path: string
  readonly query: string
}

export interface RewriteLimits extends PathOptions {
  readonly maxTargetBytes: number
}

export interface Rewritten {
  /** Path and query for the upstream. */
  readonly target: string
  /** The value of `X-Forwarded-Prefix`; `undefined`: the route sets none. */
  readonly forwardedPrefix: string | undefined
}

/** Why a rewritten request is answered and not forwarded; named as the answer to it. */
export type RewriteFault = 'malformed' | 'target-too-long'

/** Where a request goes on to. A route that rewrites nothing costs one look. */
export function rewriteRequest(
  { route, captures }: Forward,
  asked: AskedPath,
  limits: RewriteLimits,
): Result<Rewritten, RewriteFault> {
  const { rewrite, forwardedPrefix } = route.policy ?? {}
  if (!rewrite && !forwardedPrefix) return ok({ target: asked.path + asked.query, forwardedPrefix: undefined })
  const taken = readCaptures(route.match, captures, asked.path)
  if (!taken) return err('target-too-long')
  const path = rewrite ? rewrittenPath(rewrite, asked.path, taken, limits) : ok(asked.path)
  if (!path.ok) return path
  const target = path.value + asked.query
  if (target.length > limits.maxTargetBytes) return err('target-too-long')
  const prefix = forwardedPrefix && expandTemplate(forwardedPrefix, taken)
  if (prefix === undefined || prefix === '') return ok({ target, forwardedPrefix: undefined })
  return isFieldValue(prefix) ? ok({ target, forwardedPrefix: prefix }) : err('malformed')
}

function rewrittenPath(
  { replaces, template }: PathRewrite,
  path: string,
  captures: readonly string[],
  options: PathOptions,
): Result<string, RewriteFault> {
  const text = expandTemplate(template, captures)
  const whole = replaces === 'whole' ? text : joinPaths(text, path.slice(captures[0]?.length ?? 0))
  const canonical = canonicalPath(whole, options)
  return canonical.ok ? canonical : err('malformed')
}

/** Both with one slash between them: what follows a Prefix is nothing, or begins with a slash. */
function joinPaths(head: string, rest: string): string {
  if (rest === '') return head === '' ? '/' : head
  return head.endsWith('/') ? head.slice(0, -1) + rest : head + rest
}
