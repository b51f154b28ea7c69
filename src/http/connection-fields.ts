// What belongs to one hop and is never forwarded as it came (R20-41, R20-45, R20-53).
import { HOP_BY_HOP, isProtectedFromConnection } from '../lib/field-names.ts'
import { type HeaderIndex, listTokens } from './header-list.ts'

/** Names and options that the sender's `Connection` fields list, in lower case. */
export type ConnectionTokens = ReadonlySet<string>

const NO_TOKEN: ConnectionTokens = new Set()

/** The tokens of every `Connection` field together. */
export function connectionTokens(index: HeaderIndex): ConnectionTokens {
  const values = index.values('connection')
  return values.length === 0 ? NO_TOKEN : new Set(listTokens(values))
}

/**
 * Reports whether the field `name` (lower case) stays on this hop: hop-by-hop by definition, or because the sender's
 * `Connection` names it. `Trailer` is not one: its reader decides by the framing.
 */
export function isHopByHop(name: string, named: ConnectionTokens): boolean {
  if (name === 'trailer') return false
  if (HOP_BY_HOP.has(name) || name.startsWith('proxy-')) return true
  return named.size > 0 && named.has(name) && !isProtectedFromConnection(name)
}
