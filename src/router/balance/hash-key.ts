// The key of a request for consistent hashing, as a point on the ring (R20-135, R20-138).
import { hash32, mix32 } from '../../lib/hash.ts'
import type { HashKey, HashVariable } from '../../model/route-table.ts'

/** What hash keys are made of. */
export interface RequestFacts {
  /** In its one form, without port. */
  readonly host: string
  /** The canonical path. */
  readonly path: string
  /** With its `?`; empty where there is none. */
  readonly query: string
  /** Of the client (R20-49, R20-50). */
  readonly remoteAddress: string
  /** The first value of a field, whose name is given in lower case; `undefined`: the request has none. */
  header(name: string): string | undefined
}

const WHOLE = 2 ** 32

/**
 * The point in [0, 1) of a request's key. What a request does not have counts as an empty text, so that all requests
 * without it go to one endpoint.
 */
export function hashPoint(key: HashKey, facts: RequestFacts): number {
  let hash: number | undefined
  for (const part of key) hash = hash32(typeof part === 'string' ? part : textOf(part, facts), hash)
  return mix32(hash ?? 0) / WHOLE
}

function textOf(variable: HashVariable, facts: RequestFacts): string {
  switch (variable.kind) {
    case 'requestUri':
      return facts.path + facts.query
    case 'uri':
      return facts.path
    case 'remoteAddr':
      return facts.remoteAddress
    case 'host':
      return facts.host
    case 'header':
      return facts.header(variable.name) ?? ''
    case 'cookie':
      return pairValue(facts.header('cookie') ?? '', ';', variable.name)
    case 'query':
      return pairValue(facts.query.slice(1), '&', variable.name)
  }
}

/** The value of the first `name=value` of that name among those that `separator` parts; empty where there is none. */
function pairValue(text: string, separator: string, name: string): string {
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=')
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return ''
}
