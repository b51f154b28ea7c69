// One virtual host, built for matching.
import { hash32 } from '../lib/hash.ts'
import { type Captures, capturesOf, MAX_REGEX_PATH_BYTES } from '../lib/regex.ts'
import { buildRegexSet, NO_MATCH, type RegexSet, TOO_COSTLY } from '../lib/regex-set.ts'
import type { Template } from '../model/policy.ts'
import type { Route, VirtualHost } from '../model/route-table.ts'
import type { Decision, HttpsFirst } from './decision.ts'
import { PathIndex } from './match-path.ts'
import type { RequestView } from './request-view.ts'

const TARGET_TOO_LONG: Decision = { kind: 'respond', reason: 'target-too-long', route: undefined }

/** What is decided for the requests of `route`; `matched` is false where a default backend answers (34). */
export function decisionOf(route: Route, matched: boolean): Decision {
  const secured = actionOf(route, matched)
  return route.httpsFirst === true ? { kind: 'https-first', route, secured, matched } : secured
}

function actionOf(route: Route, matched: boolean): HttpsFirst['secured'] {
  const { action } = route
  switch (action.kind) {
    case 'forward':
      return { kind: 'forward', route, captures: readCaptures(route), matched }
    case 'redirect':
      return { kind: 'redirect', route, action, captures: readCaptures(route), matched }
    case 'refuse':
      return { kind: 'respond', reason: action.reason, route }
  }
}

/** `undefined` where no template of the route names a capture of its regex (R10-23). */
function readCaptures({ match, action, policy }: Route): Captures | undefined {
  if (match.type !== 'Regex') return undefined
  const location = action.kind === 'redirect' ? action.location.template : []
  const templates: readonly Template[] = [location, policy?.rewrite?.template ?? [], policy?.forwardedPrefix ?? []]
  const isNamed = policy?.rewrite?.replaces === 'matched' || templates.flat().some((part) => typeof part === 'number')
  return isNamed ? capturesOf(match.pattern) : undefined
}

/** The routes of one virtual host. Belongs to that object alone, so a later router takes it over with it. */
export class HostRoutes {
  /** `undefined`: of the host that nobody claimed. */
  readonly virtualHost: VirtualHost | undefined
  /** Takes what no route of this host takes; `undefined`: the table's default does. */
  readonly fallback: Decision | undefined
  readonly #paths: PathIndex
  readonly #regexes: RegexSet | undefined
  readonly #regexDecisions: readonly Decision[]

  /** `alike` was built for a host with the very same list of routes: what was built of them is taken over. */
  constructor(virtualHost: VirtualHost | undefined, alike?: HostRoutes) {
    this.virtualHost = virtualHost
    this.fallback = virtualHost?.fallback && decisionOf(virtualHost.fallback, false)
    if (alike) {
      this.#paths = alike.#paths
      this.#regexes = alike.#regexes
      this.#regexDecisions = alike.#regexDecisions
      return
    }
    const entries = (virtualHost?.routes ?? []).map((route) => ({ route, decision: decisionOf(route, true) }))
    const regexes = entries.flatMap(({ route: { match }, decision }) =>
      match.type === 'Regex' ? [{ text: match.pattern, decision }] : [],
    )
    this.#paths = new PathIndex(entries, hash32(virtualHost?.digest ?? ''))
    this.#regexes = regexes.length > 0 ? buildRegexSet(regexes) : undefined
    this.#regexDecisions = regexes.map(({ decision }) => decision)
  }

  /** What is decided for the path of `view`; `undefined` where no route takes it. */
  find(view: RequestView): Decision | undefined {
    const { bytes, pathStart, pathEnd } = view
    return this.#paths.find(bytes, pathStart, pathEnd) ?? this.#findRegex(bytes, pathStart, pathEnd)
  }

  #findRegex(bytes: Uint8Array, start: number, end: number): Decision | undefined {
    if (!this.#regexes) return undefined
    // R10-23: a path of this length never reaches them.
    if (end - start > MAX_REGEX_PATH_BYTES) return TARGET_TOO_LONG
    const index = this.#regexes.match(bytes, start, end)
    if (index === NO_MATCH) return undefined
    return index === TOO_COSTLY ? TARGET_TOO_LONG : this.#regexDecisions[index]
  }
}
