// The head that the upstream receives: the client's fields in their order, cleaned, then ours (R20-29 to R20-47).
import { isFieldValue, isForwardedField, isManagedRequest, isToken, managedAlias } from '../lib/field-names.ts'
import type { CidrSet } from '../lib/ip.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { type ConnectionTokens, connectionTokens, isHopByHop } from './connection-fields.ts'
import { clientAddress, forwardedFields, type Hop, isKeptFromTrusted } from './forwarded.ts'
import type { Framing } from './framing.ts'
import { type HeaderIndex, type HeaderList, listTokens } from './header-list.ts'

export interface RequestRules {
  readonly trustedProxies: CidrSet
  readonly underscoreHeaders: 'drop' | 'keep' | 'reject'
}

export interface RequestParts {
  readonly index: HeaderIndex
  readonly framing: Framing
  readonly hop: Hop
  /** Whether the request goes on as an upgrade. */
  readonly upgrade: boolean
}

/** Client fields that were taken out, by reason (34: `ramjet_dropped_fields_total`). */
export interface DroppedFields {
  underscore: number
  dot: number
  managed: number
  /** Name in lower case of the first one that `underscore` or `dot` counts. */
  misspelled: string | undefined
}

export interface RequestHead {
  readonly fields: HeaderList
  readonly dropped: Readonly<DroppedFields>
  /** The one client address that access lists, hashing and logs use too (R20-50). */
  readonly client: string
}

/** The head for the upstream. An error: a name with `_` where those are rejected (R20-38), to be answered 400. */
export function upstreamRequestHead(parts: RequestParts, rules: RequestRules): Result<RequestHead, 'underscore'> {
  const { index, framing, hop } = parts
  if (rules.underscoreHeaders === 'reject' && index.names.some((name) => name.includes('_'))) return err('underscore')
  const dropped: DroppedFields = { underscore: 0, dot: 0, managed: 0, misspelled: undefined }
  const kept = new Set<string>()
  const fields = keptFields(parts, rules, { dropped, kept })
  // An HTTP/1.0 client may leave Host out; every HTTP/1.1 request needs one (R20-29).
  if (!index.has('host')) fields.unshift('Host', hop.authority)
  // A body that came in chunks and was read whole goes on with its length (R11-71).
  if (framing.kind === 'length' && !index.has('content-length')) fields.push('Content-Length', String(framing.bytes))
  const client = clientAddress(index, hop.peer, rules.trustedProxies)
  fields.push(...checked(forwardedFields(index, hop, { client, kept })))
  return ok({ fields, dropped, client })
}

interface Notes {
  readonly dropped: DroppedFields
  /** Names of the forwarded set that stay as a trusted peer sent them. */
  readonly kept: Set<string>
}

function keptFields(parts: RequestParts, rules: RequestRules, { dropped, kept }: Notes): string[] {
  const { index } = parts
  const named = connectionTokens(index)
  const fields: string[] = []
  for (const [at, name] of index.names.entries()) {
    const original = index.fields[2 * at] ?? ''
    const value = forwardedValue(name, index.fields[2 * at + 1] ?? '', parts, named)
    if (value === undefined || isDropped(name, parts, rules, dropped)) continue
    if (isForwardedField(name)) kept.add(name)
    fields.push(original, value)
  }
  return fields
}

/** The value that a field goes on with; `undefined` where it stays on this hop. */
function forwardedValue(
  name: string,
  value: string,
  { framing, upgrade }: RequestParts,
  named: ConnectionTokens,
): string | undefined {
  switch (name) {
    case 'connection':
      return upgrade ? upgradeOption(value) : undefined
    case 'upgrade':
      return upgrade ? value : undefined
    case 'te':
      return listTokens([value]).includes('trailers') ? 'trailers' : undefined
    case 'trailer':
      return framing.kind === 'chunked' ? value : undefined
    case 'transfer-encoding':
      return framing.kind === 'chunked' ? 'chunked' : undefined
    default:
      return isHopByHop(name, named) ? undefined : value
  }
}

// Of a `Connection` field only the upgrade goes on, spelled as the client spelled it.
function upgradeOption(value: string): string | undefined {
  return value
    .split(',')
    .map((option) => option.trim())
    .find((option) => option.toLowerCase() === 'upgrade')
}

function isDropped(name: string, { index, hop }: RequestParts, rules: RequestRules, dropped: DroppedFields): boolean {
  if (name.includes('_') && rules.underscoreHeaders === 'drop') {
    dropped.underscore += 1
    dropped.misspelled ??= name
    return true
  }
  if (name.includes('.') && managedAlias(name) !== undefined) {
    dropped.dot += 1
    dropped.misspelled ??= name
    return true
  }
  // Results of a check of client certificates: only ever ours to say (R20-40).
  const isOurs = isManagedRequest(name) || name.startsWith('ssl-client-')
  const isReplaced = name === 'x-forwarded-prefix' && hop.prefix !== undefined
  if (!isOurs || (hop.peer.trusted && !isReplaced && isKeptFromTrusted(name, index))) return false
  if (isStrangersClaim(name, hop)) dropped.managed += 1
  return true
}

// A field that is only replaced by our own of the same name (X-Request-Id) is not one that was taken away.
function isStrangersClaim(name: string, hop: Hop): boolean {
  return name !== 'x-request-id' && !(hop.peer.trusted && isForwardedField(name))
}

/** Our own fields, those left out that could not be written as one line (R20-47). */
function checked(fields: HeaderList): HeaderList {
  const safe: string[] = []
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    const value = fields[at + 1] ?? ''
    if (isToken(name) && isFieldValue(value)) safe.push(name, value)
  }
  return safe
}
