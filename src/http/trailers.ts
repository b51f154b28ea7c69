// Trailer fields of either direction, cleaned by the rules that heads are cleaned by (R20-46).
import { isForbiddenTrailer, managedAlias } from '../lib/field-names.ts'
import { fieldBytes, type HeaderList } from './header-list.ts'

export interface Trailers {
  /** Name and value of each that passes, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** How many were dropped. */
  readonly dropped: number
}

const NO_TRAILERS: Trailers = { fields: [], dropped: 0 }

/** The trailers that go on. `keepsUnderscores` is false where names with `_` are dropped from heads too (R20-38). */
export function forwardedTrailers(raw: HeaderList, keepsUnderscores: boolean): Trailers {
  if (raw.length === 0) return NO_TRAILERS
  const fields: (readonly [string, string])[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    if (isForbidden(name, keepsUnderscores)) continue
    fields.push([raw[at] ?? '', raw[at + 1] ?? ''])
  }
  return { fields, dropped: raw.length / 2 - fields.length }
}

/** Why a trailer section is refused; `undefined`: it is not. Its limits are those of a head (R20-84, R20-85). */
export function faultInTrailers(
  raw: HeaderList,
  limits: { readonly maxHeaders: number; readonly maxHeaderBytes: number },
): 'too-many-fields' | 'head-too-large' | undefined {
  if (raw.length / 2 > limits.maxHeaders) return 'too-many-fields'
  return fieldBytes(raw) > limits.maxHeaderBytes ? 'head-too-large' : undefined
}

function isForbidden(name: string, keepsUnderscores: boolean): boolean {
  if (isForbiddenTrailer(name) || managedAlias(name) !== undefined) return true
  return !keepsUnderscores && name.includes('_')
}
