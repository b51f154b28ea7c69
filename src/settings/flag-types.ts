/** How the text of a flag is read, and in which words that is told to people. */
export type FlagType =
  | { readonly kind: 'boolean'; readonly words: string }
  | { readonly kind: 'switch'; readonly words: string }
  | {
      readonly kind: 'choice'
      readonly words: string
      readonly of: readonly string[]
      readonly later: readonly string[]
    }
  | { readonly kind: 'integer'; readonly words: string; readonly min: number; readonly max: number }
  | { readonly kind: 'duration'; readonly words: string; readonly bareSeconds: boolean; readonly zero: boolean }
  | { readonly kind: 'size'; readonly words: string; readonly zero: boolean }
  | { readonly kind: 'text'; readonly words: string }

export type Group =
  | 'Mode and process'
  | 'Kubernetes'
  | 'Listeners'
  | 'Limits and timeouts'
  | 'Upstream and balancing'
  | 'TLS'
  | 'HTTP/2'
  | 'Operations'
  | 'Admin'
  | 'Experimental'

/** One flag of `ramjet run`. */
export interface Flag {
  /** With its two dashes. */
  readonly name: string
  readonly group: Group
  readonly type: FlagType
  /** Whether it may be given several times, each value also with commas (R33-5). */
  readonly many: boolean
  /** As it is shown; `none` where nothing is meant. In this build, where builds differ. */
  readonly default: string
  /** A sentence without its full stop. */
  readonly help: string
  /** False: it is refused by name and shown nowhere (R33-19). */
  readonly built: boolean
}

export const BOOLEAN: FlagType = { kind: 'boolean', words: 'true or false' }
export const SWITCH: FlagType = { kind: 'switch', words: 'no value' }
export const SIZE: FlagType = { kind: 'size', words: 'size such as 64k or 1m', zero: false }
export const SIZE_OR_0: FlagType = { kind: 'size', words: 'size such as 64k or 1m, or 0', zero: true }
export const DURATION: FlagType = duration('duration such as 250ms, 5s or 1m', false, false)
export const DURATION_OR_0: FlagType = duration('duration such as 250ms, 5s or 1m, or 0', false, true)
export const SECONDS: FlagType = duration('duration such as 5s or 1m, or bare seconds', true, false)
export const SECONDS_OR_0: FlagType = duration('duration such as 5s or 1m, or bare seconds, 0 too', true, true)
export const COUNT: FlagType = integer(1, Number.MAX_SAFE_INTEGER)
export const COUNT_OR_0: FlagType = integer(0, Number.MAX_SAFE_INTEGER)
export const PORT: FlagType = integer(1, 65_535)
export const ADDRESS: FlagType = text('HOST:PORT')
export const FILE: FlagType = text('FILE')
export const DIR: FlagType = text('DIR')
export const NAME: FlagType = text('NAME')
export const NAMESPACED_NAME: FlagType = text('NAMESPACE/NAME')
export const DOMAIN_PATH: FlagType = text('DOMAIN/PATH')
export const CIDR: FlagType = text('CIDR')
export const URL_TEXT: FlagType = text('URL')

/** Free text; `words` is the placeholder that help shows. */
export function text(words: string): FlagType {
  return { kind: 'text', words }
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): FlagType {
  const words = max === Number.MAX_SAFE_INTEGER ? `integer, at least ${min}` : `integer, ${min} to ${max}`
  return { kind: 'integer', words, min, max }
}

/** One of `of`. Those of `later` are known too, but refused as not in this build. */
export function choice(of: readonly string[], later: readonly string[] = []): FlagType {
  return { kind: 'choice', words: of.join(' or '), of, later }
}

function duration(words: string, bareSeconds: boolean, zero: boolean): FlagType {
  return { kind: 'duration', words, bareSeconds, zero }
}
