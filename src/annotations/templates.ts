// Targets with captures, as the two spellings of rewrite-target write them (R11-46, R11-154).
import { canonicalPath } from '../lib/request-path.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Template } from '../model/policy.ts'
import { type Parser, readUrl } from './values.ts'

/** A template whose captures are as they were written: by number, or by name. */
export type WrittenTemplate = readonly (string | Capture)[]

export interface Capture {
  readonly group: number | string
}

/** What a path has to offer: of a literal path only 0. */
export interface Groups {
  readonly count: number
  readonly names: ReadonlyMap<string, number>
}

export const NO_GROUPS: Groups = { count: 0, names: new Map() }

/** `$1` to `$9`, as nginx counts them. Any other `$` would be a variable there, and is bad. */
export const readNginxTemplate: Parser<WrittenTemplate> = (text) => splitTemplate(text, /\$(?:([1-9])|(.?))/)

/** `${0}`, `${1}` and `${name}`. Any other `$` is bad. */
export const readBracedTemplate: Parser<WrittenTemplate> = (text) =>
  splitTemplate(text, /\$(?:\{(\d{1,2}|[A-Za-z]\w{0,63})\}|(.?))/)

// The first group of `capture` is a group; the second what else stands behind a `$`.
function splitTemplate(text: string, capture: RegExp): Result<WrittenTemplate, string> {
  const parts: (string | Capture)[] = []
  let rest = text
  for (let found = capture.exec(rest); found; found = capture.exec(rest)) {
    const [whole, group] = found
    if (group === undefined) return err(`has ${JSON.stringify(whole)}, which names no capture`)
    if (found.index > 0) parts.push(rest.slice(0, found.index))
    parts.push({ group: /^\d/.test(group) ? Number(group) : group })
    rest = rest.slice(found.index + whole.length)
  }
  if (rest !== '') parts.push(rest)
  return ok(parts)
}

/** A template that becomes a path: it begins with `/`, or with a capture that may. */
export function pathTemplate(read: Parser<WrittenTemplate>): Parser<WrittenTemplate> {
  return (written) => {
    const template = read(written)
    if (!template.ok) return template
    const [first] = template.value
    if (typeof first === 'string' && !first.startsWith('/')) return err('does not begin with "/"')
    // Whatever a path may not hold beside its captures, it would never hold (R10-30).
    const text = literalOf(template.value)
    const literal = canonicalPath(typeof first === 'string' ? text : `/${text}`)
    return literal.ok ? template : err(literal.error)
  }
}

/** A template that becomes an absolute http or https URL without query: that of the request goes along. */
export function urlTemplate(read: Parser<WrittenTemplate>): Parser<WrittenTemplate> {
  return (text) => {
    const template = read(text)
    if (!template.ok) return template
    const [first = ''] = template.value
    // A host that a request could choose would send clients anywhere.
    const isHostFixed = typeof first === 'string' && (template.value.length === 1 || HOST_AND_SLASH.test(first))
    if (!isHostFixed) return err('has a capture in its host')
    const url = readUrl(literalOf(template.value))
    if (!url.ok) return url
    return /[?#]/.test(url.value) ? err('holds "?" or "#"') : template
  }
}

const HOST_AND_SLASH = /^https?:\/\/[^/?#]+\//i

/** The template where each capture took one character. */
function literalOf(template: WrittenTemplate): string {
  return template.map((part) => (typeof part === 'string' ? part : '_')).join('')
}

/** The template with the numbers of its captures, or a capture that the path does not have. */
export function resolveTemplate(template: WrittenTemplate, groups: Groups): Result<Template, string> {
  const parts: (string | number)[] = []
  for (const part of template) {
    const number = typeof part === 'string' ? part : numberOf(part, groups)
    if (number === undefined) return err(String(typeof part === 'string' ? part : part.group))
    parts.push(number)
  }
  return ok(parts)
}

function numberOf({ group }: Capture, { count, names }: Groups): number | undefined {
  if (typeof group === 'string') return names.get(group)
  return group <= count ? group : undefined
}
