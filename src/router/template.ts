import type { Captures } from '../lib/regex.ts'
import type { Template } from '../model/policy.ts'
import type { PathMatch } from '../model/route-table.ts'

/** The text of `template` where the groups took `captures`; one that is not among them is empty. */
export function expandTemplate(template: Template, captures: readonly string[]): string {
  let text = ''
  for (const part of template) text += typeof part === 'number' ? (captures[part] ?? '') : part
  return text
}

/**
 * What a template's captures are for a path that `match` took: 0 is the part that matched, an Exact or Prefix route has
 * no other. `undefined` where the regex must not be asked: that would cost too much (R10-23).
 */
export function readCaptures(
  match: PathMatch,
  captures: Captures | undefined,
  path: string,
): readonly string[] | undefined {
  switch (match.type) {
    case 'Exact':
      return [path]
    case 'Prefix':
      return [path.slice(0, match.value.length)]
    case 'Regex':
      return captures ? captures.read(path) : []
  }
}
