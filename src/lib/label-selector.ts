// Label selectors as `kubectl -l` takes them (Kubernetes, "Labels and Selectors"): equality and sets, joined by commas.
import { err, ok, type Result } from './result.ts'

/** One requirement on one label; all of a selector must hold. */
export type LabelRequirement =
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'absent' }

export type LabelSelector = readonly LabelRequirement[]

const MAX_TEXT = 4096
const KEY = '(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?'
const VALUE = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?'
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`)
const EQUAL = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`)
const PRESENCE = new RegExp(`^(!?)\\s*(${KEY})$`)
const ONE_VALUE = new RegExp(`^${VALUE}$`)

/** The requirements that `text` lists, at least one; the error is the part that cannot be read. */
export function parseLabelSelector(text: string): Result<LabelSelector, string> {
  if (text.length > MAX_TEXT) return err(`${text.slice(0, 40)}...`)
  const requirements: LabelRequirement[] = []
  for (const part of splitOutsideSets(text)) {
    const requirement = parseRequirement(part.trim())
    if (!requirement) return err(part.trim())
    requirements.push(requirement)
  }
  return ok(requirements)
}

/** Reports whether these labels meet every requirement. A label that is absent meets `!=` and `notin`. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector.every((requirement) => meets(requirement, labelValue(labels, requirement.key)))
}

function meets(requirement: LabelRequirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'in':
      return value !== undefined && requirement.values.includes(value)
    case 'notin':
      return value === undefined || !requirement.values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
  }
}

// A label may be named like a member that every object inherits.
function labelValue(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

function parseRequirement(part: string): LabelRequirement | undefined {
  const [, setKey, operator, list = ''] = SET.exec(part) ?? []
  if (setKey !== undefined) {
    const values = list.split(',').map((value) => value.trim())
    if (!values.every((value) => ONE_VALUE.test(value))) return undefined
    return { key: setKey, operator: operator === 'in' ? 'in' : 'notin', values }
  }
  const [, key, sign, value = ''] = EQUAL.exec(part) ?? []
  if (key !== undefined) return { key, operator: sign === '!=' ? 'notin' : 'in', values: [value] }
  const [, not, present] = PRESENCE.exec(part) ?? []
  return present === undefined ? undefined : { key: present, operator: not === '!' ? 'absent' : 'exists' }
}

/** The parts between commas, those within parentheses left alone. */
function splitOutsideSets(text: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    if (letter === '(') depth += 1
    else if (letter === ')') depth -= 1
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}
